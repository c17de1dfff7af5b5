package scan

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// sectionText returns what the primary files say that can become the source of their memory without having changed.
func sectionText(ctx context.Context, tx *agenttx.Tx, known records.KnownState) ([]reconcile.ScannedFile, error) {
	contents := make(map[uuid.UUID]records.MemoryRow, len(known.Heads))
	for _, head := range known.Heads {
		contents[head.UUID] = head
	}
	others := slices.DeleteFunc(slices.Clone(known.Files), func(f records.File) bool {
		return !f.IsPrimary() || !f.Present || f.Status != records.Mirrored || f.Fingerprint == contents[f.MemoryID].Fingerprint
	})
	raws, err := tx.DB.RawsOf(ctx, others)
	if err != nil {
		return nil, err
	}
	var texts []reconcile.ScannedFile
	for i, f := range others {
		raw, ok := raws[f.Path]
		if !ok {
			continue
		}
		s := reconcile.ScannedFile{
			Path: f.Path, Raw: raw, Hash: files.Hash(raw), Size: int64(len(raw)), ModTime: f.ModTime, ModifiedAt: f.ModifiedAt,
			ContentAt: f.ContentAt, Fingerprint: f.Fingerprint, File: frontmatter.Parse(raw, agenttx.Stem(f.Path)), Team: tx.Agent.InTeam(f.Path),
			Known: &others[i],
		}
		flagCredential(&s)
		texts = append(texts, s)
	}
	return texts, nil
}

// loadKnownState returns the past of everything that the look touches.
func loadKnownState(ctx context.Context, tx *agenttx.Tx, o reconcile.Observed) (reconcile.KnownState, error) {
	names := map[string]struct{}{}
	ids := map[uuid.UUID]struct{}{}
	of := records.KnownQuery{Paths: make([]string, 0, len(o.Scanned)+len(o.Removed))}
	for _, s := range o.Scanned {
		names[s.File.Name] = struct{}{}
		of.Paths = append(of.Paths, s.Path)
		if s.Known != nil && s.Known.MemoryID != uuid.Nil {
			ids[s.Known.MemoryID] = struct{}{}
		}
	}
	for _, f := range o.Removed {
		of.Paths = append(of.Paths, f.Path)
		if f.MemoryID != uuid.Nil {
			ids[f.MemoryID] = struct{}{}
		}
	}
	if to := o.Origin.Rename; to != nil {
		ids[to.ID] = struct{}{}
	}
	of.Names, of.Memories = slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(ids))
	known, err := tx.DB.Past(ctx, of)
	if err != nil {
		return reconcile.KnownState{}, err
	}
	texts, err := sectionText(ctx, tx, known)
	return reconcile.KnownState{KnownState: known, Sources: texts}, err
}
