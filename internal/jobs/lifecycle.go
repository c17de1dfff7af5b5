package jobs

import (
	"context"
	"maps"
	"slices"
	"time"
)

// serverStopped is the problem of a job whose server has stopped responding.
const serverStopped = "its server stopped; it starts again"

// Start starts to run jobs in the background, as soon as ready returns true and Postgres is
// available. It returns at once. When ctx ends, the queue stops as Close describes. If no kind is
// registered, it does nothing. Call it once.
func (q *Queue) Start(ctx context.Context, ready func() bool) {
	if q.kinds == 0 {
		return // no jobs can exist
	}
	ctx, q.stop = context.WithCancel(ctx)
	q.running.Go(func() { q.run(ctx, ready) })
}

// Close starts no further jobs, waits for running ones up to Options.StopTimeout, and cancels the
// rest, which another server or the next start repeats. It returns when all have ended, but at
// most cancelTimeout after the cancellation. Before Start it does nothing.
func (q *Queue) Close() {
	q.stop()
	q.running.Wait()
}

// run waits until ready returns true and Postgres is available, and runs jobs until ctx ends. Then
// it waits up to Options.StopTimeout for the running jobs and cancels the rest. If all have ended,
// it deletes this server's record in the database.
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
	q.heartbeat(ctx)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.options.StopTimeout+cancelTimeout)
	defer cancel()
	if err := q.client.Stop(leaving); err != nil {
		q.options.Log.Warn("background jobs cancelled at shutdown, will restart")
		return
	}
	_ = q.store.DeleteJobServer(leaving, q.id) // otherwise other servers notice the silence
}

// heartbeat records in the database that this server is alive and which jobs it runs, every third
// of Options.ServerTimeout until ctx ends. It also makes the jobs of silent servers available
// again. It logs once if the database fails, and tries again.
func (q *Queue) heartbeat(ctx context.Context) {
	isAway := false
	for {
		limitedCtx, cancel := context.WithTimeout(ctx, q.options.ServerTimeout/3)
		freed, err := q.store.SaveJobServer(limitedCtx, q.id, q.options.ServerTimeout, q.tracked(), serverStopped)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !isAway:
			isAway = true
			q.options.Log.Warn("background jobs wait for the database", "error", err)
		case err == nil && isAway:
			isAway = false
			q.options.Log.Info("background jobs resumed")
		}
		if freed > 0 {
			q.options.Log.Info("background jobs taken over from a stopped server", "jobs", freed)
		}
		if !pause(ctx, q.options.ServerTimeout/3) {
			return
		}
	}
}

// Alone reports whether no other server that shares the database has sent a heartbeat within
// Options.ServerTimeout.
func (q *Queue) Alone(ctx context.Context) (bool, error) {
	other, err := q.store.HasOtherJobServer(ctx, q.id, q.options.ServerTimeout)
	return !other, err
}

// pause waits for the duration d and returns true. If ctx ends before, it returns false at once.
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

// track records that this server runs a job. The returned function records that the job has ended.
func (q *Queue) track(id int64) (done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working[id] = time.Time{}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.working[id] = time.Now()
	}
}

// tracked returns the ids of the running jobs, and of jobs that ended within Options.ServerTimeout,
// because River records the end with a delay. It forgets jobs that ended before.
func (q *Queue) tracked() []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.working, func(_ int64, record time.Time) bool {
		return !record.IsZero() && time.Since(record) > q.options.ServerTimeout
	})
	return slices.AppendSeq([]int64{}, maps.Keys(q.working))
}

// setRetryDelay stores the minimum delay before the next attempt of a failed job.
func (q *Queue) setRetryDelay(id int64, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.after[id] = wait
}

// takeRetryDelay returns the delay that setRetryDelay has stored for a job, or 0, and deletes it.
func (q *Queue) takeRetryDelay(id int64) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait := q.after[id]
	delete(q.after, id)
	return wait
}
