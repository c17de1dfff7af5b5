package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(asServer); url != "" {
		hold(url)
	}
	pgtest.Main(m)
}

// place is a database with an agent, to which servers can connect.
type place struct {
	*testing.T
	url   string
	store *postgres.Store
	agent records.Agent
}

func setup(t *testing.T) *place {
	t.Helper()
	p := &place{T: t, url: pgtest.New(t)}
	p.store = p.connect()
	id, err := p.store.SaveAgent(t.Context(), records.Agent{Slug: "ada", Layout: "hive", Dir: "/ada", DisplayName: "ada", Present: true})
	if err != nil {
		t.Fatal(err)
	}
	p.agent = records.Agent{ID: id, Slug: "ada"}
	return p
}

func (p *place) connect() *postgres.Store {
	p.Helper()
	store, err := postgres.Open(p.Context(), p.url)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(store.Close)
	return store
}

// work is the work of a server.
type work = func(context.Context, jobs.Job, int) (jobs.Result, error)

// quick returns options with short delays.
func quick() jobs.Options {
	return jobs.Options{FirstRetry: time.Millisecond, MaxAttempts: 4, Poll: 50 * time.Millisecond, ServerTimeout: time.Second, StopTimeout: time.Millisecond}
}

// server starts one more server for the only kind of job.
func (p *place) server(do work) (*jobs.Queue, jobs.Kind[int]) {
	p.Helper()
	queue, err := jobs.New(p.connect(), quick())
	if err != nil {
		p.Fatal(err)
	}
	kind := jobs.Register(queue, "count", do)
	queue.Start(p.Context(), func() bool { return true })
	p.Cleanup(queue.Close)
	return queue, kind
}

func (p *place) add(kind jobs.Kind[int], n int, once jobs.Once) {
	p.Helper()
	if err := kind.Enqueue(p.Context(), p.agent, n, once); err != nil {
		p.Fatal(err)
	}
}

func (p *place) list() []jobs.Entry {
	p.Helper()
	all, err := jobs.List(context.Background(), p.store, p.agent.ID)
	if err != nil {
		p.Fatal(err)
	}
	return all
}

// becomes waits until the only job is in a state, and returns it.
func (p *place) becomes(state jobs.State) jobs.Entry {
	p.Helper()
	var all []jobs.Entry
	waittest.For(p, "the job to be "+string(state), func() bool {
		all = p.list()
		return len(all) == 1 && all[0].State == state
	})
	return all[0]
}

func TestQueue_TwoServers(t *testing.T) {
	t.Parallel()
	p := setup(t)
	const all = 200
	var runs [all]atomic.Int32
	var done atomic.Int32
	do := func(_ context.Context, _ jobs.Job, n int) (jobs.Result, error) {
		runs[n].Add(1)
		done.Add(1)
		return jobs.Result{Model: "m", InputTokens: 2, OutputTokens: 1}, nil
	}
	_, one := p.server(do)
	_, other := p.server(do)
	for n := range all {
		p.add([]jobs.Kind[int]{one, other}[n%2], n, jobs.Once{Key: fmt.Sprint(n)})
	}
	waittest.For(p, "all jobs", func() bool { return done.Load() >= all })
	var cost jobs.Cost
	waittest.For(p, "all to be recorded", func() bool {
		var err error
		if cost, err = jobs.CostOf(t.Context(), p.store, p.agent.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		return cost.Input >= 2*all
	})
	if cost.Input != 2*all || cost.Output != all || cost.Days != 30 || len(cost.ByDay) == 0 {
		t.Errorf("they cost %+v", cost)
	}
	for n := range runs {
		if runs[n].Load() != 1 {
			t.Errorf("job %d ran %d times", n, runs[n].Load())
		}
	}
}

// asServer is the variable that makes this program a server that takes one job and never ends it.
const asServer = "MEMOIR_JOBS_TEST_DATABASE"

func hold(url string) {
	store, err := postgres.Open(context.Background(), url)
	if err == nil {
		var queue *jobs.Queue
		if queue, err = jobs.New(store, quick()); err == nil {
			jobs.Register(queue, "count", func(context.Context, jobs.Job, int) (jobs.Result, error) {
				fmt.Println("at it")
				select {}
			})
			queue.Start(context.Background(), func() bool { return true })
			_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestQueue_KilledServer(t *testing.T) {
	t.Parallel()
	p := setup(t)
	queue, err := jobs.New(p.store, quick())
	if err != nil {
		t.Fatal(err)
	}
	p.add(jobs.Register(queue, "count", work(nil)), 1, jobs.Once{})
	first := exec.Command(os.Args[0])
	first.Env = append(os.Environ(), asServer+"="+p.url)
	if _, err = first.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	said, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(said, make([]byte, len("at it"))); err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int32
	p.server(func(_ context.Context, job jobs.Job, _ int) (jobs.Result, error) {
		runs.Add(1)
		return jobs.Result{Message: fmt.Sprintf("attempt %d", job.Attempt)}, nil
	})
	p.becomes(jobs.Running)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if done := p.becomes(jobs.Done); done.Message != "attempt 2" || done.Problem != "" || runs.Load() != 1 {
		t.Errorf("it was done %d times, in the end %+v", runs.Load(), done)
	}
}

func TestClose_RunningJob(t *testing.T) {
	t.Parallel()
	p := setup(t)
	begun := make(chan struct{})
	first, kind := p.server(func(ctx context.Context, _ jobs.Job, _ int) (jobs.Result, error) {
		close(begun)
		<-ctx.Done()
		return jobs.Result{}, errors.New("the program was killed")
	})
	p.add(kind, 1, jobs.Once{})
	<-begun
	first.Close()
	p.server(func(_ context.Context, job jobs.Job, _ int) (jobs.Result, error) {
		return jobs.Result{Message: fmt.Sprintf("attempt %d", job.Attempt)}, nil
	})
	if done := p.becomes(jobs.Done); done.Message != "attempt 1" {
		t.Errorf("it counts as a failure: %+v", done)
	}
}

// answer is an error with a method Again.
type answer struct{ again bool }

func (a answer) Error() string                { return "a secret of the server" }
func (a answer) Plain() string                { return "it answered with status 400" }
func (a answer) Again() (bool, time.Duration) { return a.again, time.Millisecond }

// misconfigured is an error that a person has to fix.
type misconfigured struct{ answer }

func (misconfigured) Misconfigured() bool { return true }

func TestJob_WaitsForConfiguration(t *testing.T) {
	t.Parallel()
	p := setup(t)
	first, kind := p.server(func(context.Context, jobs.Job, int) (jobs.Result, error) {
		return jobs.Result{}, fmt.Errorf("asking: %w", misconfigured{})
	})
	p.add(kind, 1, jobs.Once{})
	waittest.For(p, "the job to fail", func() bool {
		all := p.list()
		return len(all) == 1 && all[0].State == jobs.Waiting && all[0].Problem == "it answered with status 400"
	})
	first.Close()
	p.server(func(_ context.Context, job jobs.Job, _ int) (jobs.Result, error) {
		return jobs.Result{Message: "It is read."}, nil
	})
	if done := p.becomes(jobs.Done); done.Message != "It is read." || done.Problem != "" {
		t.Errorf("after a restart it is %+v", done)
	}
}

func TestQueue_Retries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err      error
		failures int
		state    jobs.State
		attempts int
		problem  string
	}{
		"twice":                  {errors.New("no luck"), 2, jobs.Done, 3, ""},
		"always":                 {errors.New("no luck\nin detail"), 99, jobs.Failed, 4, "no luck"},
		"for good":               {fmt.Errorf("reading: %w", jobs.Permanent(errors.New("it is no transcript"))), 99, jobs.Cancelled, 1, "reading: it is no transcript"},
		"a model refuses":        {fmt.Errorf("asking: %w", answer{false}), 99, jobs.Cancelled, 1, "it answered with status 400"},
		"a model is busy":        {fmt.Errorf("asking: %w", answer{true}), 1, jobs.Done, 2, ""},
		"too early":              {jobs.Later(time.Now()), 5, jobs.Done, 1, ""},
		"an unexpected failure":  {nil, 1, jobs.Done, 2, ""},
		"an unexpected end":      {nil, 99, jobs.Failed, 4, "it failed unexpectedly; see the log"},
		"the database goes away": {fmt.Errorf("saving: %w", memories.ErrUnavailable), 5, jobs.Done, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setup(t)
			var runs atomic.Int32
			_, kind := p.server(func(context.Context, jobs.Job, int) (jobs.Result, error) {
				cost := jobs.Result{Message: "looked", Model: "m", InputTokens: 10, OutputTokens: 1}
				if int(runs.Add(1)) > c.failures {
					return cost, nil
				}
				if c.err == nil {
					panic("no such thing")
				}
				return cost, c.err
			})
			p.add(kind, 1, jobs.Once{})
			entry := p.becomes(c.state)
			if entry.Attempts != c.attempts || entry.Problem != c.problem || entry.FinishedAt.IsZero() {
				t.Errorf("it ended as %+v", entry)
			}
			if c.err != nil && entry.InputTokens != 10*int(runs.Load()) {
				t.Errorf("%d runs cost %d tokens", runs.Load(), entry.InputTokens)
			}
		})
	}
}

func TestEnqueue_OneJobPerKey(t *testing.T) {
	t.Parallel()
	p := setup(t)
	begun, open := make(chan int, 9), make(chan struct{})
	_, kind := p.server(func(_ context.Context, _ jobs.Job, n int) (jobs.Result, error) {
		begun <- n
		<-open
		return jobs.Result{}, nil
	})
	p.add(kind, 1, jobs.Once{Key: "same"})
	<-begun
	p.add(kind, 2, jobs.Once{Key: "same"})
	p.becomes(jobs.Running)
	close(open)
	p.becomes(jobs.Done)
	p.add(kind, 3, jobs.Once{Key: "same"})
	waittest.For(p, "a second job", func() bool { return len(p.list()) == 2 && p.list()[0].State == jobs.Done })
	if n := <-begun; n != 3 || len(begun) > 0 {
		t.Errorf("the second job was %d, and %d more", n, len(begun))
	}
}

func TestEnqueue_PostponedJob(t *testing.T) {
	t.Parallel()
	p := setup(t)
	queue, err := jobs.New(p.store, quick())
	if err != nil {
		t.Fatal(err)
	}
	kind := jobs.Register(queue, "count", func(_ context.Context, _ jobs.Job, n int) (jobs.Result, error) {
		return jobs.Result{Message: fmt.Sprint(n)}, nil
	})
	far := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	p.add(kind, 1, jobs.Once{Key: "session", RunAt: far, Postpone: true})
	p.add(kind, 2, jobs.Once{Key: "session", RunAt: far.Add(time.Minute), Postpone: true})
	p.add(kind, 3, jobs.Once{Key: "session", RunAt: far}) // it exists
	if waits := p.becomes(jobs.Waiting); !waits.RunAt.Equal(far.Add(time.Minute)) {
		t.Errorf("it waits until %v, and not until %v", waits.RunAt, far.Add(time.Minute))
	}
	p.add(kind, 4, jobs.Once{Key: "other"})
	queue.Start(t.Context(), func() bool { return true })
	t.Cleanup(queue.Close)
	waittest.For(p, "the other one", func() bool { return len(p.list()) == 2 && p.list()[1].State == jobs.Done })
	if waits := p.list()[0]; waits.State != jobs.Waiting || waits.Key != "session" {
		t.Errorf("the first is %+v", waits)
	}
}

func TestEnqueue_WhileJobRuns(t *testing.T) {
	// A postponement must never be lost, whether it comes before, during or at the end of a run.
	t.Parallel()
	p := setup(t)
	var (
		mu     sync.Mutex
		latest int
		busy   int
		runs   atomic.Int32
	)
	do := func(_ context.Context, _ jobs.Job, n int) (jobs.Result, error) {
		mu.Lock()
		if busy++; busy > 1 {
			t.Error("two are at it")
		}
		mu.Unlock()
		if runs.Add(1)%3 == 0 {
			time.Sleep(time.Millisecond) // some end before the postponement and some after
		}
		mu.Lock()
		defer mu.Unlock()
		busy--
		latest = max(latest, n)
		if runs.Load()%5 == 0 {
			// it ends only the earlier request
			return jobs.Result{}, jobs.Permanent(errors.New("not this one"))
		}
		return jobs.Result{}, nil
	}
	_, kind := p.server(do)
	p.server(do)
	for n := range 200 {
		p.add(kind, n, jobs.Once{Key: "session", Postpone: true})
		if n%20 == 19 {
			waittest.For(p, fmt.Sprintf("%d to be done", n), func() bool {
				mu.Lock()
				defer mu.Unlock()
				return latest == n
			})
		}
	}
}

func TestQueue_ForgottenAgent(t *testing.T) {
	t.Parallel()
	p := setup(t)
	begun, open, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	_, kind := p.server(func(_ context.Context, job jobs.Job, _ int) (jobs.Result, error) {
		if job.Slug != "ada" {
			close(done)
			return jobs.Result{}, nil
		}
		close(begun)
		<-open
		return jobs.Result{}, nil
	})
	p.add(kind, 1, jobs.Once{})
	p.add(kind, 2, jobs.Once{Key: "later", RunAt: time.Now().Add(time.Hour)})
	<-begun
	if err := p.store.DeleteAgent(t.Context(), p.agent.ID); err != nil {
		t.Fatal(err)
	}
	close(open)
	if left := p.list(); len(left) > 0 {
		t.Errorf("it has %+v", left)
	}
	if err := kind.Enqueue(t.Context(), p.agent, 3, jobs.Once{}); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("a job of nobody was taken: %v", err)
	}
	id, err := p.store.SaveAgent(t.Context(), records.Agent{Slug: "bob", Layout: "hive", Dir: "/bob", DisplayName: "bob", Present: true})
	if err != nil {
		t.Fatal(err)
	}
	p.agent = records.Agent{ID: id, Slug: "bob"}
	p.add(kind, 4, jobs.Once{})
	<-done
	p.becomes(jobs.Done)
}
