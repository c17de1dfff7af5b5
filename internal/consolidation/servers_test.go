package consolidation_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/consolidation"
	"memoir/internal/lockfile"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/postgres"
	"memoir/internal/postgres/masked"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// another returns one more server with the same directory and database, connected by url.
func (b *bench) another(url string, options consolidation.Options) *bench {
	b.Helper()
	store, err := postgres.Open(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.Close)
	engine, err := engine.Start(store, engine.Options{
		Places: agents.Settings{AgentsDir: b.Dir}, Debounce: 20 * time.Millisecond, Rescan: time.Hour, ClaudeMDLimit: memoirtest.ClaudeMDLimit,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { engine.Close() }) //nolint:errcheck // its database may be unavailable
	other := &bench{Memoir: &memoirtest.Memoir{TB: b.TB, Dir: b.Dir, URL: url, Store: store, Engine: engine}}
	waittest.For(other, "the first scan", engine.Ready)
	other.consolidate(options)
	return other
}

// serve starts the server's API and returns a function that calls it.
func (b *bench) serve() func(method, path string, body any) (status int, answer string) {
	b.Helper()
	running := httptest.NewServer(api.New(b.Engine, masked.Store{Store: b.Store}, b.Recaller, api.Options{
		Consolidator: b.Consolidator, DatabaseTime: time.Second, Log: slog.New(slog.DiscardHandler),
	}))
	b.Cleanup(running.Close)
	return func(method, path string, body any) (int, string) {
		b.Helper()
		raw, err := json.Marshal(body)
		if err != nil {
			b.Fatal(err)
		}
		request, err := http.NewRequestWithContext(b.Context(), method, running.URL+path, bytes.NewReader(raw))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			b.Fatal(err)
		}
		return response.StatusCode, string(answer)
	}
}

func TestServers_SharePlan(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	fakeModel := modeltest.New(t, modeltest.When(open, proposals()))
	options := consolidation.Options{Model: fakeModel.Model(), ModelName: "a model"}
	a := setup(t, untidy(), options)
	b := a.another(a.URL, options)
	before := a.disk()
	var everybody errgroup.Group
	for i := range 8 {
		server := []*bench{a, b}[i%2]
		everybody.Go(func() error {
			_, err := server.Request(t.Context(), "ada", memories.ByScript, 0)
			return err
		})
	}
	waittest.For(a, "the question", func() bool { return len(fakeModel.Requests()) > 0 })
	if err := everybody.Wait(); err != nil {
		t.Fatal(err)
	}
	close(open)
	waittest.For(a, "background work to end", func() bool { over, err := a.Overview(t.Context(), "ada"); return err == nil && !over.Planning })
	if n := len(fakeModel.Requests()); n != 1 {
		t.Errorf("eight who ask at once are given %d plans", n)
	}
	over, err := b.Overview(t.Context(), "ada")
	if err != nil || over.Plan == nil {
		t.Fatal("the other server has no plan", err)
	}
	merge := step(t, *over.Plan, "Keep “Releases”")
	for _, server := range []*bench{b, a} { // a second time changes nothing
		if r := server.apply("ada", merge)[0]; r.Error != nil {
			t.Error(r.Error)
		}
	}
	if a.Read("ada/memory/release-days.md") != "" || !strings.Contains(a.Read("ada/memory/dates.md"), "[[Releases]]") || strings.Contains(a.Read("ada/CLAUDE.md"), "### Release days\n") {
		t.Error("it is half applied")
	}
	if _, err := a.Undo(t.Context(), "ada", merge.ID.String(), memories.ByBrowser); err != nil {
		t.Error(err)
	}
	for name, was := range before {
		if now := a.Read(name); body(now) != body(was) {
			t.Errorf("%s says %q in place of %q", name, now, was)
		}
	}
	if gaps := pgtest.Journal(t, a.URL)(); len(gaps) > 0 {
		t.Error(gaps)
	}
}

func TestApply_LostDatabase(t *testing.T) {
	// If Postgres fails during a step, the step must end either completely applied or not at all.
	t.Parallel()
	for _, moment := range []string{"ChooseConsolidationSteps", "SaveConsolidationStep", "MarkDeleted"} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			var armed atomic.Bool
			var line *linetest.Line
			line = linetest.New(t, pgtest.New(t), func(request string) linetest.Fate {
				if strings.Contains(request, moment) && armed.CompareAndSwap(true, false) {
					line.Cut()
				}
				return linetest.Answered
			})
			b := &bench{Memoir: memoirtest.StartAt(t, line.URL, untidy())}
			b.consolidate(consolidation.Options{})
			call := b.serve()
			lock := "ada/memory/" + lockfile.Name
			last := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
			b.Write(lock, "")
			if err := os.Chtimes(b.Path(lock), last, last); err != nil {
				t.Fatal(err)
			}
			merge := step(t, b.plan("ada"), "Keep “Releases”")
			armed.Store(true)
			const apply = "/api/v1/agents/ada/consolidation/apply"
			steps := map[string]any{"steps": []string{merge.ID.String()}}
			if status, answer := call("POST", apply, steps); status != http.StatusServiceUnavailable || !strings.Contains(answer, "Connection lost during the change") {
				t.Errorf("without Postgres: %d %s", status, answer)
			}
			if armed.Load() {
				t.Fatal("nobody asked for it")
			}
			if status, answer := call("POST", apply, steps); status != http.StatusServiceUnavailable {
				t.Errorf("without Postgres: %d %s", status, answer)
			}
			line.Resume()
			waittest.For(b, "the step to be applied", func() bool {
				status, answer := call("POST", apply, steps)
				return status == http.StatusOK && strings.Contains(answer, `"status":200`)
			})
			if b.Read("ada/memory/release-days.md") != "" || b.Memory("ada", "Release days").State != memories.Deleted ||
				!strings.Contains(b.Read("ada/memory/dates.md"), "see [[Releases]] and") || strings.Contains(b.Read("ada/CLAUDE.md"), "### Release days\n") {
				t.Error("it is half applied")
			}
			activity, err := b.Store.Activity(t.Context(), records.ActivityList{AgentID: b.Memory("ada", "Dates").AgentID, Name: "Dates", Limit: 10})
			if err != nil || len(activity.Activity) != 2 {
				t.Errorf("%d things happened to what links it (%v)", len(activity.Activity), err)
			}
			if over, err := b.Overview(t.Context(), "ada"); err != nil || over.Busy {
				t.Errorf("it goes on: %+v (%v)", over.Applied, err)
			}
		})
	}
}

func TestReleaseLock_Retries(t *testing.T) {
	// A plan that fails because Postgres is unavailable must release the lock, even after a long
	// time, so that Claude Code can consolidate.
	t.Parallel()
	var armed atomic.Bool
	var line *linetest.Line
	line = linetest.New(t, pgtest.New(t), func(request string) linetest.Fate {
		if strings.Contains(request, "InsertConsolidation") && armed.CompareAndSwap(true, false) {
			line.Cut()
		}
		return linetest.Answered
	})
	b := &bench{Memoir: memoirtest.StartAt(t, line.URL, untidy())}
	b.consolidate(consolidation.Options{Every: 20 * time.Millisecond})
	lock := "ada/memory/" + lockfile.Name
	last := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	b.Write(lock, "")
	if err := os.Chtimes(b.Path(lock), last, last); err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	if _, err := b.MakePlan(t.Context(), "ada", memories.ByScript); err == nil {
		t.Error("a plan without a database")
	}
	line.Resume()
	waittest.For(b, "the lock to be as it was", func() bool {
		info, err := os.Stat(b.Path(lock))
		return err == nil && info.Size() == 0 && info.ModTime().Equal(last)
	})
}
