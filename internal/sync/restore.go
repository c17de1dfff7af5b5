package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// Restore brings a memory back from the trash, or writes back the file of one that is missing: the primary file, the
// row, the index lines and CLAUDE.md, all on disk when it returns. It fails with memories.ErrNotFound, with
// memories.ErrChanged when match is of another state, and with *memories.ConflictError when the name lives.
func (e *Engine) Restore(ctx context.Context, slug, id, etag string) (Result, error) {
	return callChange.do(ctx, e, slug, changeOp{verbRestore, MemoryRef{id, etag}})
}

func (e *Engine) restoreLocal(ctx context.Context, slug string, ref MemoryRef) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		row, err := h.restoreRef(ctx, ref)
		if err != nil {
			return err
		}
		if err := h.publish(ctx); err != nil {
			return err
		}
		result, err = h.result(ctx, ref.ID)
		if errors.Is(err, memories.ErrNotFound) {
			// What could not be read once can be read now, and is the memory that it names.
			result, err = h.resultAt(ctx, row.Path)
		}
		return err
	})
	return result, err
}

// restoreRef brings a memory back up to CLAUDE.md, and returns it as it was in the trash.
func (h *hold) restoreRef(ctx context.Context, ref MemoryRef) (records.MemoryRow, error) {
	row, err := h.memoryRow(ctx, ref.ID, ref.ETag)
	if err != nil {
		return row, err
	}
	if row.State != memories.Deleted && row.State != memories.Missing {
		return row, &memories.ConflictError{Reason: fmt.Sprintf("The memory %q is not in the trash: it lives already. Nothing was changed.", row.Name)}
	}
	if err := h.canRestore(ctx, row); err != nil {
		return row, err
	}
	if err := h.scanBeforeRestore(ctx, row); err != nil {
		return row, err
	}
	left, err := h.w.FilesOf(ctx, []uuid.UUID{row.UUID})
	if err != nil {
		return row, err
	}
	left = slices.DeleteFunc(left, func(f records.File) bool { return f.Status != records.Removing })
	if err := h.w.BeginRestore(ctx, row); err != nil {
		return row, err
	}
	err = h.restore(ctx, row, left)
	var unlisted *unlistedError
	if errors.As(err, &unlisted) {
		err = &memories.ConflictError{Reason: fmt.Sprintf("The memory %q is back. Its entry could not be put back into %s (%v). That is tried again at each scan.", row.Name, unlisted.index, fsCause(unlisted.err))}
	}
	return row, err
}

// unlistedError says that a memory is back, and could not be put back into an index.
type unlistedError struct {
	index string
	err   error
}

func (e *unlistedError) Error() string {
	return "put the entry back into " + e.index + ": " + e.err.Error()
}
func (e *unlistedError) Unwrap() error { return e.err }

// restoreToIndexes puts back the lines that the memory's deletion removed from the indexes. It does not
// create an index that is absent. It returns an *unlistedError for an index that cannot be written.
func (h *hold) restoreToIndexes(row records.MemoryRow) error {
	for index, gone := range row.IndexLines {
		err := h.editIndex(index, func(raw []byte) []byte { return memorymd.Restore(raw, gone) })
		if err != nil {
			return &unlistedError{index, err}
		}
	}
	return nil
}

// canRestore says with a conflict why the memory cannot be brought back, before anything has been changed for it.
func (h *hold) canRestore(ctx context.Context, row records.MemoryRow) error {
	if err := h.canWrite(ctx); err != nil {
		return err
	}
	raw, err := h.w.CurrentRaw(ctx, row.UUID)
	if err == nil && raw == nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("The bytes of %s were never readable, so there is nothing to restore. Nothing was changed.", row.Path)}
	}
	if err != nil {
		return err
	}
	return checkCredentials(row.Team, row.Path, raw)
}

// scanBeforeRestore looks at what lies where the memory's file was. If that is the same memory, learned anew and not read yet, or
// saved by a call that never got its answer, it lives, and says something newer than what was to be restored: the answer to a restore
// would hold until the next scan.
func (h *hold) scanBeforeRestore(ctx context.Context, row records.MemoryRow) error {
	if h.isFree(row.Path) {
		return nil
	}
	if _, err := h.runScan(ctx, []string{row.Path}, scanOrigin{}); err != nil {
		return err
	}
	now, err := h.w.Head(ctx, row.ID)
	if err != nil {
		return err
	}
	if now.State == memories.Deleted || now.State == memories.Missing {
		return nil
	}
	h.queue.Add(h.onDisk.Slug, row.Path) // CLAUDE.md follows with the next look
	return &memories.ConflictError{Reason: fmt.Sprintf("The memory %q lives again: %s has been written meanwhile. Nothing was restored. What you wanted back is in its history.", row.Name, row.Path)}
}

// restore takes the steps of a restore that has begun. Each is safe to repeat: after a crash, finishRestores does, and as long as
// an index cannot be written. left are the files that its deletion has not removed yet, which a restore that is given up leaves to it.
func (h *hold) restore(ctx context.Context, row records.MemoryRow, left []records.File) error {
	raw, err := h.w.CurrentRaw(ctx, row.UUID)
	if err != nil {
		return err
	}
	relPath, err := h.writeBack(ctx, row, left, raw)
	if err != nil {
		return err
	}
	unlisted := h.restoreToIndexes(row)
	if err := h.scanFile(ctx, relPath); err != nil {
		return err
	}
	if err := h.rescanBlocked(ctx, row.Key()); err != nil {
		return err
	}
	if unlisted != nil {
		return unlisted
	}
	return h.w.EndRestore(ctx, row.UUID)
}

// writeBackAttempts is how often a place for a file is looked for that somebody else takes in the same moment.
const writeBackAttempts = 5

// writeBack writes the memory's primary file, or finds it as a restore that was cut short has written it.
func (h *hold) writeBack(ctx context.Context, row records.MemoryRow, left []records.File, raw []byte) (relPath string, err error) {
	for range writeBackAttempts {
		var data []byte
		if relPath, data, err = h.restoreTarget(ctx, row, raw); err != nil {
			return "", err
		}
		err = h.disk.Write(h.root, relPath, data, files.Options{New: true, ModTime: row.ModifiedAt})
		if err == nil || errors.Is(err, files.ErrExists) && h.hasHash(relPath, files.Hash(data)) {
			return relPath, nil
		}
		if !errors.Is(err, files.ErrExists) {
			break
		}
	}
	return "", h.notRestored(ctx, row, left, relPath, err)
}

// notRestored says why the file of a restore that has begun could not be written. What certainly was not written leaves the memory in
// the trash as it was; where nobody knows, and where the memory lives already, the next scan tries again.
func (h *hold) notRestored(ctx context.Context, row records.MemoryRow, left []records.File, relPath string, err error) error {
	reason := writeConflict(relPath, err)
	isInTrash := row.State == memories.Deleted || row.State == memories.Missing
	if !isInTrash || !isNotWritten(err, reason) {
		return reason
	}
	return errors.Join(h.w.GiveUpRestore(ctx, row, left), reason)
}

// rescanBlocked has the files scanned again that were blocked under a key, when something of it has been let in.
func (h *hold) rescanBlocked(ctx context.Context, key memories.Key) error {
	blocked, err := h.store.Blocked(ctx, h.id)
	for _, b := range blocked {
		if b.Key() == key {
			h.queue.Add(h.onDisk.Slug, b.Path)
		}
	}
	return err
}

// restoreTarget returns where the memory's primary file was, if nothing else is there now, else a new path, and what is
// to be written there. A file that says so already is what a restore that was cut short has written.
func (h *hold) restoreTarget(ctx context.Context, row records.MemoryRow, raw []byte) (relPath string, data []byte, err error) {
	if !row.Readable {
		return row.Path, raw, nil
	}
	primary, err := h.primaryFilesOf(ctx, row)
	if err != nil {
		return "", nil, err
	}
	// The file that held the content comes first.
	slices.SortStableFunc(primary, func(a, b records.PrimaryFile) int {
		return compareBool(b.Path == row.Path, a.Path == row.Path)
	})
	for _, f := range primary {
		data = withName(raw, row, f.Path)
		if h.isFree(f.Path) || h.hasHash(f.Path, files.Hash(data)) {
			return f.Path, data, nil
		}
	}
	for n := 1; ; n++ {
		relPath = h.numberedPath(Draft{Name: row.Name, Team: row.Team, Type: row.Type}, n)
		data = withName(raw, row, relPath)
		if !h.exists(relPath) || h.hasHash(relPath, files.Hash(data)) {
			return relPath, data, nil
		}
	}
}

// withName returns the bytes with the memory's name in them, where they took it from a file's name that is another one now.
func withName(raw []byte, row records.MemoryRow, relPath string) []byte {
	f := frontmatter.Parse(raw, stem(relPath))
	if f.Name == row.Name {
		return raw
	}
	content := f.Content()
	content.Name = row.Name
	return frontmatter.Rewrite(raw, content, row.ModifiedAt)
}

func (h *hold) hasHash(path, hash string) bool {
	found, err := files.ReadHash(h.root, path)
	return err == nil && found == hash
}

// finishRestores completes the restores that a crash has cut short. One that cannot be completed yet is tried again at the next scan:
// nothing that is to be scanned now has to wait for it.
func (h *hold) finishRestores(ctx context.Context) error {
	if h.root == nil {
		return nil
	}
	pending, err := h.w.Restoring(ctx)
	if err != nil {
		return err
	}
	for _, row := range pending {
		err := h.canRestore(ctx, row)
		if isInTrash := row.State == memories.Deleted || row.State == memories.Missing; err == nil && isInTrash {
			err = h.scanBeforeRestore(ctx, row) // it may have been learned anew since
		}
		if err == nil {
			err = h.restore(ctx, row, nil)
		}
		var conflict *memories.ConflictError
		if errors.As(err, &conflict) && !errors.Is(err, memories.ErrUnavailable) || isDiskError(err) {
			h.log.Warn("interrupted restore not completed, will retry", "agent", h.onDisk.Slug, "memory", row.Name, "error", err)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isDiskError reports whether an error is the disk's, and not that of the way to the database.
func isDiskError(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && !errors.Is(err, memories.ErrUnavailable)
}

// Allow lets in a content that was blocked: it becomes the memory's, which lives again. It fails with
// memories.ErrNotFound, also when the file is no longer there.
func (e *Engine) Allow(ctx context.Context, slug, id string) (Result, error) {
	return callAllow.do(ctx, e, slug, allowOp{id})
}

func (e *Engine) allowLocal(ctx context.Context, slug string, op allowOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		blocked, err := h.w.Blocked(ctx, op.ID)
		if err != nil {
			return err
		}
		if h.root == nil {
			return h.errNoDirectory()
		}
		if !h.hasHash(blocked.Path, blocked.Hash) {
			h.queue.Add(slug, blocked.Path)
			return changedOnDisk(blocked.Path)
		}
		if err := h.checkAllow(blocked); err != nil {
			return err
		}
		if err := h.w.AllowBlocked(ctx, blocked, actorOf(ctx)); err != nil {
			return err
		}
		if err := h.scanFile(ctx, blocked.Path); err != nil {
			return err
		}
		if err := h.rescanBlocked(ctx, blocked.Key()); err != nil {
			return err
		}
		if err := h.publish(ctx); err != nil {
			return err
		}
		result, err = h.resultAt(ctx, blocked.Path)
		return err
	})
	return result, err
}

// Forget removes an agent whose directory is gone, with all that is known of it, and returns it as it was. It fails
// with memories.ErrNotFound, and with *memories.ConflictError while the directory is there.
func (e *Engine) Forget(ctx context.Context, slug string) (records.Agent, error) {
	return callForget.do(ctx, e, slug, forgetOp{})
}

func (e *Engine) forgetLocal(ctx context.Context, slug string, _ forgetOp) (records.Agent, error) {
	var row records.Agent
	err := e.withAgent(ctx, slug, func(h *hold) error {
		var err error
		if row, err = h.store.Agent(ctx, slug); err != nil {
			return err
		}
		if h.closed != nil {
			return h.errClosed()
		}
		if h.root != nil {
			return &memories.ConflictError{Reason: "The agent's directory " + row.Dir + " is there, and Memoir would find it again at once. Nothing was removed. Remove or move the directory first."}
		}
		if row.Present && h.Engine.term(h.id) == 0 {
			return &memories.ConflictError{Reason: "The agent's directory " + row.Dir + " is on the disk of another server, which does not answer at the moment. Nothing was removed. Try again in some minutes."}
		}
		return h.store.ForgetAgent(ctx, h.id)
	})
	if err != nil {
		return records.Agent{}, err
	}
	e.drop(slug)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Deleted})
	if row.SharesMemories() {
		if _, err := e.publishOthers(ctx); err != nil {
			e.log.Warn("CLAUDE.md of other agents not updated after an agent was forgotten", "error", err)
		}
	}
	return row, nil
}
