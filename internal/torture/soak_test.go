package torture

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"testing"
	"time"

	"memoir/internal/longrun"
)

// A longer soak: go test -run NothingGrows -timeout 2h ./internal/torture -soak=1h
var soakTime = flag.Duration("soak", 3*time.Second, "how long the soak lasts")

// The load of a soak, per second: a hundred changes, spread over the agents at random.
const (
	soakAgents       = 10
	filesASecond     = 70
	callsASecond     = 28
	handEditsASecond = 2
)

// judged is the minimum length of a soak whose figures are judged. Within minutes, the warm-up
// looks like a leak.
const judged = 20 * time.Minute

func TestSoak_NoGrowth(t *testing.T) {
	t.Parallel()
	p := newPlace(t, seed(), 1)
	p.flags = []string{"--database-url="} // all other settings have their defaults
	for i := range soakAgents {
		newLedger(p, nameOf('a', i))
	}
	t.Logf("again with -soak=%v -seed=%d", *soakTime, p.seed)
	p.startAll()
	start := time.Now()
	// the start has failures of its own
	sizeBefore, failuresBefore := p.databaseSize(), p.failures.Load()

	load := &load{place: p}
	stop := p.work(append(load.everybody(), p.readers()...)...)
	defer stop()
	series := p.sample(start.Add(*soakTime))
	stop()

	p.check(p.databaseURL())
	p.fewLost()
	report := longrun.Soaked{
		Occasion: longrun.Now(p.seed), Lasted: time.Since(start).Round(time.Second), Changes: load.done.Load(), Late: load.missed.Load(),
		Answers: p.answers.Load(), Failures: p.failures.Load() - failuresBefore, Grown: p.databaseSize() - sizeBefore, Figures: series.judge(),
	}
	if report.Failures > 0 {
		t.Errorf("%d answers were in the 500s, the last: %v\n%s", report.Failures, p.lastFailure.Load(), p.log())
	}
	for _, f := range report.Figures {
		t.Log(f)
		if !f.Flat && *soakTime >= judged {
			t.Errorf("%s is not flat", f.Name)
		}
	}
	p.servers[0].terminate()
	if longrun.Recording() && !t.Failed() {
		if err := longrun.Keep(report); err != nil {
			t.Error(err)
		}
	}
	result := "everything held"
	if *soakTime >= judged {
		result += ", every figure flat"
	}
	longrun.Passed(t, "soak", fmt.Sprintf("%v, %s changes, %s answers", report.Lasted, longrun.Count(report.Changes), longrun.Count(report.Answers)), result)
}

// readers returns workers that read pages and the API, as browsers and scripts do.
func (p *place) readers() []func(context.Context) {
	every := func(pause time.Duration, paths ...string) func(context.Context) {
		return func(ctx context.Context) {
			for tick := time.Tick(pause); ctx.Err() == nil; <-tick {
				for _, path := range paths {
					p.servers[0].call("GET", path, nil, nil) //nolint:errcheck // failures are counted
				}
			}
		}
	}
	slug := p.ledgers[0].slug
	return []func(context.Context){
		every(250*time.Millisecond, "/api/v1/agents/"+slug+"/memories", "/api/v1/search?q=from", "/api/v1/sync"),
		every(time.Second, "/agents/"+slug+"/memory", "/agents/"+slug+"/trash", "/agents/"+slug+"/activity", "/"),
		func(ctx context.Context) { p.listen(ctx, 0) },
		func(ctx context.Context) { p.listen(ctx, 20*time.Second) },
	}
}

// listen follows the event stream and reconnects when it ends. It pauses after each event.
func (p *place) listen(ctx context.Context, pause time.Duration) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.servers[0].address()+"/api/v1/events", nil)
		if err != nil {
			p.Error(err)
			return
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue // the test has ended, or the next attempt follows
		}
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if pause > 0 {
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		}
		response.Body.Close() //nolint:errcheck // only read
	}
}
