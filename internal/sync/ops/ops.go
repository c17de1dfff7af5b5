// Package ops implements the operations that change memories: save, delete, restore, fix, verify,
// transfer and others. Each locks the agent with agenttx.Manager.Do. It writes files, scans them,
// and writes CLAUDE.md before it returns.
//
// The Engine calls an operation on the server with the agent's lease. The package does not know
// HTTP.
package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// Service runs the operations. All fields are required. Its methods are safe for concurrent use.
type Service struct {
	Store     *postgres.Store
	Log       *slog.Logger
	Hub       *events.Hub
	Agents    *agenttx.Manager
	Scanner   *scan.Scanner
	Publisher *publish.Publisher
	Index     *indexfile.Viewer
	Node      *cluster.Node
}

// MemoryRef identifies a memory and the state of it that the user saw.
type MemoryRef struct {
	ID   string
	ETag string `json:"Match"` // the ETag that the user saw; empty or "*" for any
}

// Result is a memory after an operation on it.
type Result struct {
	Memory          memories.Memory
	Created         bool   // the memory did not live before the operation
	ClaudeMDProblem string // why CLAUDE.md could not be updated; empty if it was
}

// changes collects the effects of an operation until publish.
type changes struct {
	memories []uuid.UUID        // changed memories, each once per increase of the agent's version
	found    []uuid.UUID        // as memories, but changed by other programs: they get no entry in MEMORY.md
	removed  []records.File     // results of removal.Unlink, for removal.Finish
	events   []reconcile.Change // sent by publish; those of a scan are sent already
	path     string             // set by a restore: the path that the memory had before
	indexes  []string           // paths of changed MEMORY.md files, which publish scans
	title    string             // of the written memory in MEMORY.md; empty means its name
}

// add adds an event of the given kind to c, about the memory of that name; publish sends it.
func (c *changes) add(kind events.Kind, name string) {
	c.events = append(c.events, reconcile.Change{Kind: kind, Name: name})
}

// scan runs the scan r and adds the ids of the memories that it has changed to c. It returns the
// error of the scan; then ids of changed memories may be missing.
func (s *Service) scan(ctx context.Context, tx *agenttx.Tx, c *changes, r scan.Request) error {
	result, err := s.Scanner.Run(ctx, tx, r)
	c.memories = append(c.memories, result.Memories...)
	return err
}

// written returns the request to scan files that the transaction's actor has written or removed.
func written(tx *agenttx.Tx, paths ...string) scan.Request {
	return scan.Request{Paths: paths, Origin: reconcile.Origin{Actor: tx.Actor}}
}

// saved returns the request to scan a file that the transaction's actor has just written, and to
// make its content the newest of its memory.
func saved(tx *agenttx.Tx, path string) scan.Request {
	return scan.Request{Paths: []string{path}, Saved: path, Origin: reconcile.Origin{Actor: tx.Actor}}
}

// publish completes an operation with the effects c. It records the files in c.removed as removed,
// lists the changed memories in MEMORY.md, writes CLAUDE.md if its text differs, and sends the
// events. It returns the state of CLAUDE.md. If
// the file cannot be written, Problem of the state is the reason, without an error.
func (s *Service) publish(ctx context.Context, tx *agenttx.Tx, c *changes) (records.ClaudeMD, error) {
	if err := removal.Finish(ctx, tx, c.removed); err != nil {
		return records.ClaudeMD{}, err
	}
	if err := listWritten(ctx, s, tx, c); err != nil {
		return records.ClaudeMD{}, err
	}
	state, err := s.Publisher.Run(ctx, tx, slices.Concat(c.memories, c.found))
	scan.EmitChanges(tx, c.events)
	return state, err
}

// memoryRow returns the row of a memory. It returns memories.ErrNotFound for an unknown id, and
// memories.ErrChanged if etag is not the memory's ETag. An empty etag and "*" match every memory.
func memoryRow(ctx context.Context, tx *agenttx.Tx, id, etag string) (records.MemoryRow, error) {
	head, err := tx.Rows.Row(ctx, id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	return head, CheckETag(head, etag)
}

// rowWithFiles returns the row of a memory and the rows of its present and former files. It returns
// memories.ErrNotFound for an unknown id, and memories.ErrChanged if etag is not the memory's ETag.
// An empty etag and "*" match every memory.
func rowWithFiles(ctx context.Context, tx *agenttx.Tx, id, etag string) (records.MemoryRow, []records.File, error) {
	head, recorded, err := tx.Rows.RowWithFiles(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	return head, recorded, CheckETag(head, etag)
}

// CheckETag returns memories.ErrChanged if etag is not the ETag of the memory, and nil if it is. An
// empty etag and "*" match every memory.
func CheckETag(head records.MemoryRow, etag string) error {
	if etag != "" && etag != "*" && etag != records.ETag(head.Memory) {
		return memories.ErrChanged
	}
	return nil
}

// ErrInTrash means that the operation is not possible for a deleted memory.
var ErrInTrash = &memories.ConflictError{Reason: "The memory is in the trash. Nothing was changed. Restore it first."}

// readResult returns the memory with that id as the database has it now. state is the state of
// CLAUDE.md; its Problem becomes Result.ClaudeMDProblem. It returns memories.ErrNotFound for an
// unknown id.
func readResult(ctx context.Context, tx *agenttx.Tx, id string, state records.ClaudeMD) (Result, error) {
	m, err := tx.Rows.Memory(ctx, tx.Agent.Slug, id)
	return Result{Memory: m, ClaudeMDProblem: state.Problem}, err
}

// resultAt returns the memory that the file at path mirrors, or the unreadable memory with that
// path. The Problem of state becomes Result.ClaudeMDProblem. It returns memories.ErrNotFound if no
// memory has the path.
func resultAt(ctx context.Context, tx *agenttx.Tx, path string, state records.ClaudeMD) (Result, error) {
	at, err := tx.Rows.FilesUnder(ctx, []string{path})
	if err != nil {
		return Result{}, err
	}
	for _, f := range at {
		if f.Path == path && f.Status == records.Mirrored {
			return readResult(ctx, tx, f.MemoryID.String(), state)
		}
	}
	unreadable, err := tx.Rows.UnreadableByPath(ctx, []string{path})
	if err != nil || len(unreadable) == 0 {
		return Result{}, errors.Join(err, memories.ErrNotFound)
	}
	return readResult(ctx, tx, unreadable[0].ID, state)
}

// publishAt publishes the effects in c and returns the memory of the file at path. If CLAUDE.md
// cannot be written, Result.ClaudeMDProblem is the reason, without an error. It returns
// memories.ErrNotFound if no memory has the path.
func (s *Service) publishAt(ctx context.Context, tx *agenttx.Tx, c *changes, path string) (Result, error) {
	state, err := s.publish(ctx, tx, c)
	if err != nil {
		return Result{}, err
	}
	return resultAt(ctx, tx, path, state)
}

// publishWritten publishes the effects in c after a file of the memory with the key was written,
// and returns that memory. It also requests scans of blocked files with the key, because a
// tombstone may be deleted. If CLAUDE.md cannot be written, Result.ClaudeMDProblem is the reason,
// without an error. It returns memories.ErrNotFound if no memory has the key.
func (s *Service) publishWritten(ctx context.Context, tx *agenttx.Tx, c *changes, key memories.Key) (Result, error) {
	if err := rescanBlocked(ctx, s.Store, tx, key); err != nil {
		return Result{}, err
	}
	state, err := s.publish(ctx, tx, c)
	if err != nil {
		return Result{}, err
	}
	head, err := tx.Rows.RowOf(ctx, key)
	if err != nil {
		return Result{}, err
	}
	if head == nil {
		return Result{}, fmt.Errorf("the memory %q was written and could not be read back: %w", key.Name, memories.ErrNotFound)
	}
	return readResult(ctx, tx, head.ID, state)
}
