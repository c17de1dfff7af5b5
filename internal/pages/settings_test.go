package pages_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const adaSettings = ada + "/settings"

// TestSettings_ShowsBackgroundJobs runs a job while a browser shows the tab.
func TestSettings_ShowsBackgroundJobs(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	s.get(t, adaSettings).expect(http.StatusOK, "Background work", "No jobs in 30 days.", "set ANTHROPIC_API_KEY")
	queue, err := jobs.New(s.Store, jobs.Options{FirstRetry: time.Millisecond, Poll: 50 * time.Millisecond, Changed: s.Engine.EmitScanned})
	if err != nil {
		t.Fatal(err)
	}
	kind := jobs.Register(queue, "extract", func(_ context.Context, job jobs.Job, _ string) (jobs.Result, error) {
		outcome := jobs.Result{Message: "1 memory <b>proposed</b>.", Model: "m", InputTokens: 450, OutputTokens: 15}
		if job.Attempt == 1 {
			return outcome, errors.New("no luck")
		}
		return outcome, nil
	})
	agent, err := s.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, startBrowser(t), s, ada+"/memory", person{})
	p.press("g")
	p.follow(stroke("s"))
	p.at(adaSettings)
	p.live()
	p.mark()
	if err := kind.Enqueue(t.Context(), agent, "", jobs.Once{Key: "0198-session"}); err != nil {
		t.Fatal(err)
	}
	p.shows("0198-session")
	p.shows("waiting")
	queue.Start(t.Context(), s.Engine.Ready)
	t.Cleanup(queue.Close)
	p.shows("1 memory <b>proposed</b>.")
	p.shows("900 in, 30 out")
	p.isMarked()
	p.fits()
	s.get(t, adaSettings).expect(http.StatusOK, "done", "900 in, 30 out")
	s.get(t, "/agents/nobody/settings").expect(http.StatusNotFound)
}
