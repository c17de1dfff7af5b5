package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// Save writes a memory under its name, whatever was there before: a new one, a new content of one that lives, or one
// that comes back from the trash. When it returns, its file and CLAUDE.md are on disk. Created says that it did not
// live before.
//
// It fails with memories.ErrNotFound for an unknown agent, *memories.InvalidError for a field that cannot be taken, and
// *memories.ConflictError when the memory's file has changed on disk since it was read.
func (e *Engine) Save(ctx context.Context, slug string, draft Draft) (Result, error) {
	return callSave.do(ctx, e, slug, saveOp{Draft: draft})
}

// Create is Save under a name that no living memory has. It fails with *memories.NameTakenError where one has it, and as
// Save does.
func (e *Engine) Create(ctx context.Context, slug string, draft Draft) (Result, error) {
	return callSave.do(ctx, e, slug, saveOp{Draft: draft, OnlyNew: true})
}

func (e *Engine) saveLocal(ctx context.Context, slug string, op saveOp) (Result, error) {
	draft := op.Draft
	if err := draft.check(); err != nil {
		return Result{}, err
	}
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		draft = h.ownScope(draft)
		row, err := h.w.HeadOf(ctx, draft.key())
		if err != nil {
			return err
		}
		created := row == nil || row.State == memories.Deleted
		if op.OnlyNew && !created {
			return &memories.NameTakenError{Name: row.Name, ID: row.ID}
		}
		result, err = h.write(ctx, row, draft)
		result.Created = created
		return err
	})
	return result, err
}

// Patch changes a part of a memory. A memory with a new name keeps its id and its history, and gets another file.
// match is the ETag of what the user saw; empty: whatever there is. It fails as Save and Delete do, and with
// *memories.NameTakenError where another memory lives under the new name.
func (e *Engine) Patch(ctx context.Context, slug, id, etag string, patch Patch) (Result, error) {
	return callPatch.do(ctx, e, slug, patchOp{MemoryRef{id, etag}, patch})
}

func (e *Engine) patchLocal(ctx context.Context, slug string, op patchOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		row, err := h.memoryRow(ctx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		draft, err := h.patchedDraft(ctx, row, op.Patch)
		if err != nil {
			return err
		}
		if draft.key() != row.Key() {
			result, err = h.rename(ctx, row, draft)
		} else {
			result, err = h.write(ctx, &row, draft)
		}
		return err
	})
	return result, err
}

// patchedDraft returns the memory as it is to be.
func (h *hold) patchedDraft(ctx context.Context, row records.MemoryRow, patch Patch) (Draft, error) {
	switch {
	case row.State == memories.Deleted:
		return Draft{}, errInTrash
	case !row.Readable:
		return Draft{}, &memories.ConflictError{Reason: "The file could not be read, so it cannot be edited here. Nothing was changed. Mend it on disk, or delete it."}
	}
	description, body, err := h.w.Text(ctx, row.UUID)
	if err != nil {
		return Draft{}, err
	}
	draft := Draft{Name: row.Name, Team: row.Team, Type: row.Type, Description: description, Body: body, Metadata: patch.Metadata}
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
		return draft, typed.check()
	}
	return draft, draft.check()
}

// write brings a draft to the disk, the database and CLAUDE.md. head is the memory of that name, nil where there is none.
func (h *hold) write(ctx context.Context, row *records.MemoryRow, draft Draft) (Result, error) {
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	target, err := h.target(ctx, row, draft)
	if err != nil {
		return Result{}, err
	}
	data, err := h.contentFor(ctx, row, target, draft)
	if err != nil {
		return Result{}, err
	}
	if err := h.checkTeamContent(draft, target.path, data); err != nil {
		return Result{}, err
	}
	parsed := frontmatter.Parse(data, "")
	err = h.writeAllowed(ctx, draft.key(), parsed.Fingerprint(data), target.path, data, func() error {
		return h.overwrite(target.path, data, files.Options{New: !target.present, IfHash: target.hash})
	})
	if err != nil {
		return Result{}, err
	}
	if err := h.scanSaved(ctx, target.path, scanOrigin{actor: actorOf(ctx)}); err != nil {
		return Result{}, err
	}
	if err := h.rescanBlocked(ctx, draft.key()); err != nil {
		return Result{}, err
	}
	if err := h.publish(ctx); err != nil {
		return Result{}, err
	}
	return h.resultByKey(ctx, draft.key())
}

// writeAllowed writes a content at a path for somebody who wants it, whether or not it was deleted before. The tombstone is lifted first:
// between the two steps the memory is only not there yet, never kept out. Where certainly nothing was written, it is blocked as before.
func (h *hold) writeAllowed(ctx context.Context, key memories.Key, content memories.Fingerprint, relPath string, data []byte, write func() error) error {
	deletedAt, err := h.w.Allow(ctx, key, content)
	if err != nil {
		return err
	}
	err = write()
	if err == nil {
		return nil
	}
	reason := writeConflict(relPath, err)
	if isNotWritten(err, reason) || h.lacksContent(relPath, files.Hash(data)) {
		if err := h.w.KeepOut(ctx, key, content, deletedAt); err != nil {
			return errors.Join(err, reason)
		}
	}
	return reason
}

// lacksContent says that a path certainly has other bytes, or that there is nothing: a write that failed has not got as far as the rename.
func (h *hold) lacksContent(relPath, hash string) bool {
	found, err := files.ReadHash(h.root, relPath)
	return errors.Is(err, fs.ErrNotExist) || err == nil && found != hash
}

// isNotWritten says of a write that failed, and why, that certainly nothing was written.
func isNotWritten(err, reason error) bool {
	var conflict *memories.ConflictError
	return errors.As(reason, &conflict) && !errors.Is(err, syscall.EIO)
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
func (h *hold) target(ctx context.Context, row *records.MemoryRow, draft Draft) (target, error) {
	if row == nil {
		return h.newTarget(draft), nil
	}
	primary, err := h.primaryFilesOf(ctx, *row)
	if err != nil {
		return target{}, err
	}
	primary = withoutCopies(primary)
	primary = slices.DeleteFunc(primary, func(f records.PrimaryFile) bool { return f.Present && !f.Readable })
	for _, f := range primary {
		if f.Present && (f.Path == row.Path || row.Session != "" || !contains(primary, row.Path)) {
			return target{f.Path, true, f.Hash, f.Unfinished}, nil
		}
	}
	for _, f := range primary {
		if !f.Present && h.isFree(f.Path) {
			return target{path: f.Path}, nil
		}
	}
	return h.newTarget(draft), nil
}

func contains(primary []records.PrimaryFile, path string) bool {
	for _, f := range primary {
		if f.Present && f.Path == path {
			return true
		}
	}
	return false
}

// newTarget returns a path of the primary directory at which there is nothing.
func (h *hold) newTarget(draft Draft) target {
	for n := 1; ; n++ {
		if p := h.numberedPath(draft, n); !h.exists(p) {
			return target{path: p}
		}
	}
}

// unrecordedTarget returns a path of the primary directory at which there is nothing, on record either: a file whose going has not
// been seen yet has still to take its leave of its memory, which a mark in its place would keep it from.
func (h *hold) unrecordedTarget(ctx context.Context, draft Draft) (string, error) {
	for n := 1; ; n++ {
		p := h.numberedPath(draft, n)
		if h.exists(p) {
			continue
		}
		known, err := h.w.FilesAt(ctx, []string{p})
		if err != nil || len(known) == 0 || !known[0].Present {
			return p, err
		}
	}
}

// numberedPath returns the n-th path of the primary directory that a file of such a memory may have.
func (h *hold) numberedPath(draft Draft, n int) string {
	dir := h.onDisk.PrimaryDir()
	if draft.Team {
		dir = h.onDisk.TeamDir()
	}
	return path.Join(dir, memories.NumberedFileName(memories.FileName(draft.Type, draft.Name), n))
}

// primaryFilesOf returns the primary files of a memory that are where it belongs, the present ones first.
func (h *hold) primaryFilesOf(ctx context.Context, row records.MemoryRow) ([]records.PrimaryFile, error) {
	primary, err := h.w.PrimaryFilesOf(ctx, row.UUID)
	return slices.DeleteFunc(primary, func(f records.PrimaryFile) bool {
		return row.Readable && h.onDisk.InTeam(f.Path) != row.Team
	}), err
}

func (h *hold) isFree(p string) bool { return isFree(h.root, p) }

func isFree(root *os.Root, p string) bool {
	_, err := files.Lstat(root, p)
	return errors.Is(err, fs.ErrNotExist)
}

// exists says that there is something. What cannot be scanned is not taken: whoever writes there is told why.
func (h *hold) exists(p string) bool {
	_, err := files.Lstat(h.root, p)
	return err == nil
}

// contentFor returns the bytes to write: what is there with the draft in it, so that keys unknown to Memoir survive.
func (h *hold) contentFor(ctx context.Context, row *records.MemoryRow, t target, draft Draft) ([]byte, error) {
	var base []byte
	var err error
	if t.present {
		base, err = readAll(h.root, t.path, memories.MaxFileSize)
		if err != nil || files.Hash(base) != t.hash {
			h.queue.Add(h.onDisk.Slug, t.path)
			return nil, changedOnDisk(t.path)
		}
	}
	if row != nil && (!t.present || t.unfinished) {
		if base, err = h.w.CurrentRaw(ctx, row.UUID); err != nil {
			return nil, err
		}
	}
	return encodeDraft(base, draft)
}

// encodeDraft returns the file of a draft: base with what it says in it, so that keys unknown to Memoir survive. It fails
// with *memories.InvalidError where that would be too large to be read back.
func encodeDraft(base []byte, draft Draft) ([]byte, error) {
	data := frontmatter.Encode(draft.content())
	if base != nil {
		data = frontmatter.Rewrite(base, draft.content(), time.Now())
	}
	data = frontmatter.WithMetadata(data, draft.Metadata)
	if len(data) > memories.MaxFileSize {
		return nil, &memories.InvalidError{Field: "body", Reason: "makes, with the rest of the file, more than 1 MiB, which could not be read back. Nothing was written"}
	}
	return data, nil
}

// errInTrash means that only a restore can be asked of a deleted memory.
var errInTrash = &memories.ConflictError{Reason: "The memory is in the trash. Nothing was changed. Restore it first."}

func changedOnDisk(path string) error {
	return &memories.ConflictError{Reason: path + " has changed on disk since it was read. Nothing was written. Look at what it says now and save again."}
}

func writeConflict(path string, err error) error {
	switch {
	case files.IsOwnership(err):
		return ownershipConflict(err)
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrExists), errors.Is(err, fs.ErrNotExist):
		return changedOnDisk(path)
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, syscall.ENOTDIR), errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrOwner), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed.", path, fsCause(err))}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed. Make room on its disk, and try again.", path, fsCause(err))}
	case errors.Is(err, syscall.EIO):
		return &memories.ConflictError{Reason: fmt.Sprintf("The disk failed while %s was written (%v). It says what it said before, or all of what it was to say. Look at it, and try again.", path, fsCause(err))}
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// scanFile mirrors a file that was just written for whoever asks, as if a scan had found it changed.
func (h *hold) scanFile(ctx context.Context, file string) error {
	_, err := h.runScan(ctx, []string{file}, scanOrigin{actor: actorOf(ctx)})
	return err
}

// scanSaved mirrors a file that was just written because somebody asked for what it says.
func (h *hold) scanSaved(ctx context.Context, file string, origin scanOrigin) error {
	h.savedPath = file
	defer func() { h.savedPath = "" }()
	_, err := h.runScan(ctx, []string{file}, origin)
	return err
}

func (h *hold) resultByKey(ctx context.Context, key memories.Key) (Result, error) {
	row, err := h.w.HeadOf(ctx, key)
	if err != nil {
		return Result{}, err
	}
	if row == nil {
		return Result{}, fmt.Errorf("the memory %q was written and could not be read back: %w", key.Name, memories.ErrNotFound)
	}
	return h.result(ctx, row.ID)
}

// rename gives the memory its new key in one step: the commit that takes in the new file. Its history goes with it. If anything ends
// the rename before that, the new file is removed.
func (h *hold) rename(ctx context.Context, row records.MemoryRow, draft Draft) (Result, error) {
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := h.isFreeKey(ctx, draft); err != nil {
		return Result{}, err
	}
	on, err := h.w.FilesEverOf(ctx, row.UUID)
	if err != nil {
		return Result{}, err
	}
	deletion, indexes, err := h.deletionOf(ctx, row, on)
	if err != nil {
		return Result{}, err
	}
	next, err := h.fileUnderKey(ctx, row, draft)
	if err != nil {
		return Result{}, err
	}
	if err := h.w.PromiseFile(ctx, next.path, files.Hash(next.data), next.fingerprint()); err != nil {
		return Result{}, err
	}
	to := records.Rename{ID: row.UUID, From: row.Key(), To: draft.key(), Content: next.fingerprint(), Files: deletion.Files}
	if err := h.disk.Write(h.root, next.path, next.data, files.Options{New: true, ModTime: next.modTime}); err != nil {
		return Result{}, errors.Join(writeConflict(next.path, err), h.finishDeletions(ctx)) // the next scan may not get there
	}
	if err := h.scanSaved(ctx, next.path, scanOrigin{actor: actorOf(ctx), rename: &to}); err != nil {
		return Result{}, err
	}
	if taken, err := h.w.HeadOf(ctx, draft.key()); err != nil || taken == nil || taken.UUID != row.UUID {
		// Somebody has removed or replaced the new file already. It took nothing with it: the old ones stay.
		return Result{}, cmp.Or(err, changedOnDisk(next.path))
	}
	if err := h.removeFiles(ctx, deletion.Files, indexes); err != nil {
		return Result{}, err
	}
	if err := h.recordRemoved(ctx); err != nil {
		return Result{}, err
	}
	if err := h.rescanBlocked(ctx, draft.key()); err != nil {
		return Result{}, err
	}
	if err := h.publish(ctx); err != nil {
		return Result{}, err
	}
	return h.resultByKey(ctx, draft.key())
}
