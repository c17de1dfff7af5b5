package torture

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/longrun"
)

// killsForShown is the number of kills for each further measured change of each kind.
const killsForShown = 8

func TestServers_ShowChanges(t *testing.T) {
	// The test sets no limit of a second, because other tests slow the machine down.
	// docs/RELIABILITY.md has measured times.
	t.Parallel()
	p := newPlace(t, seed(), 2)
	p.startPostgres()
	p.flags = []string{"--database-url=" + p.databaseURL()} // all other settings have their defaults
	mustWrite(t, p.agents+"/ada/memory/first.md", plainNote("First"))
	p.startAll()
	for _, s := range p.servers {
		s.awaitMemory("ada", "First")
	}
	w := newWitness(p)

	shown := longrun.Shown{Occasion: longrun.Now(p.seed)}
	see := func(how string, times int, change func(name string)) {
		kind := longrun.ShownKind{How: how}
		for range times {
			kind.Times = append(kind.Times, w.sees(change))
		}
		t.Logf("%s, %d times: told %+v, listed %+v", how, times, kind.Event(), kind.List())
		shown.Kinds = append(shown.Kinds, kind)
	}
	many := max(2, *kills/killsForShown)
	see("a file", many, w.writeFile)
	see("a call", many, w.save)
	see("a file, right after a lost connection", max(1, many/5), func(name string) {
		w.cut()
		w.writeFile(name)
	})
	w.awaitLinks()
	see("a file, after reconnecting", many, w.writeFile)
	see("a call, after reconnecting", many, w.save)

	if longrun.Recording() && !t.Failed() {
		if err := longrun.Keep(shown); err != nil {
			t.Error(err)
		}
	}
	longrun.Passed(t, "two servers show the same", fmt.Sprintf("%d changes", w.changes), "each arrived")
}

// witness watches one of two servers for changes made at the other, which holds the agent.
type witness struct {
	*place
	actor, other *server
	told         *feed
	changes      int
}

func newWitness(p *place) *witness {
	p.Helper()
	w := &witness{place: p, actor: p.holder("ada")}
	w.other = p.servers[1-slices.Index(p.servers, w.actor)]
	ctx, hangUp := context.WithCancel(context.Background())
	p.Cleanup(hangUp)
	w.told = w.other.follow(ctx)
	w.awaitLinks()
	return w
}

// sees makes a change. It returns the times until the other server announced it and until it listed
// it.
func (w *witness) sees(change func(name string)) (took longrun.ShownTimes) {
	w.Helper()
	w.changes++
	name := fmt.Sprint("Shown ", w.changes)
	listed := make(chan time.Time, 1)
	start := time.Now()
	change(name)
	go func() {
		w.other.awaitMemory("ada", name)
		listed <- time.Now()
	}()
	took.Event = w.told.await(w.TB, name).Sub(start)
	took.List = (<-listed).Sub(start)
	return took
}

func (w *witness) writeFile(name string) {
	w.Helper()
	mustWrite(w, fmt.Sprintf("%s/ada/memory/shown%d.md", w.agents, w.changes), plainNote(name))
}

func (w *witness) save(name string) {
	w.Helper()
	memory := map[string]string{"name": name, "type": "user", "description": "d", "body": "Says something."}
	if status, err := w.actor.call("POST", "/api/v1/agents/ada/memories", memory, nil); !answered(status) {
		w.Fatalf("a save was answered with %d, %v\n%s", status, err, w.log())
	}
}

// links selects the connections on which servers listen to each other. The holder's one has its
// lock.
const links = "SELECT pid FROM pg_stat_activity WHERE application_name = 'memoir link'"

// cut ends the connection on which the other server listens.
func (w *witness) cut() {
	w.Helper()
	w.awaitLinks()
	ended := w.query("WITH others AS MATERIALIZED (" + links + " AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')) " +
		"SELECT pid FROM others WHERE pg_terminate_backend(pid)")
	if len(ended) != 1 {
		w.Fatalf("%d servers listen that do not look after the agent", len(ended))
	}
}

// awaitLinks waits until both servers listen.
func (w *witness) awaitLinks() {
	w.Helper()
	w.other.await("both servers to listen", func() bool { return len(w.query(links)) == 2 })
}

// feed collects the events of an event stream.
type feed struct {
	mu     sync.Mutex
	events int
	first  map[string]time.Time // by the name of the memory
}

// follow opens an event stream. It ends with ctx or with the server.
func (s *server) follow(ctx context.Context) *feed {
	s.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address()+"/api/v1/events", nil)
	if err != nil {
		s.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	f := &feed{first: map[string]time.Time{}}
	go func() {
		defer response.Body.Close() //nolint:errcheck // only read
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, isData := strings.CutPrefix(lines.Text(), "data: "); isData {
				f.hear(data)
			}
		}
	}()
	return f
}

func (f *feed) hear(data string) {
	var event struct{ Name *string }
	if json.Unmarshal([]byte(data), &event) != nil {
		return // the test then fails for want of events
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events++
	if event.Name == nil {
		return
	}
	if _, before := f.first[*event.Name]; !before {
		f.first[*event.Name] = time.Now()
	}
}

// heard returns the number of events.
func (f *feed) heard() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events
}

// await waits for a memory's first event, and returns its time.
func (f *feed) await(t testing.TB, name string) time.Time {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		at, told := f.first[name]
		f.mu.Unlock()
		if told {
			return at
		}
		if time.Now().After(deadline) {
			t.Fatalf("the event stream does not tell of %s", name)
		}
	}
}
