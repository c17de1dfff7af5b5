package torture

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/longrun"
	"memoir/internal/postgres/pgtest/proctest"
)

// A minute of each outage: go test -run Away ./internal/torture -away=1m
var away = flag.Duration("away", 2*time.Second, "how long Postgres is away under the load")

// awayAgents is the number of agents under load in the outage tests.
const awayAgents = 3

func TestPostgresAway_FullLoad(t *testing.T) {
	t.Parallel()
	var changes, answers atomic.Int64
	t.Cleanup(func() {
		much := fmt.Sprintf("stopped for %v, killed and gone for %v; %s changes, %s answers", *away, *away, longrun.Count(changes.Load()), longrun.Count(answers.Load()))
		longrun.Passed(t, "outage under the full load", much, "everything held, nothing left behind")
	})
	for name, how := range map[string]func(o *outage){
		"it is stopped": func(o *outage) {
			postgres := proctest.Server{DataDir: o.data}
			o.Cleanup(func() { postgres.Thaw(o) }) // if the test ends early
			o.take = func() { postgres.Freeze(o) }
			o.give = func() { postgres.Thaw(o) }
		},
		"it is killed and gone": func(o *outage) {
			o.take = func() {
				o.killPostmaster()
				o.endPostgres() // otherwise Postgres would be started again at once
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

// outage is a place whose Postgres can be taken away.
type outage struct {
	*place
	load        *load
	endPostgres func()
	take, give  func()
}

func (o *outage) endure() {
	o.Helper()
	o.Logf("again with -away=%v -seed=%d", *away, o.seed)
	o.flags = []string{"--database-url=" + o.databaseURL()} // all other settings have their defaults
	for i := range awayAgents {
		newLedger(o.place, nameOf('a', i))
	}
	o.startAll()
	s := o.servers[0]
	o.load = &load{place: o.place}
	everybody := append(o.load.everybody(), o.readers()...)

	stop := o.work(everybody...) // warms up the server before the first figures are taken
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

// awaitChanges waits until the load has made that many more changes.
func (o *outage) awaitChanges(more int64) {
	o.Helper()
	until := o.load.done.Load() + more
	o.servers[0].await(fmt.Sprint(more, " changes"), func() bool { return o.load.done.Load() >= until })
}

// saysSo waits until /readyz reports that Postgres is away. Until the given time it then checks
// that pages and API calls report it too.
func (o *outage) saysSo(until time.Time) {
	o.Helper()
	s, agent := o.servers[0], o.ledgers[0]
	// The processes of a killed Postgres outlive their parent for a moment.
	s.await("Postgres to be seen to be away", func() bool { return s.ask("GET", "/readyz").status == http.StatusServiceUnavailable })
	for {
		var asked sync.WaitGroup // a stopped Postgres makes each call wait until its time limit
		asked.Go(func() {
			page := s.ask("GET", "/agents/"+agent.slug+"/memory")
			if !page.saysWhenToComeBack() || !strings.Contains(page.body, "Database unavailable") {
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
		time.Sleep(100 * time.Millisecond) // keeps these calls rare beside those of the load
	}
}

// reply is a complete HTTP answer. Its status is 0 if no answer came.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) saysWhenToComeBack() bool {
	return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != ""
}

// ask sends a request and returns the complete answer.
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

// poolSize is the maximum number of connections in the server's pool.
const poolSize = 12

// fillPool makes the server open its maximum number of connections, which it keeps for half an
// hour. Counts before and after an outage are then comparable.
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
		var readers sync.WaitGroup
		for i := range 2 * poolSize {
			readers.Go(func() { o.servers[0].ask("GET", o.ledgers[0].api(fmt.Sprint("/memories?name=nobody", i))) })
		}
		// A request that waits too long is cancelled together with its connection: try again.
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

// holdings counts the resources of a server that an outage could leak.
type holdings struct{ goroutines, descriptors, connections int }

func (o *outage) holds() holdings {
	o.Helper()
	client.CloseIdleConnections() // each idle connection costs the server a descriptor and a goroutine
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

// settled returns the holdings once ten further readings are the same.
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

// mayDiffer is the accepted difference in goroutines and in descriptors between two idle servers.
const mayDiffer = 3

// isBackAt waits until the server's holdings are no higher than before. Goroutines and descriptors
// may exceed that by mayDiffer.
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
