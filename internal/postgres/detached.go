package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/memories"
)

// pingGrace is how long after a successful change RunDetached omits the ping. A ping takes 0.1 ms,
// a deletion 3 to 4 ms.
const pingGrace = 100 * time.Millisecond

// RunDetached calls change and waits for it, even if ctx is cancelled. Only closing the store
// cancels change. If Postgres does not respond for timeout, RunDetached returns while change
// continues; a later panic of change is lost. Errors: ErrUnavailable, or the error of ctx, if change
// did not start; ErrInterrupted if its outcome is unknown; else the error of change. An earlier
// panic of change continues in the caller.
func (s *Store) RunDetached(ctx context.Context, timeout time.Duration, change func(context.Context) error) error {
	if time.Since(time.Unix(0, s.lastSuccess.Load())) > pingGrace {
		if err := s.checkResponds(ctx, timeout); err != nil {
			return err
		}
	}
	ctx, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan detachedResult, 1)
	go func() {
		defer giveUp()
		defer context.AfterFunc(s.closing, giveUp)()
		var result detachedResult
		defer func() {
			result.panicked = recover()
			done <- result
		}()
		result.err = change(ctx)
		if result.err == nil {
			s.lastSuccess.Store(time.Now().UnixNano())
		}
	}()
	for {
		select {
		case result := <-done:
			return Interrupted(result.unwrap())
		case <-time.After(timeout):
		}
		if err := s.checkResponds(ctx, timeout); err != nil {
			select {
			case result := <-done:
				return Interrupted(result.unwrap())
			default:
				return fmt.Errorf("%w: %w", memories.ErrInterrupted, err)
			}
		}
	}
}

// detachedResult is the error that a change has returned, or its panic.
type detachedResult struct {
	err      error
	panicked any // the value of the panic; nil if there was none
}

// unwrap returns the error of the change, or nil. If the change has panicked, it panics with the
// same value.
func (r detachedResult) unwrap() error {
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.err
}

// Interrupted returns the error to report for the error of a change that had started. If err is
// memories.ErrUnavailable, the outcome is unknown, and the result has memories.ErrInterrupted
// added. It returns any other error, and nil, as it is.
func Interrupted(err error) error {
	if errors.Is(err, memories.ErrUnavailable) && !errors.Is(err, memories.ErrInterrupted) {
		return fmt.Errorf("%w: %w", memories.ErrInterrupted, err)
	}
	return err
}

// checkResponds pings Postgres. It fails with memories.ErrUnavailable if Postgres cannot be reached
// or does not respond within timeout. If ctx ends first, it fails with the error of ctx.
func (s *Store) checkResponds(ctx context.Context, timeout time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := s.Ping(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: it has said nothing for %v: %w", memories.ErrUnavailable, timeout, err)
	}
	return err
}
