package scan

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// readSources returns the present, mirrored primary files in known whose content differs from their
// memory's. Each can become the memory's source without a change on disk. It reads the bytes from
// the database, not from disk, and omits files without stored bytes. Raw, Hash and Size may be
// those of another file of the memory with the same content.
func readSources(ctx context.Context, tx *agenttx.Tx, known records.KnownState) ([]reconcile.ScannedFile, error) {
	rows := make(map[uuid.UUID]records.MemoryRow, len(known.Heads))
	for _, row := range known.Heads {
		rows[row.UUID] = row
	}
	others := slices.DeleteFunc(slices.Clone(known.Files), func(f records.File) bool {
		return !f.IsPrimary() || !f.Present || f.Status != records.Mirrored || f.Fingerprint == rows[f.MemoryID].Fingerprint
	})
	raws, err := tx.DB.RawsOf(ctx, others)
	if err != nil {
		return nil, err
	}
	var sources []reconcile.ScannedFile
	for i, f := range others {
		raw, ok := raws[f.Path]
		if !ok {
			continue
		}
		s := reconcile.ScannedFile{
			Path: f.Path, Raw: raw, Hash: files.Hash(raw), Size: int64(len(raw)), ModTime: f.ModTime, ModifiedAt: f.ModifiedAt,
			ContentAt: f.ContentAt, Fingerprint: f.Fingerprint, File: tx.Parse(raw, f.Path), Team: tx.Agent.InTeam(f.Path),
			Known: &others[i],
		}
		flagCredential(&s)
		sources = append(sources, s)
	}
	return sources, nil
}

// loadKnownState reads from the database the rows that reconcile needs for o. They are those of the
// scanned and removed files, of their memories, and of all memories with the names in the files. It
// also sets Sources.
func loadKnownState(ctx context.Context, tx *agenttx.Tx, o reconcile.Observed) (reconcile.KnownState, error) {
	names := map[string]struct{}{}
	ids := map[uuid.UUID]struct{}{}
	query := records.KnownQuery{Paths: make([]string, 0, len(o.Scanned)+len(o.Removed))}
	for _, s := range o.Scanned {
		names[s.File.Name] = struct{}{}
		query.Paths = append(query.Paths, s.Path)
		if s.Known != nil && s.Known.MemoryID != uuid.Nil {
			ids[s.Known.MemoryID] = struct{}{}
		}
	}
	for _, f := range o.Removed {
		query.Paths = append(query.Paths, f.Path)
		if f.MemoryID != uuid.Nil {
			ids[f.MemoryID] = struct{}{}
		}
	}
	if rename := o.Origin.Rename; rename != nil {
		ids[rename.ID] = struct{}{}
	}
	query.Names, query.Memories = slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(ids))
	known, err := tx.DB.KnownState(ctx, query)
	if err != nil {
		return reconcile.KnownState{}, err
	}
	sources, err := readSources(ctx, tx, known)
	return reconcile.KnownState{KnownState: known, Sources: sources}, err
}
