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

// ConsolidationLock is the state of the lock in an agent's primary directory. It excludes Claude
// Code's own consolidation and other Memoirs.
type ConsolidationLock struct {
	Last time.Time // time of the last consolidation, or start of the present one; zero if never
	Held bool      // another process has the lock
	PID  int       // process that has the lock; 0 if unknown
	// Problem is the reason if the lock cannot be read. It is empty otherwise.
	Problem string
}

// ConsolidationLockOp is the argument of Directory.ConsolidationLock.
type ConsolidationLockOp struct{}

// ConsolidationLock returns the state of the lock in the agent's primary directory. Held is false
// if this process has the lock. If the lock or the agent's directory cannot be read, the error is
// nil and Problem has the reason. It returns memories.ErrNotFound for an unknown agent.
func (d *Directory) ConsolidationLock(ctx context.Context, slug string, _ ConsolidationLockOp) (ConsolidationLock, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return ConsolidationLock{}, err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return ConsolidationLock{Problem: "Agent directory cannot be opened: " + agenttx.FSCause(err).Error() + "."}, nil
	}
	defer root.Close() //nolint:errcheck // only read through
	dir := agenttx.AgentOf(row).PrimaryDir()
	state, err := lockfile.Read(root, dir, time.Now())
	if err != nil {
		return ConsolidationLock{Problem: lockProblem(dir, err)}, nil
	}
	held := state.Held && state.PID != os.Getpid() // the database records the work of this server
	return ConsolidationLock{Last: state.Last, Held: held, PID: state.PID}, nil
}

// lockProblem returns the text for users about a lock in dir that cannot be read or taken.
func lockProblem(dir string, err error) string {
	return fmt.Sprintf("%s cannot be used as a lock (%v). Remove it or free disk space.", path.Join(dir, lockfile.Name), agenttx.FSCause(err))
}

// Conversations is a count of an agent's conversations.
type Conversations struct {
	Known bool // the agent's conversations can be counted
	Count int
}

// ConversationsOp configures Directory.Conversations.
type ConversationsOp struct {
	Since time.Time // count conversations that changed after this time
	Max   int       `json:"Most"` // stop counting here
}

// Conversations counts the agent's conversations that changed after op.Since, up to op.Max. It does
// not count the newest conversation of a project of Claude Code if it is in progress. If the
// agent's layout has no conversations to count, Known is false and the error is nil. It returns
// memories.ErrNotFound for an unknown agent.
func (d *Directory) Conversations(ctx context.Context, slug string, op ConversationsOp) (Conversations, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return Conversations{}, err
	}
	count, known := agents.ConversationsSince(agenttx.AgentOf(row), op.Since, time.Now(), op.Max)
	return Conversations{Known: known, Count: count}, nil
}

// The verbs of ConsolidateOp.
const (
	ConsolidationBegin = "begin" // take the lock
	ConsolidationCheck = "check" // check that no other process has taken it
	ConsolidationEnd   = "end"   // release it with the present time
	ConsolidationFail  = "fail"  // release it with the time that it had before
)

// ConsolidateOp configures Consolidate. Taken is the result of ConsolidationBegin, for the other
// verbs.
type ConsolidateOp struct {
	Verb  string
	Taken lockfile.Taken
}

// Consolidate takes, checks or releases the agent's consolidation lock, as op.Verb states. It
// returns the lock taken, or op.Taken. Taking and checking fail with *memories.ConflictError if
// another process has the lock, or the lock or its directory cannot be used. Releasing does nothing
// and returns nil if another process has the lock, or the directory is missing. It returns
// memories.ErrNotFound for an unknown agent.
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
			return nil // without a directory there is no lock
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
		return taken, &memories.ConflictError{Reason: fmt.Sprintf("Process %d (Claude Code or another Memoir) has been consolidating these memories since %s. Nothing was changed. Try again when it is done.", held.PID, held.Since.Format(time.TimeOnly))}
	case errors.Is(err, lockfile.ErrLost):
		return taken, lostLock()
	case errors.Is(err, memories.ErrUnavailable):
		return taken, err
	case err != nil:
		return taken, &memories.ConflictError{Reason: "Nothing was changed. " + lockProblem(tx.Agent.PrimaryDir(), err)}
	}
	return taken, nil
}

// lostLock returns the *memories.ConflictError for a lock that another process has taken since.
func lostLock() error {
	return &memories.ConflictError{Reason: "Another program consolidates these memories now. Earlier changes stay; nothing else was changed. Try again when it is done."}
}
