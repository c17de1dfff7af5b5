package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/notes"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// restoreRef restores a memory that is in the trash or missing: its file, its lines in MEMORY.md
// and its row. The caller must publish c. Errors: memories.ErrNotFound, memories.ErrChanged if the
// ETag differs, and *memories.ConflictError if the memory cannot be restored. A ConflictError also
// means that the memory is restored but a MEMORY.md could not be written. If another error
// interrupts a restore that has begun, a full scan completes it.
func (s *Service) restoreRef(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, recorded, err := rowWithFiles(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if notes.IsForgotten(head) {
		changed, err := notes.TakeBack(ctx, tx, head, recorded)
		if err != nil {
			return err
		}
		return s.scan(ctx, tx, c, written(tx, changed...))
	}
	if head.State != memories.Deleted && head.State != memories.Missing {
		return &memories.ConflictError{Reason: fmt.Sprintf("Memory %q is not in the trash. Nothing was changed.", head.Name)}
	}
	if err := canRestore(ctx, tx, head); err != nil {
		return err
	}
	if err := s.scanBeforeRestore(ctx, tx, c, head); err != nil {
		return err
	}
	if err := tx.DB.BeginRestore(ctx, head); err != nil {
		return err
	}
	c.path = head.Path
	return s.continueRestore(ctx, tx, c, head, recorded)
}

// restoreToIndexes puts the lines that the memory's deletion removed back into the MEMORY.md files.
// It makes the entries for the paths in gone lead to the restored file, in the same write, and then
// in the other indexes. It does the same for entries in these lines that lead to no file. It adds
// the changed indexes to c, and creates no missing one. If some of them cannot be read or written, it
// returns a *memories.ConflictError about the first.
func restoreToIndexes(tx *agenttx.Tx, c *changes, head records.MemoryRow, gone []string, restored string) error {
	after := entryOf(head, restored)
	var unlisted error
	for _, index := range slices.Sorted(maps.Keys(head.IndexLines)) {
		err := indexfile.EditIndex(tx, index, func(raw []byte) []byte {
			out := memorymd.Restore(raw, head.IndexLines[index])
			for _, before := range append(indexfile.NewDeadEntries(tx, index, raw, out), gone...) {
				out = indexfile.Relisted(tx, index, out, entryOf(head, before), after)
			}
			return out
		})
		if err == nil {
			c.indexes = append(c.indexes, index)
		} else if unlisted == nil {
			unlisted = &memories.ConflictError{Reason: fmt.Sprintf("Memory %q was restored, but not its entry in %s (%v). Memoir tries again at each scan.", head.Name, index, agenttx.FSCause(err))}
		}
	}
	for _, before := range gone {
		if err := relist(tx, c, entryOf(head, before), after); err != nil {
			return err
		}
	}
	return unlisted
}

// canRestore returns a *memories.ConflictError if the memory cannot be restored. The causes: its
// directory may not be written, its bytes are not stored, or it is team memory with a credential.
// It returns nil otherwise, and changes nothing.
func canRestore(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow) error {
	if err := tx.CanWrite(ctx); err != nil {
		return err
	}
	raw, err := tx.Rows.CurrentRaw(ctx, head.UUID)
	switch {
	case err != nil:
		return err
	case raw == nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s was never readable, so the trash has no content for it. Nothing was changed.", head.Path)}
	}
	return CheckCredentials(head.Team, head.Path, raw)
}

// scanBeforeRestore scans the path of the memory's file: another memory whose file was there and is
// gone must not get the restored content. If
// that scan has brought the memory back, it returns a *memories.ConflictError. The file then has a
// newer content, which would replace the restored one.
func (s *Service) scanBeforeRestore(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow) error {
	result, err := s.Scanner.Run(ctx, tx, scan.Request{Paths: []string{head.Path}})
	c.found = append(c.found, result.Memories...)
	if err != nil {
		return err
	}
	now, err := tx.Rows.Row(ctx, head.ID)
	if err != nil {
		return err
	}
	if now.State == memories.Deleted || now.State == memories.Missing {
		return nil
	}
	tx.Rescan(head.Path) // the next scan publishes
	return &memories.ConflictError{Reason: fmt.Sprintf("Memory %q exists again: %s has new content. Nothing was restored. The earlier content is in its history.", head.Name, head.Path)}
}

// continueRestore runs the steps of a restore after BeginRestore. It writes the file, puts back the
// lines in MEMORY.md, makes them lead to the file, scans the file, and ends the restore in the
// database. recorded are the rows of the memory's files. If nothing was written, it cancels the
// restore, and marks those for removal again that the deletion had yet to remove. After any other
// error the restore stays open, and FinishRestores repeats all steps.
func (s *Service) continueRestore(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, recorded []records.File) error {
	unremoved := slices.DeleteFunc(slices.Clone(recorded), func(f records.File) bool { return f.Status != records.Removing })
	raw, err := tx.Rows.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return err
	}
	relPath, err := writeBack(ctx, tx, head, unremoved, raw)
	if err != nil {
		return err
	}
	gone := slices.DeleteFunc(append(removal.PathsOf(recorded), head.Path), func(path string) bool {
		return path == relPath || path != head.Path && !tx.IsFree(path)
	})
	unlisted := restoreToIndexes(tx, c, head, gone, relPath)
	if err := s.scan(ctx, tx, c, written(tx, relPath)); err != nil {
		return err
	}
	if err := rescanBlocked(ctx, s.Store, tx, head.Key()); err != nil {
		return err
	}
	if unlisted != nil {
		return unlisted
	}
	return tx.DB.EndRestore(ctx, head.UUID)
}

// writeBackAttempts is how often writeBack chooses a path, if other processes create files there at
// the same moment. Arbitrary.
const writeBackAttempts = 5

// writeBack writes raw to a path of the memory, or to a new one, and returns the path. A file that
// has the same bytes already is not written again. The error of a failed write is the result of
// WriteConflict. If then nothing was written, and the memory is in the trash or missing, it also
// cancels the restore and marks unremoved for removal again.
func writeBack(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, unremoved []records.File, raw []byte) (relPath string, err error) {
	for range writeBackAttempts {
		var data []byte
		if relPath, data, err = restoreTarget(ctx, tx, head, raw); err != nil {
			return "", err
		}
		options := files.Options{New: true, ModTime: head.ModifiedAt}
		if tx.Agent.Rules().TakesNotes() {
			options.ModTime = time.Time{} // the client has not read it before
		}
		err = tx.Disk.Write(tx.Root, relPath, data, options)
		if err == nil || errors.Is(err, files.ErrExists) && tx.HasHash(relPath, files.Hash(data)) {
			return relPath, nil
		}
		if !errors.Is(err, files.ErrExists) {
			break
		}
	}
	writeErr := agenttx.WriteConflict(relPath, err)
	isInTrash := head.State == memories.Deleted || head.State == memories.Missing
	if !isInTrash || !isNotWritten(err, writeErr) {
		return "", writeErr // the next full scan continues the restore
	}
	return "", errors.Join(tx.DB.CancelRestore(ctx, head, unremoved), writeErr)
}

// restoreTarget returns the path and the bytes of the file to write. It prefers head.Path, then
// other earlier primary paths, then a new path. The path is free, or has a file with these bytes.
// For an unreadable memory it returns head.Path and raw, without this check. It writes nothing.
func restoreTarget(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, raw []byte) (relPath string, data []byte, err error) {
	if !head.Readable {
		return head.Path, raw, nil
	}
	primary, err := primaryFilesInScope(ctx, tx, head)
	if err != nil {
		return "", nil, err
	}
	if tx.Agent.Rules().TakesNotes() && !(tx.Agent.IsNote(head.Path) && tx.IsFree(head.Path)) {
		draft := memories.Draft{Name: head.Name, Type: head.Type}
		if draft.Description, draft.Body, err = tx.Rows.Text(ctx, head.UUID); err != nil {
			return "", nil, err
		}
		relPath = notes.New(tx, head.Name)
		data, err = encodeDraft(tx, nil, relPath, draft)
		return relPath, data, err
	}
	// The file with the content is first.
	if i := slices.IndexFunc(primary, func(f records.PrimaryFile) bool { return f.Path == head.Path }); i > 0 {
		source := primary[i]
		primary = slices.Insert(slices.Delete(primary, i, i+1), 0, source)
	}
	for _, f := range primary {
		data = tx.Agent.WithName(raw, head.Name, f.Path, head.ModifiedAt)
		if tx.IsFree(f.Path) || tx.HasHash(f.Path, files.Hash(data)) {
			return f.Path, data, nil
		}
	}
	for n := 1; ; n++ {
		relPath = numberedPath(tx, memories.Draft{Name: head.Name, Team: head.Team, Type: head.Type}, n)
		data = tx.Agent.WithName(raw, head.Name, relPath, head.ModifiedAt)
		if !exists(tx, relPath) || tx.HasHash(relPath, files.Hash(data)) {
			return relPath, data, nil
		}
	}
}

// FinishRestores continues the restores that an error or a crash has interrupted. Full scans call
// it. It returns the ids of the changed memories, for Publisher.Run. It logs a restore that fails
// because of files or other memories, and continues; the next call tries again. After other errors
// it returns nil and the error. Without an open directory it does nothing.
func (s *Service) FinishRestores(ctx context.Context, tx *agenttx.Tx) (changed []uuid.UUID, err error) {
	if tx.Root == nil {
		return nil, nil
	}
	pending, err := tx.Rows.Restoring(ctx)
	if err != nil {
		return nil, err
	}
	c := &changes{}
	for _, head := range pending {
		_, recorded, err := tx.Rows.RowWithFiles(ctx, head.ID)
		if err == nil {
			err = canRestore(ctx, tx, head)
		}
		if isInTrash := head.State == memories.Deleted || head.State == memories.Missing; err == nil && isInTrash {
			err = s.scanBeforeRestore(ctx, tx, c, head) // a file may have brought it back since
		}
		if err == nil {
			err = s.continueRestore(ctx, tx, c, head, recorded)
		}
		var conflict *memories.ConflictError
		if errors.As(err, &conflict) && !errors.Is(err, memories.ErrUnavailable) || agenttx.IsDiskError(err) {
			tx.Log.Warn("interrupted restore not completed, will retry", "agent", tx.Agent.Slug, "memory", head.Name, "error", err)
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(c.memories, c.found), listWritten(ctx, s, tx, c)
}
