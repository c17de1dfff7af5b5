package agentdir

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
	"memoir/internal/sync/agenttx"
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

func (d *Directory) ConsolidationLock(ctx context.Context, slug string, _ ConsolidationLockOp) (ConsolidationLock, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return ConsolidationLock{}, err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return ConsolidationLock{Problem: "The agent's directory cannot be opened: " + agenttx.FSCause(err).Error() + "."}, nil
	}
	defer root.Close() //nolint:errcheck // only read through
	dir := agenttx.OnDisk(row).PrimaryDir()
	state, err := lockfile.Read(root, dir, time.Now())
	if err != nil {
		return ConsolidationLock{Problem: lockProblem(dir, err)}, nil
	}
	held := state.Held && state.PID != os.Getpid() // what this server does, the database says
	return ConsolidationLock{Last: state.Last, Held: held, PID: state.PID}, nil
}

// lockProblem says why a lock can be neither read nor taken.
func lockProblem(dir string, err error) string {
	return fmt.Sprintf("%s cannot be used as a lock (%v). Remove it, or make room for it.", path.Join(dir, lockfile.Name), agenttx.FSCause(err))
}

func (d *Directory) Conversations(ctx context.Context, slug string, op ConversationsOp) (Conversations, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return Conversations{}, err
	}
	count, known := agents.ConversationsSince(agenttx.OnDisk(row), op.Since, time.Now(), op.Max)
	return Conversations{Known: known, Count: count}, nil
}

// What happens to the lock during a consolidation.
const (
	ConsolidationBegin = "begin"
	ConsolidationCheck = "check"
	ConsolidationEnd   = "end"
	ConsolidationFail  = "fail"
)

func (d *Directory) Consolidate(ctx context.Context, slug string, op ConsolidateOp) (lockfile.Taken, error) {
	taken := op.Taken
	err := d.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if op.Verb == ConsolidationBegin {
			var err error
			taken, err = beginConsolidation(ctx, tx)
			return err
		}
		if tx.Root == nil && op.Verb == ConsolidationCheck {
			return tx.MissingError()
		}
		if tx.Root == nil {
			return nil // the lock is missing with the directory
		}
		dir := tx.Agent.PrimaryDir()
		switch op.Verb {
		case ConsolidationCheck:
			err := taken.Holds(tx.Root, dir)
			if errors.Is(err, lockfile.ErrLost) {
				return lostLock()
			}
			return err
		case ConsolidationEnd:
			return taken.Done(tx.Disk, tx.Root, dir, time.Now())
		case ConsolidationFail:
			return taken.PutBack(tx.Disk, tx.Root, dir)
		}
		return fmt.Errorf("unknown lock operation %q", op.Verb)
	})
	return taken, err
}

func beginConsolidation(ctx context.Context, tx *agenttx.Tx) (lockfile.Taken, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return lockfile.Taken{}, err
	}
	taken, err := lockfile.Take(tx.Disk, tx.Root, tx.Agent.PrimaryDir(), time.Now())
	var held *lockfile.HeldError
	switch {
	case errors.As(err, &held):
		return taken, &memories.ConflictError{Reason: fmt.Sprintf("Another program, Claude Code or a second Memoir (process %d), has been consolidating these memories since %s. Nothing was changed. Try again when it is done.", held.PID, held.Since.Format(time.TimeOnly))}
	case errors.Is(err, lockfile.ErrLost):
		return taken, lostLock()
	case errors.Is(err, memories.ErrUnavailable):
		return taken, err
	case err != nil:
		return taken, &memories.ConflictError{Reason: "Nothing was changed. " + lockProblem(tx.Agent.PrimaryDir(), err)}
	}
	return taken, nil
}

func lostLock() error {
	return &memories.ConflictError{Reason: "Another program has begun to consolidate these memories. What was done before that is done, and nothing else was changed. Try again when it is done."}
}

type ConsolidateOp struct {
	Verb  string
	Taken lockfile.Taken
}

type ConsolidationLockOp struct{}

type ConversationsOp struct {
	Since time.Time
	Max   int `json:"Most"`
}
