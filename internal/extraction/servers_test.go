package extraction_test

import (
	"slices"
	"testing"
	"time"

	"memoir/internal/extraction"
	"memoir/internal/jobs"
	"memoir/internal/model/modeltest"
	"memoir/internal/waittest"
)

func TestWork_OtherServer(t *testing.T) {
	// A server that cannot see a transcript, or has no model, leaves the conversation to another
	// one. Without another server, the job ends.
	t.Parallel()
	open := make(chan struct{})
	b := setup(t, extraction.Propose, modeltest.When(open, found()), found(rule("Use tabs", "always use tabs")))
	sees := serveAt(b, b.claude, b.model.Model(), 10*time.Millisecond, 1)
	b.says("busy", said("1", "user", "Remember: what is this?"))
	sees.stops("stop", "busy")
	waittest.For(b, "the only worker to be busy", func() bool { return len(b.model.Requests()) == 1 })
	blind, dumb := serveAt(b, t.TempDir(), b.model.Model(), 10*time.Millisecond, 1), serve(b, nil, 10*time.Millisecond)
	b.says("s1", said("2", "user", "Remember: always use tabs"))
	sees.stops("stop", "s1")
	job := func() jobs.Entry {
		all, err := jobs.List(t.Context(), b.Store, b.agent().ID)
		i := slices.IndexFunc(all, func(e jobs.Entry) bool { return e.Key == "s1" })
		if err != nil || i < 0 {
			return jobs.Entry{}
		}
		return all[i]
	}
	waittest.For(b, "another server to look at it", func() bool { return job().Message != "" })
	if e := job(); e.State != jobs.Waiting && e.State != jobs.Running || e.Problem != "" {
		t.Errorf("a server that does not see it leaves it as %+v", e)
	}
	close(open)
	waittest.For(b, "the proposal", func() bool { return sees.waiting().Total == 1 })
	sees.queue.Close()
	dumb.queue.Close()
	b.says("s2", said("3", "user", "Remember: always use tabs"))
	// The server that can see it queues it and stops.
	sees.stops("stop", "s2")
	waittest.For(b, "the job to end", func() bool {
		all, err := jobs.List(t.Context(), b.Store, b.agent().ID)
		return err == nil && slices.ContainsFunc(all, func(e jobs.Entry) bool { return e.Key == "s2" && e.State == jobs.Cancelled })
	})
	blind.queue.Close()
}
