package torture

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	gosync "sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/longrun"
	"memoir/internal/postgres/pgtest/proctest"
)

// A minute of each: go test -run Away ./internal/torture -away=1m
var away = flag.Duration("away", 2*time.Second, "how long Postgres is away under the load")

// awayAgents are those on which everybody works, at the pace of the soak.
const awayAgents = 3

func TestWhilePostgresIsAwayUnderAFullLoadNothingIsForgottenOrLeftBehind(t *testing.T) {
	t.Parallel()
	var changes, answers atomic.Int64
	t.Cleanup(func() {
		much := fmt.Sprintf("stopped for %v, killed and gone for %v; %s changes, %s answers", *away, *away, longrun.Count(changes.Load()), longrun.Count(answers.Load()))
		longrun.Passed(t, "outage under the full load", much, "everything held, nothing left behind")
	})
	for name, how := range map[string]func(o *outage){
		"it is stopped": func(o *outage) {
			postgres := proctest.Server{DataDir: o.data}
			o.Cleanup(func() { postgres.Thaw(o) }) // when the test ends before
			o.take = func() { postgres.Freeze(o) }
			o.give = func() { postgres.Thaw(o) }
		},
		"it is killed and gone": func(o *outage) {
			o.take = func() {
				o.killPostmaster()
				o.endPostgres() // or it would be started again at once
			}
			o.give = func() { o.startPostgres() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outage{place: newPlace(t, seed(), 1)}
			o.endPostgres = o.startPostgres()
			how(o)
			o.endure()
			changes.Add(o.load.done.Load())
			answers.Add(o.answers.Load())
		})
	}
}

// outage is a place from which Postgres is taken away.
type outage struct {
	*place
	load        *load
	endPostgres func()
	take, give  func()
}

func (o *outage) endure() {
	o.Helper()
	o.Logf("again with -away=%v -seed=%d", *away, o.seed)
	o.flags = []string{"--database-url=" + o.databaseURL()} // and all else as people run it
	for i := range awayAgents {
		newLedger(o.place, nameOf('a', i))
	}
	o.startAll()
	s := o.servers[0]
	o.load = &load{place: o.place}
	everybody := append(o.load.everybody(), o.readers()...)

	stop := o.work(everybody...) // once without an outage, so that all has been used that is held on to
	defer func() { stop() }()
	o.awaitChanges(200)
	stop()
	o.check(o.databaseURL())
	o.fillPool()
	before := o.settled()

	stop = o.work(everybody...)
	o.awaitChanges(100)
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	events := s.follow(ctx)
	o.take()
	o.saysSo(time.Now().Add(*away))
	o.give()
	s.awaitReady()
	told := events.heard()
	s.await("word of what happens on the event stream", func() bool { return events.heard() > told })
	o.awaitChanges(200)
	stop()
	hangUp()

	o.check(o.databaseURL())
	o.fewLost()
	if o.faults.Load() > 0 {
		o.Errorf("%d answers were in the 500s, and not 503, the last: %v\n%s", o.faults.Load(), o.lastFault.Load(), o.log())
	}
	o.isBackAt(before)
	s.terminate()
}

// awaitChanges waits for so many more changes.
func (o *outage) awaitChanges(more int64) {
	o.Helper()
	until := o.load.done.Load() + more
	o.servers[0].await(fmt.Sprint(more, " changes"), func() bool { return o.load.done.Load() >= until })
}

// saysSo waits until Postgres is seen to be away, and then has pages and calls say so until it is to be back.
func (o *outage) saysSo(until time.Time) {
	o.Helper()
	s, agent := o.servers[0], o.ledgers[0]
	// The processes of a killed Postgres outlive their parent for a moment.
	s.await("Postgres to be seen to be away", func() bool { return s.ask("GET", "/readyz").status == http.StatusServiceUnavailable })
	for {
		var asked gosync.WaitGroup // where Postgres is stopped, each waits for it as long as a call may
		asked.Go(func() {
			page := s.ask("GET", "/agents/"+agent.slug+"/memory")
			if !page.saysWhenToComeBack() || !strings.Contains(page.body, "Postgres cannot be reached") {
				o.Errorf("the page: %+v", page)
			}
		})
		for method, path := range map[string]string{"GET": "/memories", "DELETE": "/memories/00000000-0000-0000-0000-000000000001"} {
			asked.Go(func() {
				call := s.ask(method, agent.api(path))
				if !call.saysWhenToComeBack() || call.header.Get("Content-Type") != "application/problem+json" {
					o.Errorf("the call %s %s: %+v", method, path, call)
				}
			})
		}
		asked.Wait()
		if time.Now().After(until) || o.Failed() {
			return
		}
		time.Sleep(100 * time.Millisecond) // a page and two calls more among those of the load
	}
}

// reply is all of an answer.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) saysWhenToComeBack() bool {
	return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != ""
}

// ask makes a call of which all is to be known.
func (s *server) ask(method, path string) reply {
	request, err := http.NewRequest(method, s.address()+path, nil)
	if err != nil {
		return reply{body: err.Error()}
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer response.Body.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{body: err.Error()}
	}
	return reply{response.StatusCode, response.Header, string(raw)}
}

// poolSize is how many connections the server's pool may open.
const poolSize = 12

// fillPool has the server's pool open as many connections as it may, so that what is open afterwards can be held against what was
// before: it keeps them for half an hour.
func (o *outage) fillPool() {
	o.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, o.databaseURL())
	if err != nil {
		o.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // only a lock is lost with it
	o.servers[0].await("the pool to be full", func() bool {
		if _, err := conn.Exec(ctx, "BEGIN; LOCK TABLE memories IN ACCESS EXCLUSIVE MODE"); err != nil {
			o.Fatal(err)
		}
		var readers gosync.WaitGroup
		for i := range 2 * poolSize {
			readers.Go(func() { o.servers[0].ask("GET", o.ledgers[0].api(fmt.Sprint("/memories?name=nobody", i))) })
		}
		// Who waits for too long gives up, connection and all: then it is tried once more.
		full := false
		for deadline := time.Now().Add(10 * time.Second); !full && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			full = len(o.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'memoir' AND wait_event_type = 'Lock'")) >= poolSize
		}
		if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
			o.Fatal(err)
		}
		readers.Wait()
		return full && o.holds().connections >= poolSize
	})
}

// holdings are what a server holds on to that would be left behind.
type holdings struct{ goroutines, descriptors, connections int }

func (o *outage) holds() holdings {
	o.Helper()
	client.CloseIdleConnections() // each is a descriptor and a goroutine of the server
	r := &reading{pid: o.servers[0].process.Pid, logged: o.askForFigures()}
	open, err := r.descriptors()
	if err != nil {
		o.Fatal(err)
	}
	return holdings{
		goroutines: int(r.logged["goroutines"]), descriptors: int(open),
		connections: len(o.query("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'memoir%'")),
	}
}

// settled is what the server holds on to once nothing happens any more, which is when it is the same a few times.
func (o *outage) settled() (held holdings) {
	o.Helper()
	same := 0
	o.servers[0].await("the server to be quiet", func() bool {
		now := o.holds()
		same++
		if now != held {
			same = 0
		}
		held = now
		return same == 10
	})
	return held
}

// mayDiffer is by how many goroutines and descriptors two quiet servers may differ that have done the same: what waits for its next turn.
const mayDiffer = 3

// isBackAt waits until the server holds on to no more than before.
func (o *outage) isBackAt(before holdings) {
	o.Helper()
	var now holdings
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		now = o.holds()
		if now.goroutines <= before.goroutines+mayDiffer && now.descriptors <= before.descriptors+mayDiffer && now.connections <= before.connections {
			break
		}
		if time.Now().After(deadline) {
			o.Errorf("the server held on to %+v before, and holds on to %+v after %v of quiet\n%s", before, now, patience, o.log())
			return
		}
	}
	o.Logf("held before: %+v, and afterwards: %+v", before, now)
}
