// Package ops changes memories as requests ask: one file for each verb.
//
// An operation runs in one agent transaction: it writes files, scans them, and publishes CLAUDE.md
// before it answers. The Engine calls it on the server that holds the agent's lease. It takes no
// lock itself and knows nothing of HTTP.
package ops

import (
	"context"
	"log/slog"

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

	"github.com/google/uuid"
)

// changes are what an operation has done to an agent and not published yet.
type changes struct {
	memories []uuid.UUID        // changed, each as often as the agent's version was raised
	removed  []records.File     // unlinked for a deletion
	events   []reconcile.Change // to be sent
	path     string             // of the file that a restore has written
}

func (c *changes) add(kind events.Kind, name string) {
	c.events = append(c.events, reconcile.Change{Kind: kind, Name: name})
}

// scan mirrors what is at paths.
func (s *Service) scan(ctx context.Context, tx *agenttx.Tx, c *changes, r scan.Request) error {
	result, err := s.Scanner.Run(ctx, tx, r)
	c.memories = append(c.memories, result.Memories...)
	return err
}

// written returns the request to mirror files that the transaction's actor has just written.
func written(tx *agenttx.Tx, paths ...string) scan.Request {
	return scan.Request{Paths: paths, Origin: reconcile.Origin{Actor: tx.Actor}}
}

// saved is like written, and makes the file's content the newest of its memory.
func saved(tx *agenttx.Tx, path string) scan.Request {
	return scan.Request{Paths: []string{path}, Saved: path, Origin: reconcile.Origin{Actor: tx.Actor}}
}

// publish finishes the removal of files, writes CLAUDE.md, and sends the events.
func (s *Service) publish(ctx context.Context, tx *agenttx.Tx, c *changes) (records.ClaudeMD, error) {
	if err := removal.Finish(ctx, tx, c.removed); err != nil {
		return records.ClaudeMD{}, err
	}
	state, err := s.Publisher.Run(ctx, tx, c.memories)
	scan.EmitChanges(tx, c.events)
	return state, err
}

// Service changes memories.
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
