package ops

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

// verify records that a memory is still true, so that its age starts again. Each file of the memory
// gets the time modified as modification time and, if it states one, as metadata.modified. The zero
// time means now; an earlier one takes a verification back. It skips missing files. The caller must
// publish c. It returns memories.ErrNotFound, memories.ErrChanged if the ETag differs, and
// *memories.ConflictError if the memory is deleted, or if a file has changed or cannot be written.
func (s *Service) verify(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef, modified time.Time) error {
	head, recorded, err := rowWithFiles(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State == memories.Deleted {
		return ErrInTrash
	}
	if tx.Root == nil {
		return tx.MissingError()
	}
	if err := tx.CheckReadOnly(tx.Agent.PrimaryDir()); err != nil {
		return err
	}
	mirrored, err := mirroredFiles(ctx, tx, head, recorded)
	if err != nil {
		return err
	}
	// The memory's age is the age of the file at its path. That file is last, so that a failure at
	// another one does not change the age.
	if i := slices.IndexFunc(mirrored, func(f records.File) bool { return f.Path == head.Path }); i >= 0 {
		source := mirrored[i]
		mirrored = append(slices.Delete(mirrored, i, i+1), source)
	}
	raws := make([][]byte, len(mirrored))
	for i, f := range mirrored {
		if err := tx.CheckReadOnly(f.Path); err != nil {
			return err
		}
		if raws[i], err = tx.ReadRecorded(f); err != nil {
			return err
		}
	}
	now := head.After(records.Now())
	modified = cmp.Or(modified, now)
	for i, f := range mirrored {
		if raws[i] == nil {
			continue // the file is missing; the next scan detaches it
		}
		if err := s.verifyFile(ctx, tx, c, head, f, raws[i], modified); err != nil {
			return err
		}
	}
	// A file may have been changed after the scan and before it was touched. The scan after that has
	// read the change, which the user has not verified.
	after, err := tx.Rows.Row(ctx, head.ID)
	if err != nil {
		return err
	}
	if after.RevisionID != head.RevisionID || after.State != head.State {
		return agenttx.ChangedOnDisk(head.Path)
	}
	if err := tx.DB.Verify(ctx, head, modified, now, tx.Actor); err != nil {
		return err
	}
	c.memories = append(c.memories, head.UUID)
	c.add(events.Saved, head.Name)
	return nil
}

// verifyFile sets the modification time of one file to now, also in its text if that states one,
// and scans it. raw are its recorded bytes. No scan counts the changed bytes as a newer content. If
// the file has changed or cannot be written, the error is the result of agenttx.WriteConflict.
func (s *Service) verifyFile(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, f records.File, raw []byte, now time.Time) error {
	touched, changed := frontmatter.Touch(raw, now)
	if f.Unfinished != 0 {
		touched, changed = raw, false
	}
	if !changed {
		switch err := tx.Disk.Touch(tx.Root, f.Path, now); {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the file was removed; the next scan detaches it
		case err != nil:
			return agenttx.WriteConflict(f.Path, err)
		}
		return s.scan(ctx, tx, c, written(tx, f.Path))
	}
	hash := files.Hash(touched)
	err := withExpectedHash(ctx, tx, f.Path, hash, func() error {
		return tx.Overwrite(f.Path, touched, files.Options{IfHash: f.Hash, ModTime: now})
	})
	if err != nil {
		return agenttx.WriteConflict(f.Path, err)
	}
	if err := tx.DB.SetFileHash(ctx, f.Path, hash); err != nil {
		return err
	}
	if f.Path == head.Path {
		if err := tx.DB.KeepRaw(ctx, head.RevisionID, touched, hash); err != nil {
			return err
		}
	}
	return s.scan(ctx, tx, c, written(tx, f.Path))
}

// withExpectedHash calls write, which writes bytes with that hash to path, and returns its error.
// Before, it records the hash in the file's row, so that no scan counts the content as newer. If
// write fails and the file is missing or has another hash, it clears the recorded hash.
func withExpectedHash(ctx context.Context, tx *agenttx.Tx, path, hash string, write func() error) error {
	if err := tx.DB.SetExpectedHash(ctx, path, hash); err != nil {
		return err
	}
	err := write()
	if err != nil && lacksContent(tx, path, hash) {
		// A later write of the same bytes must count as new.
		return errors.Join(err, tx.DB.SetExpectedHash(ctx, path, ""))
	}
	return err
}
