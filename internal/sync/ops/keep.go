package ops

import (
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/removal"
)

// KeepOp configures Keep.
type KeepOp struct {
	Ref     MemoryRef `json:"Seen"`
	Version string    // hexadecimal fingerprint of the content to keep
}

// Keep ends a conflict between the files of a memory. It makes the content op.Version the memory's,
// in a primary file, and removes the primary files with other contents. These stay in the history.
// It writes CLAUDE.md and returns the memory; Result.ClaudeMDProblem is the reason if CLAUDE.md
// could not be written. Errors to test for: memories.ErrNotFound for an unknown memory or content,
// memories.ErrChanged, and *memories.ConflictError if a file has changed or cannot be written or
// removed.
func (s *Service) Keep(ctx context.Context, slug string, op KeepOp) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		head, recorded, err := rowWithFiles(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return Result{}, err
		}
		draft, err := draftOf(ctx, s.Store, tx, head, op.Version)
		if err != nil {
			return Result{}, err
		}
		if err := tx.CanWrite(ctx); err != nil {
			return Result{}, err
		}
		primary, err := mirroredPrimaryFiles(ctx, tx, head, recorded)
		if err != nil {
			return Result{}, err
		}
		for _, f := range primary {
			if err := checkUnchanged(tx, f); err != nil {
				return Result{}, err
			}
		}
		hasVersion := func(f records.File) bool {
			return hex.EncodeToString(f.Fingerprint[:]) == op.Version && f.Unfinished == 0
		}
		onlyInSession := !slices.ContainsFunc(primary, hasVersion)
		if onlyInSession {
			if _, err := s.writeMemory(ctx, tx, &head, draft, ""); err != nil {
				return Result{}, err
			}
			if head, recorded, err = rowWithFiles(ctx, tx, head.ID, ""); err != nil {
				return Result{}, err
			}
			if primary, err = mirroredPrimaryFiles(ctx, tx, head, recorded); err != nil {
				return Result{}, err
			}
		}
		var c changes
		kept := entryOf(head, head.Path)
		if i := slices.IndexFunc(primary, hasVersion); i >= 0 {
			kept.Path = primary[i].Path
		}
		if err := s.removeOthers(ctx, tx, &c, kept, slices.DeleteFunc(primary, hasVersion)); err != nil {
			return Result{}, err
		}
		if head, err = tx.Rows.Row(ctx, head.ID); err != nil {
			return Result{}, err
		}
		if !onlyInSession && (head.Session != "" || hex.EncodeToString(head.Fingerprint[:]) != op.Version) {
			// A file of a session is newer. A save makes the primary file the newest.
			return s.writeMemory(ctx, tx, &head, draft, "")
		}
		state, err := s.publish(ctx, tx, &c)
		if err != nil {
			return Result{}, err
		}
		return readResult(ctx, tx, head.ID, state)
	})
}

// draftOf returns the memory with the content whose hexadecimal fingerprint is version. The memory
// or one of its files must have that content; otherwise the error is memories.ErrNotFound. It
// returns a *memories.ConflictError for a deleted or unreadable memory.
func draftOf(ctx context.Context, store *postgres.Store, tx *agenttx.Tx, head records.MemoryRow, version string) (memories.Draft, error) {
	m, err := tx.Rows.Memory(ctx, tx.Agent.Slug, head.ID)
	if err != nil {
		return memories.Draft{}, err
	}
	versions, err := store.Versions(ctx, m)
	if err != nil {
		return memories.Draft{}, err
	}
	versions = append(versions, records.Version{Fingerprint: m.Fingerprint, Type: m.Type, Description: m.Description, Body: m.Body})
	for _, v := range versions {
		if hex.EncodeToString(v.Fingerprint[:]) == version {
			return patchedDraft(ctx, tx, head, memories.Patch{Type: &v.Type, Description: &v.Description, Body: &v.Body})
		}
	}
	return memories.Draft{}, memories.ErrNotFound
}

// mirroredPrimaryFiles returns the primary files that the database has as present for the memory,
// without files that a deletion is removing. The result is a new slice.
func mirroredPrimaryFiles(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, recorded []records.File) ([]records.File, error) {
	mirrored, err := mirroredFiles(ctx, tx, head, recorded)
	return slices.DeleteFunc(slices.Clone(mirrored), func(f records.File) bool { return !f.IsPrimary() || f.Status != records.Mirrored }), err
}

// removeOthers removes the given primary files, makes their entries in MEMORY.md lead to the kept
// file, and scans their paths. It ignores an index that cannot be edited. If a file cannot be removed or has changed, it
// removes the rest and returns a *memories.ConflictError that lists those files. The caller must
// publish c.
func (s *Service) removeOthers(ctx context.Context, tx *agenttx.Tx, c *changes, kept memorymd.IndexedFile, others []records.File) error {
	paths := removal.PathsOf(others)
	var failed []string
	for _, f := range others {
		err := tx.Disk.RemoveIf(tx.Root, f.Path, f.Hash)
		if err == nil {
			err = tx.Disk.SyncDirectory(tx.Root, path.Dir(f.Path))()
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s (%v)", f.Path, agenttx.FSCause(err)))
			continue
		}
		before := kept
		before.Path = f.Path
		if err := relist(tx, c, before, kept); err != nil {
			return err
		}
	}
	if len(paths) > 0 {
		if err := s.scan(ctx, tx, c, written(tx, paths...)); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		tx.Rescan(".")
		return &memories.ConflictError{Reason: "Files not removed: " + strings.Join(failed, ", ") + ". The conflict stays. Remove the files by hand, or try again."}
	}
	return nil
}
