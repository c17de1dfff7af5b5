package jobs

import (
	"context"
	"maps"
	"slices"
	"time"
)

// gone is what a job says that was taken from a server.
const gone = "the server that was at it has gone; it is begun anew"

// Start begins to work once ready is true, and as soon as Postgres is there. The end of ctx begins what Close does.
func (q *Queue) Start(ctx context.Context, ready func() bool) {
	if q.kinds == 0 {
		return // there is nothing that it could do
	}
	ctx, q.stop = context.WithCancel(ctx)
	q.running.Go(func() { q.run(ctx, ready) })
}

// Close has jobs come to their end for a moment and cancels the others, which are done by whichever server is next. It returns when all have
// ended, or shortly after they should have.
func (q *Queue) Close() {
	q.stop()
	q.running.Wait()
}

func (q *Queue) run(ctx context.Context, ready func() bool) {
	for !ready() {
		if !pause(ctx, 100*time.Millisecond) {
			return
		}
	}
	for q.store.WakeMisconfiguredJobs(ctx) != nil || q.client.Start(ctx) != nil {
		if !pause(ctx, restart) {
			return
		}
	}
	q.beat(ctx)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.options.Farewell+parting)
	defer cancel()
	if err := q.client.Stop(leaving); err != nil {
		q.options.Log.Warn("background work did not end in time; another server begins it anew, or this one at its next start")
		return
	}
	_ = q.store.DeleteJobServer(leaving, q.id) // who does not say so is found to be silent
}

// beat says again and again that this server lives, and takes over what others have left, until ctx ends.
func (q *Queue) beat(ctx context.Context) {
	away := false
	for {
		limited, cancel := context.WithTimeout(ctx, q.options.Silence/3)
		freed, err := q.store.SaveJobServer(limited, q.id, q.options.Silence, q.atWork(), gone)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !away:
			away = true
			q.options.Log.Warn("background work waits for the database", "error", err)
		case err == nil && away:
			away = false
			q.options.Log.Info("background work goes on")
		}
		if freed > 0 {
			q.options.Log.Info("background work is taken over from a server that has gone", "jobs", freed)
		}
		if !pause(ctx, q.options.Silence/3) {
			return
		}
	}
}

// Alone reports whether no other server works at the jobs.
func (q *Queue) Alone(ctx context.Context) (bool, error) {
	other, err := q.store.HasOtherJobServer(ctx, q.id, q.options.Silence)
	return !other, err
}

// pause reports whether ctx has not ended after that time.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// at notes that this server is at a job, until what it returns is called.
func (q *Queue) at(id int64) (done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working[id] = time.Time{}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.working[id] = time.Now()
	}
}

// atWork returns the jobs that this server is at, and those that have just ended: River takes a moment to say so.
func (q *Queue) atWork() []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.working, func(_ int64, ended time.Time) bool {
		return !ended.IsZero() && time.Since(ended) > q.options.Silence
	})
	return slices.AppendSeq([]int64{}, maps.Keys(q.working))
}

// mayTryAfter notes for how long a job that has just failed is to be left alone, and mayTry takes that.
func (q *Queue) mayTryAfter(id int64, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.after[id] = wait
}

func (q *Queue) mayTry(id int64) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait := q.after[id]
	delete(q.after, id)
	return wait
}
