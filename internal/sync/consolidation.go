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
	"memoir/internal/postgres"
)

// What consolidating an agent's memories needs of its directory besides saving and deleting: the lock that keeps Claude Code's own
// consolidation out of the way, and how many conversations there were. Which steps are taken is package consolidation's.

// ConsolidationLock is how the lock in an agent's durable directory stands.
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
	return callReadConsolidationLock.readWhereItIs(ctx, e, slug, nothing{})
}

// ConversationsSince counts the agent's conversations in which something happened after a time, up to most of them; the one that is
// going on is left out. It fails with memories.ErrNotFound.
func (e *Engine) ConversationsSince(ctx context.Context, slug string, since time.Time, most int) (Conversations, error) {
	return callConversationsSince.readWhereItIs(ctx, e, slug, countingConversations{since, most})
}

// BeginConsolidation takes the lock. It fails with memories.ErrNotFound, and with *memories.ConflictError where another process has
// it, or where it cannot be written.
func (e *Engine) BeginConsolidation(ctx context.Context, slug string) (lockfile.Taken, error) {
	return callBeginConsolidation.carryOut(ctx, e, slug, nothing{})
}

// StillConsolidating fails with *memories.ConflictError where somebody else has taken the lock since.
func (e *Engine) StillConsolidating(ctx context.Context, slug string, taken lockfile.Taken) error {
	_, err := callStillConsolidating.carryOut(ctx, e, slug, taken)
	return err
}

// EndConsolidation lets go of the lock and leaves the time of the consolidation; one that came to nothing leaves the lock as it was.
func (e *Engine) EndConsolidation(ctx context.Context, slug string, taken lockfile.Taken, cameToNothing bool) error {
	_, err := callEndConsolidation.carryOut(ctx, e, slug, endingConsolidation{taken, cameToNothing})
	return err
}

// What the calls take beside the agent.
type (
	countingConversations struct {
		Since time.Time
		Most  int
	}
	endingConsolidation struct {
		Taken         lockfile.Taken
		CameToNothing bool
	}
)

func (e *Engine) readConsolidationLockHere(ctx context.Context, slug string, _ nothing) (ConsolidationLock, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return ConsolidationLock{}, err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return ConsolidationLock{Problem: "The agent's directory cannot be opened: " + plain(err).Error() + "."}, nil
	}
	defer root.Close() //nolint:errcheck // only read through
	dir := onDisk(row).DurableDir()
	state, err := lockfile.Read(root, dir, time.Now())
	if err != nil {
		return ConsolidationLock{Problem: lockProblem(dir, err)}, nil
	}
	held := state.Held && state.PID != os.Getpid() // what this server does, the database says
	return ConsolidationLock{Last: state.Last, Held: held, PID: state.PID}, nil
}

// lockProblem says why a lock can be neither read nor taken.
func lockProblem(dir string, err error) string {
	return fmt.Sprintf("%s cannot be used as a lock (%v). Remove it, or make room for it.", path.Join(dir, lockfile.Name), plain(err))
}

func (e *Engine) conversationsSinceHere(ctx context.Context, slug string, in countingConversations) (Conversations, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Conversations{}, err
	}
	count, known := agents.ConversationsSince(onDisk(row), in.Since, time.Now(), in.Most)
	return Conversations{Known: known, Count: count}, nil
}

func (e *Engine) beginConsolidationHere(ctx context.Context, slug string, _ nothing) (lockfile.Taken, error) {
	var taken lockfile.Taken
	err := e.withAgent(ctx, slug, func(h *hold) error {
		if err := h.canWrite(ctx); err != nil {
			return err
		}
		var err error
		taken, err = lockfile.Take(h.disk, h.root, h.onDisk.DurableDir(), time.Now())
		var held *lockfile.HeldError
		switch {
		case errors.As(err, &held):
			return &memories.ConflictError{Reason: fmt.Sprintf("Another program, Claude Code or a second Memoir (process %d), has been consolidating these memories since %s. Nothing was changed. Try again when it is done.", held.PID, held.Since.Format(time.TimeOnly))}
		case errors.Is(err, lockfile.ErrLost):
			return lostLock()
		case errors.Is(err, postgres.ErrUnavailable):
			return err
		case err != nil:
			return &memories.ConflictError{Reason: "Nothing was changed. " + lockProblem(h.onDisk.DurableDir(), err)}
		}
		return nil
	})
	return taken, err
}

func lostLock() error {
	return &memories.ConflictError{Reason: "Another program has begun to consolidate these memories. What was done before that is done, and nothing else was changed. Try again when it is done."}
}

func (e *Engine) stillConsolidatingHere(ctx context.Context, slug string, taken lockfile.Taken) (nothing, error) {
	return nothing{}, e.withAgent(ctx, slug, func(h *hold) error {
		if h.root == nil {
			return h.errNoDirectory()
		}
		err := taken.Holds(h.root, h.onDisk.DurableDir())
		if errors.Is(err, lockfile.ErrLost) {
			return lostLock()
		}
		return err
	})
}

func (e *Engine) endConsolidationHere(ctx context.Context, slug string, in endingConsolidation) (nothing, error) {
	return nothing{}, e.withAgent(ctx, slug, func(h *hold) error {
		if h.root == nil {
			return nil // it has gone with the directory
		}
		if in.CameToNothing {
			return in.Taken.PutBack(h.disk, h.root, h.onDisk.DurableDir())
		}
		return in.Taken.Done(h.disk, h.root, h.onDisk.DurableDir(), time.Now())
	})
}
