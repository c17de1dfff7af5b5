package sync

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// Verify says that a memory is still true: its age starts anew. Every file that carries it gets the time of now as its
// modification time and, where it has one, as its metadata.modified. That is no new content: no revision, and no file
// with another content of the memory becomes the newest by it.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of another content, and *memories.ConflictError
// when the memory is in the trash, or a file cannot be read or has changed on disk since; then nothing has happened.
func (e *Engine) Verify(ctx context.Context, slug, id, etag string) (Result, error) {
	return callChange.do(ctx, e, slug, changeOp{verbVerify, MemoryRef{id, etag}})
}

func (e *Engine) verifyLocal(ctx context.Context, slug string, ref MemoryRef) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		changes, err := h.verifyRef(ctx, ref)
		if err != nil {
			return err
		}
		h.emitChanges(changes)
		if err := h.publish(ctx); err != nil {
			return err
		}
		result, err = h.result(ctx, ref.ID)
		return err
	})
	return result, err
}

func (h *hold) verifyRef(ctx context.Context, ref MemoryRef) ([]change, error) {
	row, on, err := h.rowWithFiles(ctx, ref.ID, ref.ETag)
	if err != nil {
		return nil, err
	}
	if row.State == memories.Deleted {
		return nil, errInTrash
	}
	if err := h.verify(ctx, row, on); err != nil {
		return nil, err
	}
	return []change{{events.Saved, row.Name}}, nil
}

func (h *hold) verify(ctx context.Context, row records.MemoryRow, on []records.File) error {
	if h.root == nil {
		return h.errNoDirectory()
	}
	mirrored, err := h.mirroredFiles(ctx, row, on)
	if err != nil {
		return err
	}
	raws := make([][]byte, len(mirrored))
	for i, f := range mirrored {
		if raws[i], err = h.readRecorded(f); err != nil {
			return err
		}
	}
	now := row.After(records.Now())
	for _, i := range withLast(mirrored, row.Path) {
		if raws[i] == nil {
			continue // it is gone, which the next scan finds
		}
		if err := h.verifyFile(ctx, row, mirrored[i], raws[i], now); err != nil {
			return err
		}
	}
	// What was written into a file since it was scanned has come in with it, and is not what somebody says is still true.
	after, err := h.w.Head(ctx, row.ID)
	if err != nil {
		return err
	}
	if after.RevisionID != row.RevisionID || after.State != row.State {
		return changedOnDisk(row.Path)
	}
	if err := h.w.Verify(ctx, row, now, actorOf(ctx)); err != nil {
		return err
	}
	h.changedIDs = append(h.changedIDs, row.UUID)
	return nil
}

// withLast returns the numbers of the files with that of a path at the end. The memory's age counts from what is there: where another
// file refuses the new time, the memory is as old as it was.
func withLast(all []records.File, path string) []int {
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareBool(all[a].Path == path, all[b].Path == path) })
	return order
}

// readRecorded returns the bytes of a file, which must be those on record; nil when it is gone.
func (h *hold) readRecorded(f records.File) ([]byte, error) {
	raw, err := readAll(h.root, f.Path, memories.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &memories.ConflictError{Reason: f.Path + " cannot be read (" + fsCause(err).Error() + "). Nothing was changed."}
	case files.Hash(raw) != f.Hash:
		h.queue.Add(h.onDisk.Slug, f.Path)
		return nil, changedOnDisk(f.Path)
	}
	return raw, nil
}

// verifyFile gives one file the new time. Bytes that change by it are put on record before and after, so that no look takes the file's
// old content for a new one.
func (h *hold) verifyFile(ctx context.Context, row records.MemoryRow, f records.File, raw []byte, now time.Time) error {
	touched, changed := frontmatter.Touch(raw, now)
	if f.Unfinished != 0 {
		touched, changed = raw, false
	}
	if !changed {
		switch err := h.disk.Touch(h.root, f.Path, now); {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went meanwhile, which the next scan finds
		case err != nil:
			return writeConflict(f.Path, err)
		}
		return h.scanFile(ctx, f.Path)
	}
	hash := files.Hash(touched)
	err := h.withExpectedHash(ctx, f.Path, hash, func() error {
		return h.overwrite(f.Path, touched, files.Options{IfHash: f.Hash, ModTime: now})
	})
	if err != nil {
		return writeConflict(f.Path, err)
	}
	if err := h.w.RecordBytes(ctx, f.Path, hash); err != nil {
		return err
	}
	if f.Path == row.Path {
		if err := h.w.KeepRaw(ctx, row.RevisionID, touched, hash); err != nil {
			return err
		}
	}
	return h.scanFile(ctx, f.Path)
}

// withExpectedHash writes bytes of that hash into a file whose content is to be no newer for it, whatever ends this before they are on record.
func (h *hold) withExpectedHash(ctx context.Context, path, hash string, write func() error) error {
	if err := h.w.PromiseBytes(ctx, path, hash); err != nil {
		return err
	}
	err := write()
	if err != nil && h.lacksContent(path, hash) { // whoever writes them later has something new to say
		return errors.Join(err, h.w.PromiseBytes(ctx, path, ""))
	}
	return err
}
