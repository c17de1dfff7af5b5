// Package background runs the work of a feature that follows the changes of agents. It waits for
// events, for the next round and for requests, lets changes settle, and then does what is due. The
// feature knows what is due.
package background

import (
	"context"
	"log/slog"
	"sync"
	"time"

	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
)

// retry is the delay after a failure, such as one of the database (arbitrary).
const retry = 10 * time.Second

// Work is the work of a feature. All fields are required.
type Work struct {
	Engine *engine.Engine
	// Settle is how long changes are collected before Do.
	Settle time.Duration
	// Every is the time between two rounds.
	Every time.Duration
	// Changed notes that an agent may have changed; an empty slug means all agents.
	Changed func(slug string)
	// Round notes that a round begins.
	Round func()
	// Do does what is due. If it fails, it is called again after a while, and must still know what is
	// due. It must end with ctx.
	Do  func(ctx context.Context) error
	Log *slog.Logger
	// Failed is the log message for an error of Do.
	Failed string
}

// Worker does a Work. Its methods are safe for concurrent use.
type Worker struct {
	work    Work
	wake    chan struct{}
	stop    context.CancelFunc
	running sync.WaitGroup
}

// New returns a Worker that does nothing yet.
func New(w Work) *Worker { return &Worker{work: w, wake: make(chan struct{}, 1), stop: func() {}} }

// Start starts the work. Do is first called when the engine is ready, and never twice at a time. The
// caller must call Close before closing the engine.
func (w *Worker) Start() {
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	// Subscribing before Start returns prevents missing a change.
	subscription := w.work.Engine.Hub().Subscribe()
	w.Wake()
	w.running.Go(func() { w.listen(ctx, subscription) })
	w.running.Go(func() { w.run(ctx) })
}

// Close ends the work and waits for its end.
func (w *Worker) Close() {
	w.stop()
	w.running.Wait()
}

// Wake makes the worker call Do soon. It does not wait.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// listen reports changes and rounds, and wakes the worker. It ignores the results of background
// work: events.Published and events.Reviewed. It ends with ctx or when the hub closes.
func (w *Worker) listen(ctx context.Context, subscription *events.Subscription) {
	defer subscription.Close()
	rounds := time.NewTicker(w.work.Every)
	defer rounds.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-subscription.Events:
			if !open {
				return
			}
			if event.Kind == events.Published || event.Kind == events.Reviewed {
				continue
			}
			w.work.Changed(event.Agent)
		case <-rounds.C:
			w.work.Round()
		}
		w.Wake()
	}
}

// run calls Do whenever the worker is woken, until ctx ends.
func (w *Worker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		Pause(ctx, w.work.Settle)
		if !w.work.Engine.Ready() {
			w.Wake()
			continue
		}
		if err := w.work.Do(ctx); err != nil && ctx.Err() == nil {
			w.work.Log.Warn(w.work.Failed, "error", err)
			Pause(ctx, retry)
			w.Wake()
		}
	}
}

// Pause waits for a duration, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
