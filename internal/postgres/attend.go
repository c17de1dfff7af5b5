package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/memories"
)

// recently is how long Postgres is taken to be there once a change has come to its end: to ask takes some 0.1 ms, and a deletion 3 to 4.
const recently = 100 * time.Millisecond

// Attend makes a change that is not given up once it has begun, unless the store closes, and waits for its end, also when ctx ends
// meanwhile. silence is how long Postgres may say nothing.
//
// It fails with ErrUnavailable when Postgres does not answer before the change, which has then not begun; with ErrInterrupted
// when that happens later; else as change does. Where the last change has ended well just before this one, Postgres is not asked. A Postgres that is frozen answers nothing at all, neither yes nor no. Then
// nobody waits any longer, and change goes on by itself when Postgres does, or ends with its connection.
func (s *Store) Attend(ctx context.Context, silence time.Duration, change func(context.Context) error) error {
	if time.Since(time.Unix(0, s.heard.Load())) > recently {
		if err := s.answers(ctx, silence); err != nil {
			return err
		}
	}
	ctx, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(s.ending, giveUp)()
	ended := begun(func() error {
		err := change(ctx)
		if err == nil {
			s.heard.Store(time.Now().UnixNano())
		}
		return err
	})
	for {
		select {
		case e := <-ended:
			return Interrupted(e.result())
		case <-time.After(silence):
		}
		if err := s.answers(ctx, silence); err != nil {
			select {
			case e := <-ended:
				return Interrupted(e.result())
			default:
				return fmt.Errorf("%w: %w", memories.ErrInterrupted, err)
			}
		}
	}
}

// begun has something done, and tells how that has ended.
func begun(do func() error) <-chan end {
	ended := make(chan end, 1)
	go func() {
		e := end{panicked: true}
		defer func() {
			if e.panicked {
				e.cause = recover()
			}
			ended <- e
		}()
		e.err = do()
		e.panicked = false
	}()
	return ended
}

// end is how something has ended that was begun.
type end struct {
	err      error
	panicked bool
	cause    any
}

// result returns its error. What it panicked with goes on where it is waited for, as if it had been called there.
func (e end) result() error {
	if e.panicked {
		panic(e.cause)
	}
	return e.err
}

// Interrupted returns what the failure of a change that had begun means: that the database was away says nothing of whether the
// change was made.
func Interrupted(err error) error {
	if errors.Is(err, memories.ErrUnavailable) && !errors.Is(err, memories.ErrInterrupted) {
		return fmt.Errorf("%w: %w", memories.ErrInterrupted, err)
	}
	return err
}

// answers fails with ErrUnavailable when Postgres says nothing for that long.
func (s *Store) answers(ctx context.Context, silence time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	err := s.Ping(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: it has said nothing for %v: %w", memories.ErrUnavailable, silence, err)
	}
	return err
}
