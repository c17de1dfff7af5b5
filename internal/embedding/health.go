package embedding

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// maxFailures is the number of failures in a row after which no query is sent for pauseTime, so that
	// no prompt waits (arbitrary).
	maxFailures = 3
	pauseTime   = 5 * time.Minute
	// minTimeout is the time that a query had at least, if its timeout counts as a failure.
	minTimeout = 200 * time.Millisecond
)

// health remembers how requests to the endpoint ended. It is safe for concurrent use.
type health struct {
	mu         sync.Mutex
	failures   int // of queries, in a row
	until      time.Time
	problem    string
	problemAt  time.Time
	answeredAt time.Time
}

func (h *health) state() (problem string, problemAt, answeredAt, pausedUntil time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Now().Before(h.until) {
		pausedUntil = h.until
	}
	return h.problem, h.problemAt, h.answeredAt, pausedUntil
}

// pause returns how much longer no query is sent.
func (h *health) pause() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(time.Until(h.until), 0)
}

// succeeded records an answer, and ends a pause.
func (h *health) succeeded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.until, h.problem, h.answeredAt = 0, time.Time{}, "", time.Now()
}

// failed records an error of the endpoint.
func (h *health) failed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problem, h.problemAt = plain(err), time.Now()
}

// queryFailed records the error of a query that took a time, and begins a pause after maxFailures.
// After a pause, one failure begins another. A cancelled query does not count. A timeout counts
// only after minTimeout.
func (h *health) queryFailed(err error, took time.Duration) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && took < minTimeout {
		return
	}
	h.failed(err)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures++; h.failures >= maxFailures {
		h.failures, h.until = maxFailures-1, time.Now().Add(pauseTime)
	}
}

// plain returns a few words for users about err.
func plain(err error) string {
	var failed *Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.As(err, &failed):
		return failed.why
	}
	return "it could not be asked"
}
