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

func (e *Engine) saveHere(ctx context.Context, slug string, op saveOp) (Result, error) {
	draft := op.Draft
	if err := draft.check(); err != nil {
		return Result{}, err
	}
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		draft = h.ownScope(draft)
		head, err := h.w.HeadOf(ctx, draft.key())
		if err != nil {
			return err
		}
		created := head == nil || head.State == memories.Deleted
		if op.OnlyNew && !created {
			return &memories.NameTakenError{Name: head.Name, ID: head.ID}
		}
		result, err = h.write(ctx, head, draft)
		result.Created = created
		return err
	})
	return result, err
}

// Patch changes a part of a memory. A memory with a new name keeps its id and its history, and gets another file.
// match is the ETag of what the user saw; empty: whatever there is. It fails as Save and Delete do, and with
// *memories.NameTakenError where another memory lives under the new name.
func (e *Engine) Patch(ctx context.Context, slug, id, match string, patch Patch) (Result, error) {
	return callPatch.do(ctx, e, slug, patchOp{Seen{id, match}, patch})
}

func (e *Engine) patchHere(ctx context.Context, slug string, op patchOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		head, err := h.head(ctx, op.Seen.ID, op.Seen.Match)
		if err != nil {
			return err
		}
		draft, err := h.patched(ctx, head, op.Patch)
		if err != nil {
			return err
		}
		if draft.key() != head.Key() {
			result, err = h.rename(ctx, head, draft)
		} else {
			result, err = h.write(ctx, &head, draft)
		}
		return err
	})
	return result, err
}

// patched returns the memory as it is to be.
func (h *hold) patched(ctx context.Context, head records.MemoryRow, patch Patch) (Draft, error) {
	switch {
	case head.State == memories.Deleted:
		return Draft{}, errInTrash
	case !head.Readable:
		return Draft{}, &memories.ConflictError{Reason: "The file could not be read, so it cannot be edited here. Nothing was changed. Mend it on disk, or delete it."}
	}
	description, body, err := h.w.Text(ctx, head.UUID)
	if err != nil {
		return Draft{}, err
	}
	draft := Draft{Name: head.Name, Team: head.Team, Type: head.Type, Description: description, Body: body, Metadata: patch.Metadata}
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
func (h *hold) write(ctx context.Context, head *records.MemoryRow, draft Draft) (Result, error) {
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	target, err := h.target(ctx, head, draft)
	if err != nil {
		return Result{}, err
	}
	data, err := h.contentFor(ctx, head, target, draft)
	if err != nil {
		return Result{}, err
	}
	if err := h.mayBeWritten(draft, target.path, data); err != nil {
		return Result{}, err
	}
	parsed := frontmatter.Parse(data, "")
	err = h.letIn(ctx, draft.key(), parsed.Fingerprint(data), target.path, data, func() error {
		return h.overwrite(target.path, data, files.Options{New: !target.present, IfHash: target.hash})
	})
	if err != nil {
		return Result{}, err
	}
	if err := h.takeInSaved(ctx, target.path, cause{actor: actorOf(ctx)}); err != nil {
		return Result{}, err
	}
	if err := h.lookAtBlocked(ctx, draft.key()); err != nil {
		return Result{}, err
	}
	if err := h.publish(ctx); err != nil {
		return Result{}, err
	}
	return h.resultOf(ctx, draft.key())
}

// letIn writes a content at a path for somebody who wants it, whether or not it was deleted before. The tombstone is lifted first:
// between the two steps the memory is only not there yet, never kept out. Where certainly nothing was written, it is kept out as before.
func (h *hold) letIn(ctx context.Context, key memories.Key, content memories.Fingerprint, place string, data []byte, write func() error) error {
	deletedAt, err := h.w.Allow(ctx, key, content)
	if err != nil {
		return err
	}
	err = write()
	if err == nil {
		return nil
	}
	why := writeConflict(place, err)
	if isUnwritten(err, why) || h.isWithout(place, files.Hash(data)) {
		if err := h.w.KeepOut(ctx, key, content, deletedAt); err != nil {
			return errors.Join(err, why)
		}
	}
	return why
}

// isWithout says that a path certainly has other bytes, or that there is nothing: a write that failed has not got as far as the rename.
func (h *hold) isWithout(place, hash string) bool {
	found, err := files.ReadHash(h.root, place)
	return errors.Is(err, fs.ErrNotExist) || err == nil && found != hash
}

// isUnwritten says of a write that failed, and why, that certainly nothing was written.
func isUnwritten(err, why error) bool {
	var conflict *memories.ConflictError
	return errors.As(why, &conflict) && !errors.Is(err, syscall.EIO)
}

// target is the durable file that a memory is written to.
type target struct {
	path    string
	present bool
	hash    string // of what is there, as it was last read
	// unfinished reports whether what is there is not the base of what is written, but the last good content.
	unfinished bool
}

// target chooses the file: the durable one that carries the memory, else a new one. What cannot be read stays as it is, although it
// carried the memory once: nobody knows what a save would take away.
func (h *hold) target(ctx context.Context, head *records.MemoryRow, draft Draft) (target, error) {
	if head == nil {
		return h.newTarget(draft), nil
	}
	durable, err := h.durableFilesOf(ctx, *head)
	if err != nil {
		return target{}, err
	}
	durable = withoutCopies(durable)
	durable = slices.DeleteFunc(durable, func(f records.DurableFile) bool { return f.Present && !f.Readable })
	for _, f := range durable {
		if f.Present && (f.Path == head.Path || head.Session != "" || !contains(durable, head.Path)) {
			return target{f.Path, true, f.Hash, f.Unfinished}, nil
		}
	}
	for _, f := range durable {
		if !f.Present && h.isFree(f.Path) {
			return target{path: f.Path}, nil
		}
	}
	return h.newTarget(draft), nil
}

func contains(durable []records.DurableFile, path string) bool {
	for _, f := range durable {
		if f.Present && f.Path == path {
			return true
		}
	}
	return false
}

// newTarget returns a path of the durable directory at which there is nothing.
func (h *hold) newTarget(draft Draft) target {
	for n := 1; ; n++ {
		if p := h.numbered(draft, n); !h.isTaken(p) {
			return target{path: p}
		}
	}
}

// unknownTarget returns a path of the durable directory at which there is nothing, on record either: a file whose going has not
// been seen yet has still to take its leave of its memory, which a mark in its place would keep it from.
func (h *hold) unknownTarget(ctx context.Context, draft Draft) (string, error) {
	for n := 1; ; n++ {
		p := h.numbered(draft, n)
		if h.isTaken(p) {
			continue
		}
		known, err := h.w.FilesAt(ctx, []string{p})
		if err != nil || len(known) == 0 || !known[0].Present {
			return p, err
		}
	}
}

// numbered returns the n-th path of the durable directory that a file of such a memory may have.
func (h *hold) numbered(draft Draft, n int) string {
	dir := h.onDisk.PrimaryDir()
	if draft.Team {
		dir = h.onDisk.TeamDir()
	}
	return path.Join(dir, memories.NumberedFileName(memories.FileName(draft.Type, draft.Name), n))
}

// durableFilesOf returns the durable files of a memory that are where it belongs, the present ones first.
func (h *hold) durableFilesOf(ctx context.Context, head records.MemoryRow) ([]records.DurableFile, error) {
	durable, err := h.w.DurableFilesOf(ctx, head.UUID)
	return slices.DeleteFunc(durable, func(f records.DurableFile) bool {
		return head.Readable && h.onDisk.InTeam(f.Path) != head.Team
	}), err
}

func (h *hold) isFree(p string) bool { return isFree(h.root, p) }

func isFree(root *os.Root, p string) bool {
	_, err := files.Lstat(root, p)
	return errors.Is(err, fs.ErrNotExist)
}

// isTaken says that there is something. What cannot be looked at is not taken: whoever writes there is told why.
func (h *hold) isTaken(p string) bool {
	_, err := files.Lstat(h.root, p)
	return err == nil
}

// contentFor returns the bytes to write: what is there with the draft in it, so that keys unknown to Memoir survive.
func (h *hold) contentFor(ctx context.Context, head *records.MemoryRow, t target, draft Draft) ([]byte, error) {
	var base []byte
	var err error
	if t.present {
		base, err = readAll(h.root, t.path, memories.MaxFileSize)
		if err != nil || files.Hash(base) != t.hash {
			h.queue.Add(h.onDisk.Slug, t.path)
			return nil, changedOnDisk(t.path)
		}
	}
	if head != nil && (!t.present || t.unfinished) {
		if base, err = h.w.CurrentRaw(ctx, head.UUID); err != nil {
			return nil, err
		}
	}
	return written(base, draft)
}

// written returns the file of a draft: base with what it says in it, so that keys unknown to Memoir survive. It fails
// with *memories.InvalidError where that would be too large to be read back.
func written(base []byte, draft Draft) ([]byte, error) {
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

// errInTrash says that only a restore can be asked of a deleted memory.
var errInTrash = &memories.ConflictError{Reason: "The memory is in the trash. Nothing was changed. Restore it first."}

func changedOnDisk(path string) error {
	return &memories.ConflictError{Reason: path + " has changed on disk since it was read. Nothing was written. Look at what it says now and save again."}
}

func writeConflict(path string, err error) error {
	switch {
	case files.IsOwnership(err):
		return notOurs(err)
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrExists), errors.Is(err, fs.ErrNotExist):
		return changedOnDisk(path)
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, syscall.ENOTDIR), errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrOwner), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed.", path, plain(err))}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed. Make room on its disk, and try again.", path, plain(err))}
	case errors.Is(err, syscall.EIO):
		return &memories.ConflictError{Reason: fmt.Sprintf("The disk failed while %s was written (%v). It says what it said before, or all of what it was to say. Look at it, and try again.", path, plain(err))}
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// takeIn mirrors a file that was just written for whoever asks, as if a look had found it changed.
func (h *hold) takeIn(ctx context.Context, file string) error {
	_, err := h.look(ctx, []string{file}, cause{actor: actorOf(ctx)})
	return err
}

// takeInSaved mirrors a file that was just written because somebody asked for what it says.
func (h *hold) takeInSaved(ctx context.Context, file string, why cause) error {
	h.saved = file
	defer func() { h.saved = "" }()
	_, err := h.look(ctx, []string{file}, why)
	return err
}

func (h *hold) resultOf(ctx context.Context, key memories.Key) (Result, error) {
	head, err := h.w.HeadOf(ctx, key)
	if err != nil {
		return Result{}, err
	}
	if head == nil {
		return Result{}, fmt.Errorf("the memory %q was written and could not be read back: %w", key.Name, memories.ErrNotFound)
	}
	return h.result(ctx, head.ID)
}

// rename gives the memory its new key in one step: the commit that takes in the new file. Its history goes with it. If anything ends
// the rename before that, the new file is removed.
func (h *hold) rename(ctx context.Context, head records.MemoryRow, draft Draft) (Result, error) {
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := h.isFreeKey(ctx, draft); err != nil {
		return Result{}, err
	}
	on, err := h.w.FilesEverOf(ctx, head.UUID)
	if err != nil {
		return Result{}, err
	}
	deletion, indexes, err := h.deletionOf(ctx, head, on)
	if err != nil {
		return Result{}, err
	}
	next, err := h.underKey(ctx, head, draft)
	if err != nil {
		return Result{}, err
	}
	if err := h.w.PromiseFile(ctx, next.place, files.Hash(next.data), next.fingerprint()); err != nil {
		return Result{}, err
	}
	to := records.Rename{ID: head.UUID, From: head.Key(), To: draft.key(), Content: next.fingerprint(), Files: deletion.Files}
	if err := h.disk.Write(h.root, next.place, next.data, files.Options{New: true, ModTime: next.modTime}); err != nil {
		return Result{}, errors.Join(writeConflict(next.place, err), h.finishDeletions(ctx)) // the next scan may not get there
	}
	if err := h.takeInSaved(ctx, next.place, cause{actor: actorOf(ctx), renames: &to}); err != nil {
		return Result{}, err
	}
	if taken, err := h.w.HeadOf(ctx, draft.key()); err != nil || taken == nil || taken.UUID != head.UUID {
		// Somebody has removed or replaced the new file already. It took nothing with it: the old ones stay.
		return Result{}, cmp.Or(err, changedOnDisk(next.place))
	}
	if err := h.removeFiles(ctx, deletion.Files, indexes); err != nil {
		return Result{}, err
	}
	if err := h.recordRemoved(ctx); err != nil {
		return Result{}, err
	}
	if err := h.lookAtBlocked(ctx, draft.key()); err != nil {
		return Result{}, err
	}
	if err := h.publish(ctx); err != nil {
		return Result{}, err
	}
	return h.resultOf(ctx, draft.key())
}
