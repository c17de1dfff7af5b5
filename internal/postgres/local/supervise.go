package local

import (
	"context"
	"errors"
	"time"
)

// How long to wait before another attempt when restarting fails; an attempt doubles the wait.
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
)

// steady is how long a server must have lived for its death to count as the first one.
const steady = time.Minute

// supervise keeps the server running until Stop, then shuts it down and gives the data directory back.
func (s *Server) supervise(running *postmaster) {
	defer close(s.done)
	defer s.cluster.close()

	backoff := firstBackoff
	for {
		started := time.Now()
		select {
		case <-s.stopping:
			running.shutDown(s.hurry)
			return
		case <-running.exited:
		}
		if time.Since(started) > steady {
			backoff = firstBackoff
		}
		s.log.Error("the private Postgres died; restarting it", "pid", running.pid, "status", running.status)

		var err error
		running, err = s.restart(&backoff)
		if err != nil {
			s.err = err
			return
		}
		if running == nil {
			return
		}
		s.log.Info("the private Postgres is back", "pid", running.pid)
	}
}

// restart tries until the server runs again, and gives nil when Stop came first. It fails when no attempt can succeed
// any more.
func (s *Server) restart(backoff *time.Duration) (*postmaster, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-s.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		select {
		case <-s.stopping:
			return nil, nil
		case <-time.After(*backoff):
		}
		*backoff = min(2**backoff, lastBackoff)

		running, err := s.cluster.launch(ctx)
		switch {
		case err == nil:
			return running, nil
		case ctx.Err() != nil:
			return nil, nil
		case errors.Is(err, ErrForeign):
			s.log.Error("the private Postgres cannot be restarted", "err", err)
			return nil, err
		}
		s.log.Error("the private Postgres did not restart; trying again", "err", err, "in", *backoff)
	}
}
