package local

import (
	"errors"
	"time"
)

// Waits before a restart. Each failed attempt doubles the wait. The limits are arbitrary.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 10 * time.Second
)

// stableAfter is how long a server must run before its next end counts as the first one. It is
// arbitrary.
const stableAfter = time.Minute

// supervise restarts the server until Stop, then shuts it down and releases the data directory.
func (s *Server) supervise(running *postmaster) {
	defer close(s.done)
	defer s.cluster.close()

	backoff := minBackoff
	for {
		started := time.Now()
		select {
		case <-s.stopping.Done():
			running.shutDown(s.hurry.Done())
			return
		case <-running.exited:
		}
		if time.Since(started) > stableAfter {
			backoff = minBackoff
		}
		s.log.Error("private Postgres ended, restarting", "pid", running.pid, "status", running.status)

		var err error
		running, err = s.restart(&backoff)
		if err != nil {
			s.err = err
			return
		}
		if running == nil {
			return
		}
		s.log.Info("private Postgres restarted", "pid", running.pid)
	}
}

// restart tries to start the server until it runs. It returns nil after Stop, and an error if no
// attempt can succeed.
func (s *Server) restart(backoff *time.Duration) (*postmaster, error) {
	for {
		select {
		case <-s.stopping.Done():
			return nil, nil
		case <-time.After(*backoff):
		}
		*backoff = min(2**backoff, maxBackoff)

		running, err := s.cluster.launch(s.stopping)
		switch {
		case err == nil:
			return running, nil
		case s.stopping.Err() != nil:
			return nil, nil
		case errors.Is(err, ErrForeign):
			s.log.Error("private Postgres cannot be restarted", "err", err)
			return nil, err
		}
		s.log.Error("restart of private Postgres failed, will retry", "err", err, "in", *backoff)
	}
}
