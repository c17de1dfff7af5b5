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
func (e *Engine) Verify(ctx context.Context, slug, id, match string) (Result, error) {
	return callChange.do(ctx, e, slug, changeOp{verbVerify, Seen{id, match}})
}

func (e *Engine) verifyHere(ctx context.Context, slug string, seen Seen) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		changes, err := h.verifySeen(ctx, seen)
		if err != nil {
			return err
		}
		h.tell(changes)
		if err := h.publish(ctx); err != nil {
			return err
		}
		result, err = h.result(ctx, seen.ID)
		return err
	})
	return result, err
}

func (h *hold) verifySeen(ctx context.Context, seen Seen) ([]change, error) {
	head, on, err := h.headWithFiles(ctx, seen.ID, seen.Match)
	if err != nil {
		return nil, err
	}
	if head.State == memories.Deleted {
		return nil, errInTrash
	}
	if err := h.verify(ctx, head, on); err != nil {
		return nil, err
	}
	return []change{{events.Saved, head.Name}}, nil
}

func (h *hold) verify(ctx context.Context, head records.MemoryRow, on []records.File) error {
	if h.root == nil {
		return h.errNoDirectory()
	}
	carriers, err := h.carriersOf(ctx, head, on)
	if err != nil {
		return err
	}
	raws := make([][]byte, len(carriers))
	for i, f := range carriers {
		if raws[i], err = h.asRecorded(f); err != nil {
			return err
		}
	}
	now := head.After(records.Now())
	for _, i := range lastly(carriers, head.Path) {
		if raws[i] == nil {
			continue // it is gone, which the next look finds
		}
		if err := h.refresh(ctx, head, carriers[i], raws[i], now); err != nil {
			return err
		}
	}
	// What was written into a file since it was looked at has come in with it, and is not what somebody says is still true.
	after, err := h.w.Head(ctx, head.ID)
	if err != nil {
		return err
	}
	if after.RevisionID != head.RevisionID || after.State != head.State {
		return changedOnDisk(head.Path)
	}
	if err := h.w.Verify(ctx, head, now, actorOf(ctx)); err != nil {
		return err
	}
	h.changed = append(h.changed, head.UUID)
	return nil
}

// lastly returns the numbers of the files with that of a path at the end. The memory's age counts from what is there: where another
// file refuses the new time, the memory is as old as it was.
func lastly(all []records.File, path string) []int {
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareBool(all[a].Path == path, all[b].Path == path) })
	return order
}

// asRecorded returns the bytes of a file, which must be those on record; nil when it is gone.
func (h *hold) asRecorded(f records.File) ([]byte, error) {
	raw, err := readAll(h.root, f.Path, memories.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &memories.ConflictError{Reason: f.Path + " cannot be read (" + plain(err).Error() + "). Nothing was changed."}
	case files.Hash(raw) != f.Hash:
		h.queue.Add(h.onDisk.Slug, f.Path)
		return nil, changedOnDisk(f.Path)
	}
	return raw, nil
}

// refresh gives one file the new time. Bytes that change by it are put on record before and after, so that no look takes the file's
// old content for a new one.
func (h *hold) refresh(ctx context.Context, head records.MemoryRow, f records.File, raw []byte, now time.Time) error {
	touched, changed := frontmatter.Touch(raw, now)
	if f.Unfinished != 0 {
		touched, changed = raw, false
	}
	if !changed {
		switch err := h.disk.Touch(h.root, f.Path, now); {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went meanwhile, which the next look finds
		case err != nil:
			return writeConflict(f.Path, err)
		}
		return h.takeIn(ctx, f.Path)
	}
	hash := files.Hash(touched)
	err := h.promising(ctx, f.Path, hash, func() error {
		return h.overwrite(f.Path, touched, files.Options{IfHash: f.Hash, ModTime: now})
	})
	if err != nil {
		return writeConflict(f.Path, err)
	}
	if err := h.w.RecordBytes(ctx, f.Path, hash); err != nil {
		return err
	}
	if f.Path == head.Path {
		if err := h.w.KeepRaw(ctx, head.RevisionID, touched, hash); err != nil {
			return err
		}
	}
	return h.takeIn(ctx, f.Path)
}

// promising writes bytes of that hash into a file whose content is to be no newer for it, whatever ends this before they are on record.
func (h *hold) promising(ctx context.Context, path, hash string, write func() error) error {
	if err := h.w.PromiseBytes(ctx, path, hash); err != nil {
		return err
	}
	err := write()
	if err != nil && h.isWithout(path, hash) { // whoever writes them later has something new to say
		return errors.Join(err, h.w.PromiseBytes(ctx, path, ""))
	}
	return err
}
