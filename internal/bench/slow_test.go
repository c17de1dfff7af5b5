package bench

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// The slow clients: event streams that are never read, long lists that are never read, requests
// sent one byte a second, and the length of the test. The length is below the server's time limits
// for such connections, so that all of them stay open meanwhile.
const (
	slowStreams = 200
	slowReaders = 100
	slowSenders = 300
	slowTime    = 8 * time.Second
)

// dawdle measures lists beside slow clients.
func dawdle(p *process) {
	p.Helper()
	const list = "/api/v1/agents/agent-00/memories?limit=50"
	f := figure{Files: largest}
	untilUsual()
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	p.forgetPeak()

	var slow []net.Conn
	connect := func(n int, request string) {
		for range n {
			conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
			if err != nil {
				p.Fatal(err)
			}
			if _, err := fmt.Fprint(conn, request); err != nil {
				p.Fatal(err)
			}
			slow = append(slow, conn)
		}
	}
	connect(slowStreams, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	connect(slowReaders, "GET /api/v1/agents/agent-00/memories?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	connect(slowSenders, "GET /api/v1/agents HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	senders := slow[slowStreams+slowReaders:]
	over := time.After(slowTime)
	drip := time.NewTicker(time.Second)
	defer drip.Stop()
	for going := true; going; {
		select {
		case <-over:
			going = false
		case <-drip.C:
			for _, conn := range senders {
				if _, err := fmt.Fprint(conn, "x"); err != nil {
					p.Fatal(err)
				}
			}
		case <-pace.C:
			f.Took = append(f.Took, timed(func() { p.get(list) }))
		}
	}
	report.BesideSlow = f.sorted()
	weighAtWork(p)
	for _, conn := range slow {
		conn.Close() //nolint:errcheck // an error changes nothing
	}
	p.untilAtRest()
}
