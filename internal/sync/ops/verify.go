package ops

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

func (s *Service) verify(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, on, err := rowWithFiles(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State == memories.Deleted {
		return errInTrash
	}
	if tx.Root == nil {
		return tx.MissingError()
	}
	mirrored, err := mirroredFiles(ctx, tx, head, on)
	if err != nil {
		return err
	}
	raws := make([][]byte, len(mirrored))
	for i, f := range mirrored {
		if raws[i], err = tx.ReadRecorded(f); err != nil {
			return err
		}
	}
	now := head.After(records.Now())
	for _, i := range withLast(mirrored, head.Path) {
		if raws[i] == nil {
			continue // it is gone, which the next scan finds
		}
		if err := s.verifyFile(ctx, tx, c, head, mirrored[i], raws[i], now); err != nil {
			return err
		}
	}
	// What was written into a file since it was scanned has come in with it, and is not what somebody says is still true.
	after, err := tx.DB.Head(ctx, head.ID)
	if err != nil {
		return err
	}
	if after.RevisionID != head.RevisionID || after.State != head.State {
		return agenttx.ChangedOnDisk(head.Path)
	}
	if err := tx.DB.Verify(ctx, head, now, tx.Actor); err != nil {
		return err
	}
	c.memories = append(c.memories, head.UUID)
	c.add(events.Saved, head.Name)
	return nil
}

// withLast returns the numbers of the files with that of a path at the end. The memory's age counts from what is there: where another
// file refuses the new time, the memory is as old as it was.
func withLast(all []records.File, path string) []int {
	var order, last []int
	for i := range all {
		if all[i].Path == path {
			last = append(last, i)
		} else {
			order = append(order, i)
		}
	}
	return append(order, last...)
}

// verifyFile gives one file the new time. Bytes that change by it are put on record before and after, so that no look takes the file's
// old content for a new one.
func (s *Service) verifyFile(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, f records.File, raw []byte, now time.Time) error {
	touched, changed := frontmatter.Touch(raw, now)
	if f.Unfinished != 0 {
		touched, changed = raw, false
	}
	if !changed {
		switch err := tx.Disk.Touch(tx.Root, f.Path, now); {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went meanwhile, which the next scan finds
		case err != nil:
			return WriteConflict(f.Path, err)
		}
		return s.scan(ctx, tx, c, written(tx, f.Path))
	}
	hash := files.Hash(touched)
	err := withExpectedHash(ctx, tx, f.Path, hash, func() error {
		return tx.Overwrite(f.Path, touched, files.Options{IfHash: f.Hash, ModTime: now})
	})
	if err != nil {
		return WriteConflict(f.Path, err)
	}
	if err := tx.DB.RecordBytes(ctx, f.Path, hash); err != nil {
		return err
	}
	if f.Path == head.Path {
		if err := tx.DB.KeepRaw(ctx, head.RevisionID, touched, hash); err != nil {
			return err
		}
	}
	return s.scan(ctx, tx, c, written(tx, f.Path))
}

// withExpectedHash writes bytes of that hash into a file whose content is to be no newer for it, whatever ends this before they are on record.
func withExpectedHash(ctx context.Context, tx *agenttx.Tx, path, hash string, write func() error) error {
	if err := tx.DB.PromiseBytes(ctx, path, hash); err != nil {
		return err
	}
	err := write()
	if err != nil && lacksContent(tx, path, hash) { // whoever writes them later has something new to say
		return errors.Join(err, tx.DB.PromiseBytes(ctx, path, ""))
	}
	return err
}
