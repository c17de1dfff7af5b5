// Package outage takes Postgres away from a whole Memoir, in the middle of everything, and gives it
// back: pages and calls say so within a bounded time, no change on disk is forgotten, and nothing
// is left behind. It is all tests, in a process of their own, because they count the goroutines of
// it and run one after the other.
package outage_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/gate"
	"memoir/internal/jobs"
	"memoir/internal/longrun"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres/local"
	"memoir/internal/postgres/masked"
	"memoir/internal/postgres/migrate"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/postgres/pgtest/proctest"
	"memoir/internal/waittest"
)

// A minute of each: go test ./internal/outage -away=1m
var away = flag.Duration("away", 2*time.Second, "how long Postgres is away")

// silence is how long Postgres may say nothing before a call is answered without it, in these
// tests: more than it needs on a slow and shared machine.
const silence = time.Second

func TestPostgresAway_Recovers(t *testing.T) {
	t.Cleanup(func() {
		longrun.Passed(t, "outage in the middle of a deletion", fmt.Sprintf("frozen, out of reach: %v each; killed", *away), "")
	})
	for name, how := range map[string]struct {
		take, give func(*site)
		short      bool // it is back before a call fails
	}{
		"it is frozen": {
			take: func(s *site) { s.postgres.Freeze(s.T) },
			give: func(s *site) { s.postgres.Thaw(s.T) },
		},
		"it cannot be reached": {
			take: func(s *site) { s.line.Cut() },
			give: func(s *site) { s.line.Resume() },
		},
		"it is killed": {
			take:  func(s *site) { s.postgres.Kill(s.T) },
			give:  func(*site) {}, // it is started again by itself
			short: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := setup(t, t.TempDir())
			work := s.work()
			open := s.fillPool(link + queue)
			before := goroutines()
			stream := s.listen()

			taken := make(chan struct{})
			s.whenever("MarkDeleted", func() {
				close(taken)
				how.take(s)
			})
			answered := s.start("DELETE", "/api/v1/agents/ada/memories/"+s.Memory("ada", "Note 0").ID, "")
			waittest.For(s, "the deletion to be in its middle", func() bool { return isClosed(taken) || len(answered) > 0 })
			if !isClosed(taken) {
				r := <-answered
				t.Fatalf("the deletion came to its end: status %d, %s", r.status, r.body)
			}
			told := stream.told()
			s.changeFiles()
			r := <-answered // a frozen Postgres is not waited for
			// Who is killed may just have done it: its processes outlive the first of them for a
			// moment.
			isDone := how.short && r.status == http.StatusOK
			if !isDone && (r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" || !strings.Contains(r.body, "Connection lost during the change")) {
				t.Errorf("the deletion in the middle of it: status %d, %s", r.status, r.body)
			}
			if !how.short {
				for until := time.Now().Add(*away); ; {
					s.saysSo()
					if time.Now().After(until) {
						break
					}
				}
			}
			how.give(s)
			close(work.open) // it ends while Postgres is away, or on its way back

			waittest.For(s, "Memoir to be ready", func() bool { return s.call("GET", "/readyz", "").status == http.StatusOK })
			s.hasAllChanges()
			s.deletionIsWhole()
			s.isDoneOnce(work)
			waittest.For(s, "word of it on the event stream", func() bool { return stream.told() > told })
			stream.close()
			waittest.For(s, "the goroutines to end", func() bool { return goroutines() <= before })
			s.leavesNoConnectionBusy(open)
			s.call("GET", "/agents/ada/memory", "").expect(t, http.StatusOK)
		})
	}
}

// Connections that a Memoir has: those of the pool, the link to the other servers, and the one on
// which the queue of background work is woken.
const (
	pool  = 12
	link  = 1
	queue = 1
)

// fillPool makes the pool open its maximum number of connections, which it keeps for half an hour,
// so that the numbers before and after can be compared. It waits until Memoir has opened besides
// other connections, and returns the number of all.
func (s *site) fillPool(besides int) (open int) {
	s.Helper()
	agent, err := s.Store.Agent(s.Context(), "ada")
	if err != nil {
		s.Fatal(err)
	}
	conn := s.connect() // a transaction always sees the same activity
	tx, err := s.connect().Begin(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	if _, err := tx.Exec(s.Context(), "LOCK TABLE memories IN ACCESS EXCLUSIVE MODE"); err != nil {
		s.Fatal(err)
	}
	var readers sync.WaitGroup
	for i := range 2 * pool {
		readers.Go(func() {
			if _, err := s.Store.Memories(s.Context(), agent, memories.Filter{Name: fmt.Sprint(i)}, memories.PageRequest{Limit: 1}); err != nil {
				s.T.Error(err)
			}
		})
	}
	waittest.For(s, "all connections of the pool to be open", func() bool {
		var waiting int
		err := conn.QueryRow(s.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memoir' AND wait_event_type = 'Lock'").Scan(&waiting)
		return err == nil && waiting >= pool
	})
	if err := tx.Rollback(s.Context()); err != nil {
		s.Fatal(err)
	}
	readers.Wait()
	waittest.For(s, "the other connections to be open", func() bool {
		_, open, err = connectionsOf(s.Context(), conn)
		return err == nil && open >= pool+besides
	})
	return open
}

// connect opens a connection of the test's own, past the line.
func (s *site) connect() *pgx.Conn {
	s.Helper()
	conn, err := pgx.Connect(s.Context(), s.direct)
	if err != nil {
		s.Fatal(err)
	}
	s.T.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // only read over
	return conn
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// site is a whole Memoir over a Postgres of its own, with a line to it that can be lost.
type site struct {
	*memoirtest.Memoir
	T        *testing.T
	postgres proctest.Server
	direct   string // past the line
	line     *linetest.Line
	client   *http.Client
	url      string
	moment   atomic.Pointer[moment]
}

// moment is a request to Postgres at which something is to happen, once.
type moment struct {
	request string
	happen  func()
	once    sync.Once
}

const files = 40

// setup runs a Memoir over a few memories, with its Postgres in that directory.
func setup(t *testing.T, dir string) *site {
	t.Helper()
	own, err := local.Start(t.Context(), local.Options{DataDir: dir, Log: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, postgres: proctest.Server{DataDir: dir}, direct: own.URL()}
	t.Cleanup(func() {
		s.postgres.Thaw(t) // when the test has ended before
		if err := own.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := migrate.Run(t.Context(), own.URL()); err != nil {
		t.Fatal(err)
	}
	s.line = linetest.New(t, own.URL(), s.fate)
	texts := memoirtest.Files{}
	for i := range files {
		texts[path(i)] = text(i, "Written before.")
	}
	s.Memoir = memoirtest.StartAt(t, s.line.URL, texts)
	s.serve()
	return s
}

func path(i int) string { return fmt.Sprintf("ada/memory/note%d.md", i) }
func text(i int, body string) string {
	return memoirtest.Note(fmt.Sprintf("Note %d", i), memories.Feedback, body)
}

func (s *site) serve() {
	log := slog.New(slog.DiscardHandler)
	calls := api.New(s.Engine, masked.Store{Store: s.Store}, s.Recaller, api.Options{ClaudeMDLimit: memoirtest.ClaudeMDLimit, DatabaseTime: silence, Log: log})
	all := pages.New(s.Engine, masked.Store{Store: s.Store}, s.Recaller, pages.Options{
		Places: agents.Settings{AgentsDir: s.Dir}, ClaudeMDLimit: memoirtest.ClaudeMDLimit, DatabaseTime: silence, Log: log,
	})
	around, err := gate.New(gate.Options{Addr: "127.0.0.1:8080", Log: log})
	if err != nil {
		s.Fatal(err)
	}
	running := httptest.NewServer(around.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/readyz" {
			calls.ServeHTTP(w, r)
		} else {
			all.ServeHTTP(w, r)
		}
	})))
	s.T.Cleanup(func() {
		s.Engine.Hub().Close() // or open event streams would hold up the end
		running.Close()
	})
	s.url, s.client = running.URL, running.Client()
}

func (s *site) fate(request string) linetest.Fate {
	if m := s.moment.Load(); m != nil && strings.Contains(request, m.request) {
		m.once.Do(m.happen)
	}
	return linetest.Answered
}

// work is one job in the background, which has begun.
type work struct {
	open chan struct{} // it ends when this is closed
	runs atomic.Int32
}

// work starts background work, with a job that is in its middle.
func (s *site) work() *work {
	s.Helper()
	queue, err := jobs.New(s.Store, jobs.Options{FirstRetry: 10 * time.Millisecond, Poll: 100 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.Fatal(err)
	}
	w, begun := &work{open: make(chan struct{})}, make(chan struct{}, 9)
	kind := jobs.Register(queue, "wait", func(context.Context, jobs.Job, string) (jobs.Result, error) {
		w.runs.Add(1)
		begun <- struct{}{}
		<-w.open
		return jobs.Result{Message: "It was done."}, nil
	})
	queue.Start(s.Context(), s.Engine.Ready)
	s.T.Cleanup(queue.Close)
	agent, err := s.Store.Agent(s.Context(), "ada")
	if err != nil {
		s.Fatal(err)
	}
	if err := kind.Enqueue(s.Context(), agent, "", jobs.Once{}); err != nil {
		s.Fatal(err)
	}
	<-begun
	return w
}

// isDoneOnce checks that what was in its middle when Postgres went has come to its end, and was not
// begun anew.
func (s *site) isDoneOnce(w *work) {
	s.Helper()
	waittest.For(s, "the background work to be done", func() bool {
		return strings.Contains(s.call("GET", "/api/v1/agents/ada/jobs", "").body, `"state":"done"`)
	})
	if runs := w.runs.Load(); runs != 1 {
		s.Errorf("it was begun %d times", runs)
	}
}

// whenever calls happen when Memoir next makes the request, before Postgres gets it.
func (s *site) whenever(request string, happen func()) {
	s.moment.Store(&moment{request: request, happen: happen})
}

// changeFiles is an agent at work while Postgres is away.
func (s *site) changeFiles() {
	for i := range files {
		switch i % 4 {
		case 1:
			s.Write(path(i), text(i, "Written while Postgres was away."))
		case 2:
			s.Remove(path(i))
		}
		s.Write(path(files+i), text(files+i, "New while Postgres was away."))
	}
}

func (s *site) hasAllChanges() {
	s.Helper()
	for i := 1; i < 2*files; i++ {
		body, state := "Written before.", memories.Active
		switch {
		case i >= files:
			body = "New while Postgres was away."
		case i%4 == 1:
			body = "Written while Postgres was away."
		case i%4 == 2:
			state = memories.Deleted
		}
		waittest.For(s, fmt.Sprintf("Note %d to say %q", i, body), func() bool {
			m, found := s.find(fmt.Sprintf("Note %d", i))
			return found && m.State == state && m.Body == body
		})
	}
	waittest.For(s, "CLAUDE.md", func() bool {
		preview, err := s.Engine.Preview(s.Context(), "ada", "")
		return err == nil && string(preview.Text) == s.Read("ada/CLAUDE.md")
	})
}

// find returns a memory by its name, one in the trash too; not found also while Postgres is away.
func (s *site) find(name string) (memories.Memory, bool) {
	agent, err := s.Store.Agent(s.Context(), "ada")
	if err != nil {
		return memories.Memory{}, false
	}
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := s.Store.Memories(s.Context(), agent, memories.Filter{State: state, Name: name}, memories.PageRequest{Limit: 1})
		if err == nil && len(page.Memories) > 0 {
			return page.Memories[0], true
		}
	}
	return memories.Memory{}, false
}

// deletionIsWhole checks that what was deleted when Postgres went is deleted wholly, or not at all.
func (s *site) deletionIsWhole() {
	s.Helper()
	whole := func() bool {
		m, found := s.find("Note 0")
		deleted := m.State == memories.Deleted
		return found && deleted == (s.Read(path(0)) == "") && deleted != strings.Contains(s.Read("ada/CLAUDE.md"), "### Note 0\n")
	}
	waittest.For(s, "the deletion to be whole", whole)
	if _, err := s.Engine.ScanAll(s.Context()); err != nil || !whole() {
		s.Errorf("the deletion is not whole after a further scan (%v)", err)
	}
}

// saysSo checks that pages and calls say that Postgres is away, and when to come back.
func (s *site) saysSo() {
	s.Helper()
	note := "/api/v1/agents/ada/memories/00000000-0000-0000-0000-000000000001"
	calls := []<-chan reply{
		s.start("GET", "/api/v1/agents", ""), s.start("DELETE", note, ""), s.start("GET", "/api/v1/agents/ada/memories?q=tabs", ""),
		s.start("POST", "/api/v1/agents/ada/memories", `{"name":"Never saved","type":"user"}`), s.start("GET", "/readyz", ""),
	}
	var shown []<-chan reply
	for _, page := range []string{"/", "/agents/ada/memory", "/agents/ada/trash", "/sync"} {
		shown = append(shown, s.start("GET", page, ""))
	}
	for _, answered := range calls {
		r := <-answered
		var p struct{ Detail string }
		if err := json.Unmarshal([]byte(r.body), &p); !r.saysWhenToComeBack() || err != nil || p.Detail == "" || r.header.Get("Content-Type") != "application/problem+json" {
			s.Errorf("%s: status %d, Retry-After %q, %s", r.asked, r.status, r.header.Get("Retry-After"), r.body)
		}
	}
	for _, answered := range shown {
		r := <-answered
		if !r.saysWhenToComeBack() || !strings.Contains(r.body, "Database unavailable") || r.header.Get("Refresh") == "" {
			s.Errorf("%s: status %d, Refresh %q, %s", r.asked, r.status, r.header.Get("Refresh"), r.body)
		}
	}
}

// leavesNoConnectionBusy checks that all connections are idle, and that there are at most so many.
func (s *site) leavesNoConnectionBusy(most int) {
	s.Helper()
	conn := s.connect()
	waittest.For(s, fmt.Sprint("the connections to be idle, and no more than ", most), func() bool {
		busy, open, err := connectionsOf(s.Context(), conn)
		return err == nil && busy == 0 && open <= most
	})
}

// connectionsOf counts the connections that are open to Memoir, and those of them that are at work.
func connectionsOf(ctx context.Context, conn *pgx.Conn) (busy, open int, err error) {
	err = conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE state <> 'idle'), count(*) FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND application_name LIKE 'memoir%'`).Scan(&busy, &open)
	return busy, open, err
}

// reply is the answer to a call.
type reply struct {
	asked  string
	status int
	header http.Header
	body   string
}

func (r reply) saysWhenToComeBack() bool {
	return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != ""
}

func (r reply) expect(t *testing.T, status int) {
	t.Helper()
	if r.status != status {
		t.Errorf("%s: status %d, want %d: %s", r.asked, r.status, status, r.body)
	}
}

func (s *site) call(method, path, body string) reply {
	s.Helper()
	return <-s.start(method, path, body)
}

// start makes a call that is answered later.
func (s *site) start(method, path, body string) <-chan reply {
	answered := make(chan reply, 1)
	go func() {
		r := reply{asked: method + " " + path}
		defer func() { answered <- r }()
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Patience())
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
		if err != nil {
			r.body = err.Error()
			return
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := s.client.Do(request)
		if err != nil {
			r.body = err.Error()
			return
		}
		defer response.Body.Close()
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			raw = []byte(err.Error())
		}
		r.status, r.header, r.body = response.StatusCode, response.Header, string(raw)
	}()
	return answered
}

// stream is an open event stream.
type stream struct {
	events atomic.Int64
	close  func()
}

func (s *site) listen() *stream {
	s.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/events", http.NoBody)
	if err != nil {
		s.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	listening := &stream{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		chunk := make([]byte, 4096)
		for {
			n, err := response.Body.Read(chunk)
			listening.events.Add(int64(strings.Count(string(chunk[:n]), "event: changed")))
			if err != nil {
				return
			}
		}
	}()
	listening.close = func() {
		cancel()
		<-ended
		response.Body.Close()
	}
	s.T.Cleanup(cancel)
	return listening
}

func (l *stream) told() int64 { return l.events.Load() }

// goroutines returns the number of goroutines that work for Memoir.
func goroutines() int {
	var all strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2) // to memory
	n := 0
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, "memoir/internal/") && !strings.Contains(stack, "linetest.") && !strings.Contains(stack, "outage_test.") {
			n++
		}
	}
	return n
}
