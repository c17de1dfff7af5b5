package ops

import (
	"cmp"
	"context"
	"errors"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// renameMemory gives a memory the name, scope and content of the draft; id and history stay. title
// is for its entries in MEMORY.md; empty means the name. It
// writes the new file, scans it, rewrites the entries in MEMORY.md, removes the old files, and
// writes CLAUDE.md.
// Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written. An error before the
// commit of that scan leaves the old name and files. Errors to test for: *memories.NameTakenError
// if another memory that is not deleted has the draft's key, *memories.ConflictError and
// *memories.InvalidError.
func (s *Service) renameMemory(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft, title string) (Result, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := checkFreeKey(ctx, tx, draft); err != nil {
		return Result{}, err
	}
	recorded, err := tx.Rows.FilesEverOf(ctx, head.UUID)
	if err != nil {
		return Result{}, err
	}
	deletion, indexes, _, err := deletionOf(ctx, tx, head, recorded)
	if err != nil {
		return Result{}, err
	}
	raw, err := tx.Rows.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return Result{}, err
	}
	newFile, err := newFileOf(ctx, tx, head, raw, draft)
	if err != nil {
		return Result{}, err
	}
	if err := tx.DB.ExpectFile(ctx, newFile.path, files.Hash(newFile.data), newFile.content); err != nil {
		return Result{}, err
	}
	to := records.Rename{ID: head.UUID, From: head.Key(), To: draft.Key(), Content: newFile.content, Files: deletion.Files}
	if err := tx.Disk.Write(tx.Root, newFile.path, newFile.data, files.Options{New: true, ModTime: newFile.modTime}); err != nil {
		// The new file may exist. Resume removes it now, and not only in the next full scan.
		return Result{}, errors.Join(agenttx.WriteConflict(newFile.path, err), removal.Resume(ctx, tx))
	}
	c := changes{title: title}
	r := scan.Request{Paths: []string{newFile.path}, Saved: newFile.path, Origin: reconcile.Origin{Actor: tx.Actor, Rename: &to}}
	if err := s.scan(ctx, tx, &c, r); err != nil {
		return Result{}, err
	}
	if taken, err := tx.Rows.RowOf(ctx, draft.Key()); err != nil || taken == nil || taken.UUID != head.UUID {
		// The new file has been removed or replaced already, and the memory was not renamed.
		return Result{}, cmp.Or(err, agenttx.ChangedOnDisk(newFile.path))
	}
	after := entryOfDraft(draft, newFile.path)
	after.Name = cmp.Or(title, after.Name)
	for _, f := range deletion.Files {
		if err := relist(tx, &c, entryOf(head, f.Path), after); err != nil {
			return Result{}, err
		}
	}
	if c.removed, err = removal.Unlink(ctx, tx, deletion.Files, indexes, nil); err != nil {
		return Result{}, err
	}
	return s.publishWritten(ctx, tx, &c, draft.Key())
}

// checkFreeKey returns *memories.NameTakenError if a memory that is not deleted has the draft's
// key.
func checkFreeKey(ctx context.Context, tx *agenttx.Tx, draft memories.Draft) error {
	taken, err := tx.Rows.RowOf(ctx, draft.Key())
	if err == nil && taken != nil && taken.State != memories.Deleted {
		return &memories.NameTakenError{Name: draft.Name, ID: taken.ID}
	}
	return err
}

// memoryFile is a file that is to be written for a memory.
type memoryFile struct {
	path    string
	data    []byte
	modTime time.Time // zero means now
	content memories.Fingerprint
}

// newFileOf returns a new file for the draft, at a path where no file is. It writes nothing. raw
// are the stored bytes of the memory head, or nil. If the name stays, the file gets raw and the
// memory's modification time. Otherwise the draft is written into raw. It returns
// *memories.InvalidError if the file is too large or is team memory with a credential. It returns
// *memories.ConflictError if its path leads out of team memory.
func newFileOf(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, raw []byte, draft memories.Draft) (memoryFile, error) {
	relPath, err := unrecordedTarget(ctx, tx, draft)
	if err != nil {
		return memoryFile{}, err
	}
	newFile := memoryFile{path: relPath}
	if draft.Name == head.Name {
		newFile.modTime = head.ModifiedAt
	}
	if raw != nil && draft.Name == head.Name {
		newFile.data = tx.Agent.WithName(raw, head.Name, relPath, head.ModifiedAt)
	} else if newFile.data, err = encodeDraft(tx, raw, relPath, draft); err != nil {
		return memoryFile{}, err
	}
	parsed := tx.Parse(newFile.data, relPath)
	newFile.content = parsed.Fingerprint(newFile.data)
	return newFile, checkTeamContent(tx, draft, relPath, newFile.data)
}
