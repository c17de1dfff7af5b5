package bench

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// Clients that take their time: how many open an event stream and never read it, how many ask for a long list and never take it, how
// many send one byte of a request a second, and for how long they are let do so. That is less than the time after which the server
// closes such connections, so that all of them are there while somebody asks for lists.
const (
	slowStreams = 200
	slowReaders = 100
	slowSenders = 300
	slowTime    = 8 * time.Second
)

// dawdle measures lists beside clients that take their time.
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
		conn.Close() //nolint:errcheck // it is of no more use
	}
	p.untilAtRest()
}
