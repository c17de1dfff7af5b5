package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

func (s *Service) Save(ctx context.Context, slug string, op SaveOp) (Result, error) {
	draft := op.Draft
	if err := draft.Check(); err != nil {
		return Result{}, err
	}
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		draft = ownScope(tx, draft)
		head, err := tx.DB.HeadOf(ctx, draft.Key())
		if err != nil {
			return err
		}
		created := head == nil || head.State == memories.Deleted
		if op.OnlyNew && !created {
			return &memories.NameTakenError{Name: head.Name, ID: head.ID}
		}
		result, err = s.writeMemory(ctx, tx, head, draft)
		result.Created = created
		return err
	})
	return result, err
}

func (s *Service) Patch(ctx context.Context, slug string, op PatchOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		draft, err := patchedDraft(ctx, tx, head, op.Patch)
		if err != nil {
			return err
		}
		if draft.Key() != head.Key() {
			result, err = s.renameMemory(ctx, tx, head, draft)
		} else {
			result, err = s.writeMemory(ctx, tx, &head, draft)
		}
		return err
	})
	return result, err
}

// patchedDraft returns the memory as it is to be.
func patchedDraft(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, patch memories.Patch) (memories.Draft, error) {
	switch {
	case head.State == memories.Deleted:
		return memories.Draft{}, errInTrash
	case !head.Readable:
		return memories.Draft{}, &memories.ConflictError{Reason: "The file could not be read, so it cannot be edited here. Nothing was changed. Mend it on disk, or delete it."}
	}
	description, body, err := tx.DB.Text(ctx, head.UUID)
	if err != nil {
		return memories.Draft{}, err
	}
	draft := memories.Draft{Name: head.Name, Team: head.Team, Type: head.Type, Description: description, Body: body, Metadata: patch.Metadata}
	if patch.Name != nil {
		draft.Name = *patch.Name
	}
	if patch.Type != nil {
		draft.Type = *patch.Type
	}
	if patch.Description != nil {
		draft.Description = *patch.Description
	}
	if patch.Body != nil {
		draft.Body = *patch.Body
	}
	if draft.Type == "" { // an edit of a memory that needs attention may leave its type open
		typed := draft
		typed.Type = memories.Feedback
		return draft, typed.Check()
	}
	return draft, draft.Check()
}

// write brings a draft to the disk, the database and CLAUDE.md. head is the memory of that name, nil where there is none.
func (s *Service) writeMemory(ctx context.Context, tx *agenttx.Tx, head *records.MemoryRow, draft memories.Draft) (Result, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	target, err := chooseTarget(ctx, tx, head, draft)
	if err != nil {
		return Result{}, err
	}
	data, err := contentFor(ctx, tx, head, target, draft)
	if err != nil {
		return Result{}, err
	}
	if err := checkTeamContent(tx, draft, target.path, data); err != nil {
		return Result{}, err
	}
	parsed := frontmatter.Parse(data, "")
	err = writeAllowed(ctx, tx, draft.Key(), parsed.Fingerprint(data), target.path, data, func() error {
		return tx.Overwrite(target.path, data, files.Options{New: !target.present, IfHash: target.hash})
	})
	if err != nil {
		return Result{}, err
	}
	var c changes
	if err := s.scan(ctx, tx, &c, saved(tx, target.path)); err != nil {
		return Result{}, err
	}
	if err := rescanBlocked(ctx, s.Store, tx, draft.Key()); err != nil {
		return Result{}, err
	}
	state, err := s.publish(ctx, tx, &c)
	if err != nil {
		return Result{}, err
	}
	return resultByKey(ctx, tx, draft.Key(), state)
}

// writeAllowed writes a content at a path for somebody who wants it, whether or not it was deleted before. The tombstone is lifted first:
// between the two steps the memory is only not there yet, never kept out. Where certainly nothing was written, it is blocked as before.
func writeAllowed(ctx context.Context, tx *agenttx.Tx, key memories.Key, content memories.Fingerprint, place string, data []byte, write func() error) error {
	deletedAt, err := tx.DB.Allow(ctx, key, content)
	if err != nil {
		return err
	}
	err = write()
	if err == nil {
		return nil
	}
	why := WriteConflict(place, err)
	if isNotWritten(err, why) || lacksContent(tx, place, files.Hash(data)) {
		if err := tx.DB.KeepOut(ctx, key, content, deletedAt); err != nil {
			return errors.Join(err, why)
		}
	}
	return why
}

// lacksContent reports whether a path certainly has other bytes, or that there is nothing: a write that failed has not got as far as the rename.
func lacksContent(tx *agenttx.Tx, place, hash string) bool {
	found, err := files.ReadHash(tx.Root, place)
	return errors.Is(err, fs.ErrNotExist) || err == nil && found != hash
}

// isNotWritten reports of a write that failed, and why, that certainly nothing was written.
func isNotWritten(err, why error) bool {
	var conflict *memories.ConflictError
	return errors.As(why, &conflict) && !errors.Is(err, syscall.EIO)
}

// target is the primary file that a memory is written to.
type target struct {
	path    string
	present bool
	hash    string // of what is there, as it was last read
	// unfinished reports whether what is there is not the base of what is written, but the last good content.
	unfinished bool
}

// target chooses the file: the primary one that carries the memory, else a new one. What cannot be read stays as it is, although it
// carried the memory once: nobody knows what a save would take away.
func chooseTarget(ctx context.Context, tx *agenttx.Tx, head *records.MemoryRow, draft memories.Draft) (target, error) {
	if head == nil {
		return newTarget(tx, draft), nil
	}
	durable, err := primaryFilesOf(ctx, tx, *head)
	if err != nil {
		return target{}, err
	}
	durable = reconcile.WithoutCopies(durable)
	durable = slices.DeleteFunc(durable, func(f records.PrimaryFile) bool { return f.Present && !f.Readable })
	for _, f := range durable {
		if f.Present && (f.Path == head.Path || head.Session != "" || !contains(durable, head.Path)) {
			return target{f.Path, true, f.Hash, f.Unfinished}, nil
		}
	}
	for _, f := range durable {
		if !f.Present && tx.IsFree(f.Path) {
			return target{path: f.Path}, nil
		}
	}
	return newTarget(tx, draft), nil
}

func contains(durable []records.PrimaryFile, path string) bool {
	for _, f := range durable {
		if f.Present && f.Path == path {
			return true
		}
	}
	return false
}

// newTarget returns a path of the primary directory at which there is nothing.
func newTarget(tx *agenttx.Tx, draft memories.Draft) target {
	for n := 1; ; n++ {
		if p := numberedPath(tx, draft, n); !exists(tx, p) {
			return target{path: p}
		}
	}
}

// unrecordedTarget returns a path of the primary directory at which there is nothing, on record either: a file whose going has not
// been seen yet has still to take its leave of its memory, which a mark in its place would keep it from.
func unrecordedTarget(ctx context.Context, tx *agenttx.Tx, draft memories.Draft) (string, error) {
	for n := 1; ; n++ {
		p := numberedPath(tx, draft, n)
		if exists(tx, p) {
			continue
		}
		known, err := tx.DB.FilesAt(ctx, []string{p})
		if err != nil || len(known) == 0 || !known[0].Present {
			return p, err
		}
	}
}

// numberedPath returns the n-th path of the primary directory that a file of such a memory may have.
func numberedPath(tx *agenttx.Tx, draft memories.Draft, n int) string {
	dir := tx.Agent.PrimaryDir()
	if draft.Team {
		dir = tx.Agent.TeamDir()
	}
	return path.Join(dir, memories.NumberedFileName(memories.FileName(draft.Type, draft.Name), n))
}

// primaryFilesOf returns the primary files of a memory that are where it belongs, the present ones first.
func primaryFilesOf(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow) ([]records.PrimaryFile, error) {
	durable, err := tx.DB.PrimaryFilesOf(ctx, head.UUID)
	return slices.DeleteFunc(durable, func(f records.PrimaryFile) bool {
		return head.Readable && tx.Agent.InTeam(f.Path) != head.Team
	}), err
}

// exists reports whether there is something. What cannot be scanned is not taken: whoever writes there is told why.
func exists(tx *agenttx.Tx, p string) bool {
	_, err := files.Lstat(tx.Root, p)
	return err == nil
}

// contentFor returns the bytes to write: what is there with the draft in it, so that keys unknown to Memoir survive.
func contentFor(ctx context.Context, tx *agenttx.Tx, head *records.MemoryRow, t target, draft memories.Draft) ([]byte, error) {
	var base []byte
	var err error
	if t.present {
		base, err = agenttx.ReadAll(tx.Root, t.path, memories.MaxFileSize)
		if err != nil || files.Hash(base) != t.hash {
			tx.Rescan(t.path)
			return nil, agenttx.ChangedOnDisk(t.path)
		}
	}
	if head != nil && (!t.present || t.unfinished) {
		if base, err = tx.DB.CurrentRaw(ctx, head.UUID); err != nil {
			return nil, err
		}
	}
	return encodeDraft(base, draft)
}

// encodeDraft returns the file of a draft: base with what it says in it, so that keys unknown to Memoir survive. It fails
// with *memories.InvalidError where that would be too large to be read back.
func encodeDraft(base []byte, draft memories.Draft) ([]byte, error) {
	data := frontmatter.Encode(draft.Content())
	if base != nil {
		data = frontmatter.Rewrite(base, draft.Content(), time.Now())
	}
	data = frontmatter.WithMetadata(data, draft.Metadata)
	if len(data) > memories.MaxFileSize {
		return nil, &memories.InvalidError{Field: "body", Reason: "makes, with the rest of the file, more than 1 MiB, which could not be read back. Nothing was written"}
	}
	return data, nil
}

// errInTrash means that only a restore can be asked of a deleted memory.
var errInTrash = &memories.ConflictError{Reason: "The memory is in the trash. Nothing was changed. Restore it first."}

func WriteConflict(path string, err error) error {
	switch {
	case files.IsOwnership(err):
		return agenttx.OwnershipConflict(err)
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrExists), errors.Is(err, fs.ErrNotExist):
		return agenttx.ChangedOnDisk(path)
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, syscall.ENOTDIR), errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrOwner), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed.", path, agenttx.FSCause(err))}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed. Make room on its disk, and try again.", path, agenttx.FSCause(err))}
	case errors.Is(err, syscall.EIO):
		return &memories.ConflictError{Reason: fmt.Sprintf("The disk failed while %s was written (%v). It says what it said before, or all of what it was to say. Look at it, and try again.", path, agenttx.FSCause(err))}
	}
	return fmt.Errorf("write %s: %w", path, err)
}

func resultByKey(ctx context.Context, tx *agenttx.Tx, key memories.Key, state records.ClaudeMD) (Result, error) {
	head, err := tx.DB.HeadOf(ctx, key)
	if err != nil {
		return Result{}, err
	}
	if head == nil {
		return Result{}, fmt.Errorf("the memory %q was written and could not be read back: %w", key.Name, memories.ErrNotFound)
	}
	return readResult(ctx, tx, head.ID, state)
}

// rename gives the memory its new key in one step: the commit that takes in the new file. Its history goes with it. If anything ends
// the rename before that, the new file is removed.
func (s *Service) renameMemory(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (Result, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := isFreeKey(ctx, tx, draft); err != nil {
		return Result{}, err
	}
	on, err := tx.DB.FilesEverOf(ctx, head.UUID)
	if err != nil {
		return Result{}, err
	}
	deletion, indexes, err := deletionOf(ctx, tx, head, on)
	if err != nil {
		return Result{}, err
	}
	next, err := fileUnderKey(ctx, tx, head, draft)
	if err != nil {
		return Result{}, err
	}
	if err := tx.DB.PromiseFile(ctx, next.path, files.Hash(next.data), next.fingerprint()); err != nil {
		return Result{}, err
	}
	to := records.Rename{ID: head.UUID, From: head.Key(), To: draft.Key(), Content: next.fingerprint(), Files: deletion.Files}
	if err := tx.Disk.Write(tx.Root, next.path, next.data, files.Options{New: true, ModTime: next.modTime}); err != nil {
		return Result{}, errors.Join(WriteConflict(next.path, err), removal.Resume(ctx, tx)) // the next scan may not get there
	}
	var c changes
	r := scan.Request{Paths: []string{next.path}, Saved: next.path, Origin: reconcile.Origin{Actor: tx.Actor, Rename: &to}}
	if err := s.scan(ctx, tx, &c, r); err != nil {
		return Result{}, err
	}
	if taken, err := tx.DB.HeadOf(ctx, draft.Key()); err != nil || taken == nil || taken.UUID != head.UUID {
		// Somebody has removed or replaced the new file already. It took nothing with it: the old ones stay.
		return Result{}, cmp.Or(err, agenttx.ChangedOnDisk(next.path))
	}
	if c.removed, err = removal.Unlink(ctx, tx, deletion.Files, indexes); err != nil {
		return Result{}, err
	}
	if err := rescanBlocked(ctx, s.Store, tx, draft.Key()); err != nil {
		return Result{}, err
	}
	state, err := s.publish(ctx, tx, &c)
	if err != nil {
		return Result{}, err
	}
	return resultByKey(ctx, tx, draft.Key(), state)
}

type SaveOp struct {
	Draft   memories.Draft
	OnlyNew bool // fail if a memory of that name lives
}

type PatchOp struct {
	Ref   MemoryRef `json:"Seen"`
	Patch memories.Patch
}
