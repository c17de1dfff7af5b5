// Package agenttx gives one caller exclusive use of an agent: its rows, its directory, and its state
// in this process.
//
//	err := manager.Do(ctx, slug, func(tx *agenttx.Tx) error {
//		if err := tx.CanWrite(ctx); err != nil {
//			return err
//		}
//		return tx.Overwrite(path, data, files.Options{New: true})
//	})
//
// It is a lock around several SQL transactions, not one SQL transaction. All changes on disk go
// through Disk, so that tests can make each one fail. It decides nothing about memories.
package agenttx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// Tx is exclusive use of an agent: its rows and its directory.
type Tx struct {
	Agent    agents.Agent
	Actor    memories.Actor
	DB       *postgres.Writer
	Root     *os.Root
	Closed   error
	Disk     Disk
	State    *State
	Log      *slog.Logger
	guard    *files.Guard
	queue    *watch.Queue
	emit     func(...events.Event)
	replaced *replacedFiles
}

// Rescan requests a scan of a path when the agent has been quiet.
func (tx *Tx) Rescan(path string) { tx.queue.Add(tx.Agent.Slug, path) }

// RescanLater requests a scan of a path after a wait. It does not delay other scans of the agent.
func (tx *Tx) RescanLater(path string, wait time.Duration) {
	tx.queue.AddLater(tx.Agent.Slug, path, wait)
}

// RescanNoSooner is like RescanLater, but waits at least as long as Rescan.
func (tx *Tx) RescanNoSooner(path string, wait time.Duration) {
	tx.queue.AddNoSooner(tx.Agent.Slug, path, wait)
}

// RescanAllAfter requests a scan of the whole directory after a wait. A further call within the wait
// starts it again.
func (tx *Tx) RescanAllAfter(wait time.Duration) {
	if tx.State.fullScanTimer != nil {
		tx.State.fullScanTimer.Reset(wait)
		return
	}
	queue, slug := tx.queue, tx.Agent.Slug
	tx.State.fullScanTimer = time.AfterFunc(wait, func() { queue.Add(slug, ".") })
}

// errNoDirectory means that a write needs a directory that is not there.
func (tx *Tx) MissingError() error {
	if tx.Closed != nil {
		return tx.ClosedError()
	}
	return &memories.ConflictError{Reason: "The agent's directory " + tx.Agent.Dir + " is not there, so nothing can be written. Nothing was changed."}
}

// errClosed means that nothing can be done with a directory that is there and cannot be opened.
func (tx *Tx) ClosedError() error {
	var joined *joinedError
	if errors.As(tx.Closed, &joined) {
		return &memories.ConflictError{Reason: joined.Error() + " Nothing was changed. Do it there."}
	}
	if files.IsOwnership(tx.Closed) {
		return OwnershipConflict(tx.Closed)
	}
	if files.IsExhausted(tx.Closed) {
		return &memories.ConflictError{Reason: fmt.Sprintf("The agent's directory %s cannot be opened (%v). Nothing was changed. Raise the number of files that may be open (ulimit -n), and try again.", tx.Agent.Dir, FSCause(tx.Closed))}
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The agent's directory %s cannot be opened (%v). Nothing was changed. Let the user that Memoir runs as read it, and try again.", tx.Agent.Dir, FSCause(tx.Closed))}
}

// canWrite says with a conflict why nothing may be written into the agent's directory: it, or the primary directory that
// is known to hold memories, is not there. Writing would make a new one, in which everything else looks removed.
func (tx *Tx) CanWrite(ctx context.Context) error {
	if tx.Root == nil {
		return tx.MissingError()
	}
	if err := tx.CheckWrite(); err != nil {
		return err
	}
	if info, err := files.Stat(tx.Root, tx.Agent.PrimaryDir()); err == nil && info.IsDir() {
		return nil
	}
	known, err := tx.DB.CountPrimary(ctx)
	if err != nil || known == 0 {
		return err
	}
	return &memories.ConflictError{Reason: "The agent's memory directory " + filepath.Join(tx.Agent.Dir, tx.Agent.PrimaryDir()) + " is not there, and it had memories in it. Nothing was changed. Put it back, or remove those memories, and try again."}
}

// joinedError means that the agent's directory is a link to another agent's.
type joinedError struct{ slug, to string }

func (e *joinedError) Error() string {
	return fmt.Sprintf("%s is joined to %s: its directory is a link to that one's.", e.slug, e.to)
}

// Emit sends an event about the agent to the subscribers on every server. name is that of the
// memory, if the event is about one.
func (tx *Tx) Emit(kind events.Kind, name string) {
	tx.emit(events.Event{Agent: tx.Agent.Slug, Kind: kind, Name: name})
}

// EmitAll sends events to the subscribers on every server.
func (tx *Tx) EmitAll(all []events.Event) { tx.emit(all...) }

// retry is how long a failed look waits before it is tried again.
const Retry = time.Second

// agentsAtOnce is how many agents are worked on at the same time by one who works on many: two also where there is one processor,
// because much of the work is waiting for the disk and Postgres.
func AgentsAtOnce() int { return max(2, runtime.GOMAXPROCS(0)) }
