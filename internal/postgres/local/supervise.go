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

// supervise restarts the server whenever it ends, until Stop. Then it shuts the server down,
// immediately once s.hurry ends. If the cluster is missing or is no cluster, it sets s.err and ends
// too. At the end it unlocks the data directory and closes s.done.
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

// restart waits for backoff, starts the server, and repeats both after an error. Each time it
// doubles backoff, up to maxBackoff. It returns nil and nil after Stop, and ErrForeign if the
// cluster is missing or is no cluster.
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
