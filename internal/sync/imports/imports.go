// Package imports brings memories with their history into an agent. It writes their files as a
// restore from the trash does: the memories and their history are committed to the trash first, and
// the restore is repeated after a crash.
//
// It does not decide what an import changes; package importer does.
package imports

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/exchange"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/events"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/scan"
)

// Service runs the operations. All fields are required. Its methods are safe for concurrent use.
type Service struct {
	Agents    *agenttx.Manager
	Ops       *ops.Service
	Scanner   *scan.Scanner
	Publisher *publish.Publisher
}

// SeedOp configures Seed.
type SeedOp struct {
	// Memories are new to the agent. Their paths are relative to its primary directory.
	Memories []exchange.Memory
	// Indexes are the MEMORY.md files of an agent that has none and no memories. They are written as
	// they are. Nil leaves MEMORY.md to the entries that the restore adds.
	Indexes []exchange.File
	// IsFresh means that the agent had no memories and no MEMORY.md before the import.
	IsFresh bool
	// AddsEntries adds the entries that Indexes lack.
	AddsEntries bool
}

// Seeded is the result of Seed.
type Seeded struct {
	IDs map[uuid.UUID]uuid.UUID // ids here, by the ids of SeedOp
	// Failed are the names of memories that are in the trash here although they lived, with the
	// reason.
	Failed map[string]string
}

// Seed adds memories with their contents and times: living ones with their files, deleted ones to
// the trash. It adds no entries to the journal. It leaves out memories whose names the agent has. It
// returns memories.ErrNotFound for an unknown agent, and *memories.ConflictError, with nothing
// changed, if the agent's directory cannot be written.
func (s *Service) Seed(ctx context.Context, slug string, op SeedOp) (Seeded, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Seeded, error) {
		if err := tx.MakeDirectory(ctx); err != nil {
			return Seeded{}, err
		}
		if err := tx.CanWrite(ctx); err != nil {
			return Seeded{}, err
		}
		all, sources := placed(tx, op.Memories), map[string]uuid.UUID{}
		for _, m := range all {
			sources[keyText(m)] = m.ID
		}
		seeded, last, err := postgres.ExchangeOf(tx.DB).Seed(ctx, all, records.Now())
		if err != nil {
			return Seeded{}, err
		}
		changed, err := s.Ops.FinishRestores(ctx, tx)
		if err != nil {
			return Seeded{}, err
		}
		result := Seeded{IDs: map[uuid.UUID]uuid.UUID{}, Failed: map[string]string{}}
		for _, m := range seeded {
			result.IDs[sources[keyText(m)]] = m.ID
		}
		if err := cancelFailed(ctx, tx, seeded, result.Failed); err != nil {
			return result, err
		}
		if err := s.writeIndexes(ctx, tx, op, changed); err != nil {
			return result, err
		}
		if err := postgres.ExchangeOf(tx.DB).FinishSeed(ctx, seeded, last); err != nil {
			return result, err
		}
		if len(seeded) > 0 { // a restore does not index a known content
			s.Scanner.IndexLater(slices.MinFunc(seeded, func(a, b exchange.Memory) int { return bytes.Compare(a.ID[:], b.ID[:]) }).ID)
		}
		_, err = s.Publisher.Run(ctx, tx, changed)
		return result, err
	})
}

func keyText(m exchange.Memory) string {
	if !m.Readable {
		return "path " + m.Path
	}
	if m.Team {
		return "team " + m.Name
	}
	return "private " + m.Name
}

// placed returns the memories with paths relative to the agent's directory. A path that the agent
// cannot have becomes empty, so that the restore chooses one.
func placed(tx *agenttx.Tx, all []exchange.Memory) []exchange.Memory {
	out := slices.Clone(all)
	for i := range out {
		m := &out[i]
		if m.Path == "" {
			m.Path = exchange.UsualPath(string(tx.Agent.Layout), *m)
		}
		m.Path = path.Join(tx.Agent.PrimaryDir(), m.Path)
		if tx.Agent.Layout == agents.Shared {
			m.Team = true
		}
		if !tx.Agent.MayBeMemory(m.Path) || m.Readable && tx.Agent.InTeam(m.Path) != m.Team {
			m.Path = path.Join(tx.Agent.PrimaryDir(), exchange.UsualPath(string(tx.Agent.Layout), *m))
		}
	}
	return out
}

// cancelFailed leaves the memories in the trash that could not be restored, and adds them to failed.
func cancelFailed(ctx context.Context, tx *agenttx.Tx, seeded []exchange.Memory, failed map[string]string) error {
	rows, err := tx.Rows.Restoring(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !slices.ContainsFunc(seeded, func(m exchange.Memory) bool { return m.ID == row.UUID }) {
			continue
		}
		reason := "its file could not be written; it is in the trash"
		if raw, err := tx.Rows.CurrentRaw(ctx, row.UUID); err == nil && ops.CheckCredentials(row.Team, row.Path, raw) != nil {
			reason = "team memory must have no credential; it is in the trash"
		}
		failed[row.Name] = reason
		if err := tx.DB.CancelRestore(ctx, row, nil); err != nil {
			return err
		}
	}
	return nil
}

// writeIndexes replaces the MEMORY.md files of a fresh agent by those of op. changed are the restored
// memories.
func (s *Service) writeIndexes(ctx context.Context, tx *agenttx.Tx, op SeedOp, changed []uuid.UUID) error {
	if !op.IsFresh || op.Indexes == nil {
		return nil
	}
	var paths []string
	for _, dir := range []string{"", "team"} {
		index := path.Join(tx.Agent.PrimaryDir(), dir, "MEMORY.md")
		i := slices.IndexFunc(op.Indexes, func(f exchange.File) bool { return path.Dir(path.Join("/", f.Path)) == path.Join("/", dir) })
		hash, err := files.ReadHash(tx.Root, index)
		switch {
		case i >= 0 && (err == nil || errors.Is(err, fs.ErrNotExist)):
			err = tx.Overwrite(index, op.Indexes[i].Raw, files.Options{IfHash: hash, New: hash == ""})
		case i < 0 && err == nil:
			err = tx.Disk.RemoveIf(tx.Root, index, hash)
		default:
			continue
		}
		if err != nil {
			return agenttx.WriteConflict(index, err)
		}
		paths = append(paths, index)
	}
	if len(paths) == 0 {
		return nil
	}
	if op.AddsEntries {
		if _, err := ops.ListMemories(ctx, tx, changed, ""); err != nil {
			return err
		}
	}
	_, err := s.Scanner.Run(ctx, tx, scan.Request{Paths: paths, Origin: reconcile.Origin{Actor: tx.Actor}})
	return err
}

// HistoryOp configures AddHistory.
type HistoryOp struct {
	Memories   []exchange.Memory // ID is that of the agent's memory; only contents are added
	Tombstones []exchange.Tombstone
	Decisions  []exchange.Decision
	Journal    []exchange.Entry // all of each memory
	IDs        map[uuid.UUID]uuid.UUID
	// IsLast means that the import is complete.
	IsLast bool
}

// AddHistory adds what the agent lacks of a history. Memories and files do not change.
func (s *Service) AddHistory(ctx context.Context, slug string, op HistoryOp) (cluster.Nothing, error) {
	return cluster.Nothing{}, s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		rows := postgres.ExchangeOf(tx.DB)
		for _, m := range op.Memories {
			if err := rows.MergeHistory(ctx, m.ID, m); err != nil {
				return err
			}
		}
		if err := errors.Join(rows.AddTombstones(ctx, op.Tombstones), rows.AddDecisions(ctx, op.Decisions)); err != nil {
			return err
		}
		if err := rows.AddJournal(ctx, op.Journal, op.IDs); err != nil || !op.IsLast {
			return err
		}
		return rows.RecountGrowth(ctx)
	})
}

// ConflictOp configures AddDeletionConflict.
type ConflictOp struct {
	ID uuid.UUID // of the agent's memory; uuid.Nil if it was purged
	// Changed is the memory of the other machine, with a Path as in SeedOp, if it was deleted here. If it
	// is nil, the agent's memory lives, and was deleted there.
	Changed *exchange.Memory
	At      time.Time // of the deletion or the change there
}

// AddDeletionConflict makes the review ask about a memory that one machine has deleted and the other
// one has changed. It writes no file. A memory that was deleted here gets the changed content in the
// trash. It returns memories.ErrNotFound for an unknown agent or memory, and memories.ErrChanged if
// the memory has been deleted or restored meanwhile.
func (s *Service) AddDeletionConflict(ctx context.Context, slug string, op ConflictOp) (cluster.Nothing, error) {
	return cluster.Nothing{}, s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		c := postgres.NewConflict{
			DeletionConflict: records.DeletionConflict{MemoryID: op.ID, Deleted: op.Changed != nil, OtherAt: op.At}, Actor: tx.Actor, At: records.Now(),
		}
		name := ""
		if op.ID != uuid.Nil {
			head, err := tx.Rows.Row(ctx, op.ID.String())
			if err != nil {
				return err
			}
			name, c.At = head.Name, head.After(c.At)
		}
		if op.Changed != nil {
			c.Changed = placed(tx, []exchange.Memory{*op.Changed})[0]
			name = c.Changed.Name
			c.Problems = scan.QuarantineProblems(name, c.Changed.Content().Description, c.Changed.Content().Body)
		}
		id, err := postgres.ExchangeOf(tx.DB).AddDeletionConflict(ctx, c)
		if op.Changed != nil && id != uuid.Nil { // also after a commit whose answer was lost
			s.Scanner.IndexLater(id)
		}
		if err != nil {
			return err
		}
		scan.EmitChanges(tx, []reconcile.Change{{Kind: events.Saved, Name: name}})
		return nil
	})
}

// Indexes returns the agent's MEMORY.md files as they are.
func (s *Service) Indexes(ctx context.Context, slug string, _ IndexesOp) ([]exchange.File, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) ([]exchange.File, error) {
		found := []exchange.File{}
		if tx.Root == nil {
			return found, nil
		}
		for _, dir := range []string{"", "team"} {
			raw, err := agenttx.ReadAll(tx.Root, path.Join(tx.Agent.PrimaryDir(), dir, "MEMORY.md"), memories.MaxFileSize)
			if err == nil {
				found = append(found, exchange.File{Path: path.Join(dir, "MEMORY.md"), Raw: raw})
			}
		}
		return found, nil
	})
}

// IndexesOp configures Indexes.
type IndexesOp struct{}
