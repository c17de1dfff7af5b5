// Package agenttx gives one caller exclusive use of an agent: its rows, its directory, and its
// state in this process.
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
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/postgres"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// Tx is exclusive use of an agent. It is valid until the function that Manager.Do calls returns.
// Only one goroutine at a time may use DB.
type Tx struct {
	Agent agents.Agent
	Actor memories.Actor   // who asked for the operation, for the journal
	DB    *postgres.Writer // the agent's rows
	// Rows reads the agent's rows.
	Rows *postgres.AgentRows
	// Root is the agent's directory. It is nil if the directory is missing or Closed is set.
	Root *os.Root
	// Closed is why an existing directory is not open: it cannot be opened, or it is a link to
	// another agent's. It is nil if the directory is open or missing.
	Closed   error
	Disk     Disk
	State    *State
	Log      *slog.Logger
	guard    *files.Guard
	queue    *watch.Queue
	emit     func(...events.Event)
	replaced *replacedFiles
}

// Rescan requests a scan of a path, relative to the agent's directory, by Queue.Add: it runs when
// the agent has been quiet. It does not wait.
func (tx *Tx) Rescan(path string) { tx.queue.Add(tx.Agent.Slug, path) }

// RescanLater requests a scan of a path after a wait, and does not wait itself. A further call with
// the same path replaces the time. It does not delay other scans of the agent.
func (tx *Tx) RescanLater(path string, wait time.Duration) {
	tx.queue.AddLater(tx.Agent.Slug, path, wait)
}

// RescanNoSooner requests a scan of a path after the wait, or after the queue's quiet time if that
// is longer. It does not delay other scans of the agent.
func (tx *Tx) RescanNoSooner(path string, wait time.Duration) {
	tx.queue.AddNoSooner(tx.Agent.Slug, path, wait)
}

// RescanAllAfter requests a scan of the whole directory after a wait, and does not wait itself. A
// further call replaces the time of a request that is still waiting.
func (tx *Tx) RescanAllAfter(wait time.Duration) {
	if tx.State.fullScanTimer != nil {
		tx.State.fullScanTimer.Reset(wait)
		return
	}
	queue, slug := tx.queue, tx.Agent.Slug
	tx.State.fullScanTimer = time.AfterFunc(wait, func() { queue.Add(slug, ".") })
}

// CanWrite returns nil if Memoir may write into the agent's directory, else a
// *memories.ConflictError, or an error of the database. It refuses if the directory is not open, if
// CheckWrite fails, or if the primary directory is missing and memories are known in it. Writing
// would create a new primary directory, and those memories would seem removed.
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
	known, err := tx.Rows.CountPrimary(ctx)
	if err != nil || known == 0 {
		return err
	}
	return &memories.ConflictError{Reason: "Memory directory " + filepath.Join(tx.Agent.Dir, tx.Agent.PrimaryDir()) + " not found. Nothing was changed. Restore it, or delete its memories, and try again."}
}

// MakeDirectory creates the memory directory of an agent of Claude Code that has saved nothing yet,
// and sets Root. It does nothing for other agents, for one that discovery does not find, and if
// memories are known: then the directory has vanished with them. It returns a
// *memories.ConflictError if the directory cannot be created, or an error of the database.
func (tx *Tx) MakeDirectory(ctx context.Context) error {
	if tx.Root != nil || tx.Closed != nil || !tx.Agent.Rules().MayBeExpected || !tx.State.Present {
		return nil
	}
	known, err := tx.Rows.CountPrimary(ctx)
	if err != nil || known > 0 {
		return err
	}
	root, err := tx.guard.MakeRoot(tx.Agent.Dir)
	switch {
	case files.IsOwnership(err):
		return OwnershipConflict(err)
	case err != nil:
		return &memories.ConflictError{Reason: "Directory " + tx.Agent.Dir + " cannot be created: " + FSCause(err).Error() + ". Nothing was saved. Check its permissions and try again."}
	}
	tx.Root = root
	return nil
}

// Parse returns the memory file at relPath with the bytes raw, in the format of the agent's layout.
func (tx *Tx) Parse(raw []byte, relPath string) frontmatter.File { return tx.Agent.Parse(raw, relPath) }

// Emit sends an event about the agent to the subscribers on every server. name is the memory's
// name, or "" if the event is not about one memory.
func (tx *Tx) Emit(kind events.Kind, name string) {
	tx.emit(events.Event{Agent: tx.Agent.Slug, Kind: kind, Name: name})
}

// Retry is the time between a failed scan and the next attempt. Arbitrary.
const Retry = time.Second

// AgentsAtOnce returns how many agents one task may work on at the same time: the number of
// processors that Go uses, and at least two. Much of the work is waiting for the disk and Postgres.
func AgentsAtOnce() int { return max(2, runtime.GOMAXPROCS(0)) }

type actorKey struct{}

// As returns a copy of ctx with the actor to whom the journal attributes changes. Callers set it
// once for each request. It does not apply to changes that a scan finds on disk.
func As(ctx context.Context, actor memories.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorOf returns the actor set by As, or memories.ByMemoir if none is set.
func ActorOf(ctx context.Context) memories.Actor {
	if actor, ok := ctx.Value(actorKey{}).(memories.Actor); ok {
		return actor
	}
	return memories.ByMemoir
}

// Under reports whether the path p is dir or below it. Every path is under ".".
func Under(p, dir string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") }

// IsIn reports whether the path p is one of paths or below one of them.
func IsIn(paths []string, p string) bool {
	return slices.ContainsFunc(paths, func(dir string) bool { return Under(p, dir) })
}

// IsFullScan reports whether the paths of a scan are the agent's whole directory: only ".".
func IsFullScan(paths []string) bool { return slices.Equal(paths, []string{"."}) }

// Stem returns the file's base name without its extension. It is the name of a memory whose file
// states none.
func Stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }
