package sync

import (
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Keep decides a conflict: it makes one of the contents that the files of a memory say the memory's own, in a primary file, and removes
// the primary files that say something else. What these said stays in the history. version is the content's fingerprint in hexadecimal;
// match is the ETag of what the user saw, and empty for any.
//
// It fails with memories.ErrNotFound for an unknown memory or version, with memories.ErrChanged when match is of another content, and
// with *memories.ConflictError when a file has changed on disk since it was read, or cannot be written or removed.
func (e *Engine) Keep(ctx context.Context, slug, id, etag, version string) (Result, error) {
	return callKeep.do(ctx, e, slug, keepOp{MemoryRef{id, etag}, version})
}

func (e *Engine) keepLocal(ctx context.Context, slug string, op keepOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		row, on, err := h.rowWithFiles(ctx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		draft, err := h.draftOf(ctx, row, op.Version)
		if err != nil {
			return err
		}
		if err := h.canWrite(ctx); err != nil {
			return err
		}
		primary, err := h.primaryFiles(ctx, row, on)
		if err != nil {
			return err
		}
		for _, f := range primary {
			if err := h.checkUnchanged(f); err != nil {
				return err
			}
		}
		says := func(f records.File) bool {
			return hex.EncodeToString(f.Fingerprint[:]) == op.Version && f.Unfinished == 0
		}
		onlyInSession := !slices.ContainsFunc(primary, says)
		if onlyInSession {
			// It is saved like any other content.
			if _, err := h.write(ctx, &row, draft); err != nil {
				return err
			}
			if row, on, err = h.rowWithFiles(ctx, row.ID, ""); err != nil {
				return err
			}
			if primary, err = h.primaryFiles(ctx, row, on); err != nil {
				return err
			}
		}
		if err := h.removeOthers(ctx, slices.DeleteFunc(primary, says)); err != nil {
			return err
		}
		if row, err = h.w.Head(ctx, row.ID); err != nil {
			return err
		}
		if !onlyInSession && (row.Session != "" || hex.EncodeToString(row.Fingerprint[:]) != op.Version) {
			_, err = h.write(ctx, &row, draft) // a session's content is newer
		} else {
			err = h.publish(ctx)
		}
		if err != nil {
			return err
		}
		result, err = h.result(ctx, row.ID)
		return err
	})
	return result, err
}

// draftOf returns the memory with one of the contents that its files say.
func (h *hold) draftOf(ctx context.Context, row records.MemoryRow, version string) (Draft, error) {
	m, err := h.w.Memory(ctx, h.onDisk.Slug, row.ID)
	if err != nil {
		return Draft{}, err
	}
	versions, err := h.store.Versions(ctx, m)
	if err != nil {
		return Draft{}, err
	}
	versions = append(versions, records.Version{Fingerprint: m.Fingerprint, Type: m.Type, Description: m.Description, Body: m.Body})
	for _, v := range versions {
		if hex.EncodeToString(v.Fingerprint[:]) == version {
			return h.patchedDraft(ctx, row, Patch{Type: &v.Type, Description: &v.Description, Body: &v.Body})
		}
	}
	return Draft{}, memories.ErrNotFound
}

// primaryFiles returns the primary files that carry a memory.
func (h *hold) primaryFiles(ctx context.Context, row records.MemoryRow, on []records.File) ([]records.File, error) {
	mirrored, err := h.mirroredFiles(ctx, row, on)
	return slices.DeleteFunc(slices.Clone(mirrored), func(f records.File) bool { return !f.IsPrimary() || f.Status != records.Mirrored }), err
}

// removeOthers removes primary files of a memory that other files carry, with their entries in indexes, and mirrors that.
func (h *hold) removeOthers(ctx context.Context, others []records.File) error {
	paths := pathsOf(others)
	indexes := indexesFor(h.root, h.onDisk, paths)
	var failed []string
	var removed []string
	for _, f := range others {
		err := h.disk.RemoveIf(h.root, f.Path, f.Hash)
		if err == nil {
			err = h.disk.SyncDirectory(h.root, path.Dir(f.Path))()
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s (%v)", f.Path, fsCause(err)))
			continue
		}
		removed = append(removed, f.Path)
	}
	h.removeFromIndexes(removed, indexes)
	if len(paths) > 0 {
		if _, err := h.runScan(ctx, paths, scanOrigin{actor: actorOf(ctx)}); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		h.queue.Add(h.onDisk.Slug, ".")
		return &memories.ConflictError{Reason: "Not removed: " + strings.Join(failed, ", ") + ". The conflict stays. Remove the files by hand, or try again."}
	}
	return nil
}
