package sync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/lockfile"
	"memoir/internal/memories"
)

// What consolidating an agent's memories needs of its directory besides saving and deleting: the lock that keeps Claude Code's own
// consolidation out of the way, and how many conversations there were. Which steps are taken is package consolidation's.

// ConsolidationLock is how the lock in an agent's primary directory stands.
type ConsolidationLock struct {
	Last time.Time // when its memories were last consolidated, or began to be; zero: never
	Held bool
	PID  int // of who holds it, or held it last; 0: it does not say
	// Problem says why it cannot be taken; empty: nothing stands in the way.
	Problem string
}

// Conversations are those of an agent that went on after a certain time.
type Conversations struct {
	Known bool // false: where this agent's conversations are, nobody knows
	Count int
}

// ConsolidationLock returns how the lock stands. It fails with memories.ErrNotFound.
func (e *Engine) ConsolidationLock(ctx context.Context, slug string) (ConsolidationLock, error) {
	return callConsolidationLock.read(ctx, e, slug, consolidationLockOp{})
}

// ConversationsSince counts the agent's conversations in which something happened after a time, up to most of them; the one that is
// going on is left out. It fails with memories.ErrNotFound.
func (e *Engine) ConversationsSince(ctx context.Context, slug string, since time.Time, most int) (Conversations, error) {
	return callConversations.read(ctx, e, slug, conversationsOp{since, most})
}

// BeginConsolidation takes the lock. It fails with memories.ErrNotFound, and with *memories.ConflictError where another process has
// it, or where it cannot be written.
func (e *Engine) BeginConsolidation(ctx context.Context, slug string) (lockfile.Taken, error) {
	return callConsolidate.do(ctx, e, slug, consolidateOp{Verb: consolidationBegin})
}

// CheckConsolidation fails with *memories.ConflictError where somebody else has taken the lock since.
func (e *Engine) CheckConsolidation(ctx context.Context, slug string, taken lockfile.Taken) error {
	_, err := callConsolidate.do(ctx, e, slug, consolidateOp{Verb: consolidationCheck, Taken: taken})
	return err
}

// EndConsolidation lets go of the lock and leaves the time of the consolidation; one that came to nothing leaves the lock as it was.
func (e *Engine) EndConsolidation(ctx context.Context, slug string, taken lockfile.Taken, failed bool) error {
	op := consolidateOp{Verb: consolidationEnd, Taken: taken}
	if failed {
		op.Verb = consolidationFail
	}
	_, err := callConsolidate.do(ctx, e, slug, op)
	return err
}

func (e *Engine) consolidationLockLocal(ctx context.Context, slug string, _ consolidationLockOp) (ConsolidationLock, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return ConsolidationLock{}, err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return ConsolidationLock{Problem: "The agent's directory cannot be opened: " + fsCause(err).Error() + "."}, nil
	}
	defer root.Close() //nolint:errcheck // only read through
	dir := onDisk(row).PrimaryDir()
	state, err := lockfile.Read(root, dir, time.Now())
	if err != nil {
		return ConsolidationLock{Problem: lockProblem(dir, err)}, nil
	}
	held := state.Held && state.PID != os.Getpid() // what this server does, the database says
	return ConsolidationLock{Last: state.Last, Held: held, PID: state.PID}, nil
}

// lockProblem says why a lock can be neither read nor taken.
func lockProblem(dir string, err error) string {
	return fmt.Sprintf("%s cannot be used as a lock (%v). Remove it, or make room for it.", path.Join(dir, lockfile.Name), fsCause(err))
}

func (e *Engine) conversationsLocal(ctx context.Context, slug string, op conversationsOp) (Conversations, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Conversations{}, err
	}
	count, known := agents.ConversationsSince(onDisk(row), op.Since, time.Now(), op.Max)
	return Conversations{Known: known, Count: count}, nil
}

// What happens to the lock during a consolidation.
const (
	consolidationBegin = "begin"
	consolidationCheck = "check"
	consolidationEnd   = "end"
	consolidationFail  = "fail"
)

func (e *Engine) consolidateLocal(ctx context.Context, slug string, op consolidateOp) (lockfile.Taken, error) {
	taken := op.Taken
	err := e.withAgent(ctx, slug, func(h *hold) error {
		if op.Verb == consolidationBegin {
			var err error
			taken, err = h.beginConsolidation(ctx)
			return err
		}
		if h.root == nil && op.Verb == consolidationCheck {
			return h.errNoDirectory()
		}
		if h.root == nil {
			return nil // the lock is missing with the directory
		}
		dir := h.onDisk.PrimaryDir()
		switch op.Verb {
		case consolidationCheck:
			err := taken.Holds(h.root, dir)
			if errors.Is(err, lockfile.ErrLost) {
				return lostLock()
			}
			return err
		case consolidationEnd:
			return taken.Done(h.disk, h.root, dir, time.Now())
		case consolidationFail:
			return taken.PutBack(h.disk, h.root, dir)
		}
		return fmt.Errorf("unknown lock operation %q", op.Verb)
	})
	return taken, err
}

func (h *hold) beginConsolidation(ctx context.Context) (lockfile.Taken, error) {
	if err := h.canWrite(ctx); err != nil {
		return lockfile.Taken{}, err
	}
	taken, err := lockfile.Take(h.disk, h.root, h.onDisk.PrimaryDir(), time.Now())
	var held *lockfile.HeldError
	switch {
	case errors.As(err, &held):
		return taken, &memories.ConflictError{Reason: fmt.Sprintf("Another program, Claude Code or a second Memoir (process %d), has been consolidating these memories since %s. Nothing was changed. Try again when it is done.", held.PID, held.Since.Format(time.TimeOnly))}
	case errors.Is(err, lockfile.ErrLost):
		return taken, lostLock()
	case errors.Is(err, memories.ErrUnavailable):
		return taken, err
	case err != nil:
		return taken, &memories.ConflictError{Reason: "Nothing was changed. " + lockProblem(h.onDisk.PrimaryDir(), err)}
	}
	return taken, nil
}

func lostLock() error {
	return &memories.ConflictError{Reason: "Another program has begun to consolidate these memories. What was done before that is done, and nothing else was changed. Try again when it is done."}
}
