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

// Restore brings a memory back from the trash, or writes back the file of one that is missing: the durable file, the
// row, the index lines and CLAUDE.md, all on disk when it returns. It fails with memories.ErrNotFound, with
// memories.ErrChanged when match is of another state, and with *memories.ConflictError when the name lives.
func (e *Engine) Restore(ctx context.Context, slug, id, match string) (Result, error) {
	return callChange.do(ctx, e, slug, changeOp{verbRestore, Seen{id, match}})
}

func (e *Engine) restoreHere(ctx context.Context, slug string, seen Seen) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		head, err := h.restoreSeen(ctx, seen)
		if err != nil {
			return err
		}
		if err := h.publish(ctx); err != nil {
			return err
		}
		result, err = h.result(ctx, seen.ID)
		if errors.Is(err, memories.ErrNotFound) {
			// What could not be read once can be read now, and is the memory that it names.
			result, err = h.resultAt(ctx, head.Path)
		}
		return err
	})
	return result, err
}

// restoreSeen brings a memory back up to CLAUDE.md, and returns it as it was in the trash.
func (h *hold) restoreSeen(ctx context.Context, seen Seen) (records.MemoryRow, error) {
	head, err := h.head(ctx, seen.ID, seen.Match)
	if err != nil {
		return head, err
	}
	if head.State != memories.Deleted && head.State != memories.Missing {
		return head, &memories.ConflictError{Reason: fmt.Sprintf("The memory %q is not in the trash: it lives already. Nothing was changed.", head.Name)}
	}
	if err := h.canRestore(ctx, head); err != nil {
		return head, err
	}
	if err := h.lookBeforeRestoring(ctx, head); err != nil {
		return head, err
	}
	left, err := h.w.FilesOf(ctx, []uuid.UUID{head.UUID})
	if err != nil {
		return head, err
	}
	left = slices.DeleteFunc(left, func(f records.File) bool { return f.Status != records.Removing })
	if err := h.w.BeginRestore(ctx, head); err != nil {
		return head, err
	}
	err = h.restore(ctx, head, left)
	var unlisted *unlistedError
	if errors.As(err, &unlisted) {
		err = &memories.ConflictError{Reason: fmt.Sprintf("The memory %q is back. Its entry could not be put back into %s (%v). That is tried again at each scan.", head.Name, unlisted.index, plain(unlisted.err))}
	}
	return head, err
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
func (h *hold) restoreToIndexes(head records.MemoryRow) error {
	for index, gone := range head.IndexLines {
		err := h.editIndex(index, func(raw []byte) []byte { return memorymd.Restore(raw, gone) })
		if err != nil {
			return &unlistedError{index, err}
		}
	}
	return nil
}

// canRestore says with a conflict why the memory cannot be brought back, before anything has been changed for it.
func (h *hold) canRestore(ctx context.Context, head records.MemoryRow) error {
	if err := h.canWrite(ctx); err != nil {
		return err
	}
	raw, err := h.w.CurrentRaw(ctx, head.UUID)
	if err == nil && raw == nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("The bytes of %s were never readable, so there is nothing to restore. Nothing was changed.", head.Path)}
	}
	if err != nil {
		return err
	}
	return mayHold(head.Team, head.Path, raw)
}

// lookBeforeRestoring looks at what lies where the memory's file was. If that is the same memory, learned anew and not read yet, or
// saved by a call that never got its answer, it lives, and says something newer than what was to be restored: the answer to a restore
// would hold until the next look.
func (h *hold) lookBeforeRestoring(ctx context.Context, head records.MemoryRow) error {
	if h.isFree(head.Path) {
		return nil
	}
	if _, err := h.look(ctx, []string{head.Path}, cause{}); err != nil {
		return err
	}
	now, err := h.w.Head(ctx, head.ID)
	if err != nil {
		return err
	}
	if now.State == memories.Deleted || now.State == memories.Missing {
		return nil
	}
	h.queue.Add(h.onDisk.Slug, head.Path) // CLAUDE.md follows with the next look
	return &memories.ConflictError{Reason: fmt.Sprintf("The memory %q lives again: %s has been written meanwhile. Nothing was restored. What you wanted back is in its history.", head.Name, head.Path)}
}

// restore takes the steps of a restore that has begun. Each is safe to repeat: after a crash, finishRestores does, and as long as
// an index cannot be written. left are the files that its deletion has not removed yet, which a restore that is given up leaves to it.
func (h *hold) restore(ctx context.Context, head records.MemoryRow, left []records.File) error {
	raw, err := h.w.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return err
	}
	place, err := h.writeBack(ctx, head, left, raw)
	if err != nil {
		return err
	}
	unlisted := h.restoreToIndexes(head)
	if err := h.takeIn(ctx, place); err != nil {
		return err
	}
	if err := h.lookAtBlocked(ctx, head.Key()); err != nil {
		return err
	}
	if unlisted != nil {
		return unlisted
	}
	return h.w.EndRestore(ctx, head.UUID)
}

// writeBackAttempts is how often a place for a file is looked for that somebody else takes in the same moment.
const writeBackAttempts = 5

// writeBack writes the memory's durable file, or finds it as a restore that was cut short has written it.
func (h *hold) writeBack(ctx context.Context, head records.MemoryRow, left []records.File, raw []byte) (place string, err error) {
	for range writeBackAttempts {
		var data []byte
		if place, data, err = h.restoreTarget(ctx, head, raw); err != nil {
			return "", err
		}
		err = h.disk.Write(h.root, place, data, files.Options{New: true, ModTime: head.ModifiedAt})
		if err == nil || errors.Is(err, files.ErrExists) && h.holds(place, files.Hash(data)) {
			return place, nil
		}
		if !errors.Is(err, files.ErrExists) {
			break
		}
	}
	return "", h.notRestored(ctx, head, left, place, err)
}

// notRestored says why the file of a restore that has begun could not be written. What certainly was not written leaves the memory in
// the trash as it was; where nobody knows, and where the memory lives already, the next scan tries again.
func (h *hold) notRestored(ctx context.Context, head records.MemoryRow, left []records.File, place string, err error) error {
	why := writeConflict(place, err)
	isInTrash := head.State == memories.Deleted || head.State == memories.Missing
	if !isInTrash || !isUnwritten(err, why) {
		return why
	}
	return errors.Join(h.w.GiveUpRestore(ctx, head, left), why)
}

// lookAtBlocked has the files looked at again that were kept out under a key, when something of it has been let in.
func (h *hold) lookAtBlocked(ctx context.Context, key memories.Key) error {
	blocked, err := h.store.Blocked(ctx, h.id)
	for _, b := range blocked {
		if b.Key() == key {
			h.queue.Add(h.onDisk.Slug, b.Path)
		}
	}
	return err
}

// restoreTarget returns where the memory's durable file was, if nothing else is there now, else a new path, and what is
// to be written there. A file that says so already is what a restore that was cut short has written.
func (h *hold) restoreTarget(ctx context.Context, head records.MemoryRow, raw []byte) (place string, data []byte, err error) {
	if !head.Readable {
		return head.Path, raw, nil
	}
	durable, err := h.durableFilesOf(ctx, head)
	if err != nil {
		return "", nil, err
	}
	// The file that held the content comes first.
	slices.SortStableFunc(durable, func(a, b records.DurableFile) int {
		return compareBool(b.Path == head.Path, a.Path == head.Path)
	})
	for _, f := range durable {
		data = named(raw, head, f.Path)
		if h.isFree(f.Path) || h.holds(f.Path, files.Hash(data)) {
			return f.Path, data, nil
		}
	}
	for n := 1; ; n++ {
		place = h.numbered(Draft{Name: head.Name, Team: head.Team, Type: head.Type}, n)
		data = named(raw, head, place)
		if !h.isTaken(place) || h.holds(place, files.Hash(data)) {
			return place, data, nil
		}
	}
}

// named returns the bytes with the memory's name in them, where they took it from a file's name that is another one now.
func named(raw []byte, head records.MemoryRow, place string) []byte {
	f := frontmatter.Parse(raw, stem(place))
	if f.Name == head.Name {
		return raw
	}
	content := f.Content()
	content.Name = head.Name
	return frontmatter.Rewrite(raw, content, head.ModifiedAt)
}

func (h *hold) holds(path, hash string) bool {
	found, err := files.ReadHash(h.root, path)
	return err == nil && found == hash
}

// finishRestores completes the restores that a crash has cut short. One that cannot be completed yet is tried again at the next scan:
// nothing that is to be looked at now has to wait for it.
func (h *hold) finishRestores(ctx context.Context) error {
	if h.root == nil {
		return nil
	}
	begun, err := h.w.Restoring(ctx)
	if err != nil {
		return err
	}
	for _, head := range begun {
		err := h.canRestore(ctx, head)
		if isInTrash := head.State == memories.Deleted || head.State == memories.Missing; err == nil && isInTrash {
			err = h.lookBeforeRestoring(ctx, head) // it may have been learned anew since
		}
		if err == nil {
			err = h.restore(ctx, head, nil)
		}
		var conflict *memories.ConflictError
		if errors.As(err, &conflict) && !errors.Is(err, memories.ErrUnavailable) || isOfDisk(err) {
			h.log.Warn("a restore that was cut short cannot be completed now", "agent", h.onDisk.Slug, "memory", head.Name, "error", err)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isOfDisk says that an error is the disk's, and not that of the way to the database.
func isOfDisk(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && !errors.Is(err, memories.ErrUnavailable)
}

// Allow lets in a content that was kept out: it becomes the memory's, which lives again. It fails with
// memories.ErrNotFound, also when the file is no longer there.
func (e *Engine) Allow(ctx context.Context, slug, id string) (Result, error) {
	return callAllow.do(ctx, e, slug, allowOp{id})
}

func (e *Engine) allowHere(ctx context.Context, slug string, op allowOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		blocked, err := h.w.Blocked(ctx, op.ID)
		if err != nil {
			return err
		}
		if h.root == nil {
			return h.errNoDirectory()
		}
		if !h.holds(blocked.Path, blocked.Hash) {
			h.queue.Add(slug, blocked.Path)
			return changedOnDisk(blocked.Path)
		}
		if err := h.mayLetIn(blocked); err != nil {
			return err
		}
		if err := h.w.AllowBlocked(ctx, blocked, actorOf(ctx)); err != nil {
			return err
		}
		if err := h.takeIn(ctx, blocked.Path); err != nil {
			return err
		}
		if err := h.lookAtBlocked(ctx, blocked.Key()); err != nil {
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

func (e *Engine) forgetHere(ctx context.Context, slug string, _ forgetOp) (records.Agent, error) {
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
		if _, err := e.followShared(ctx); err != nil {
			e.log.Warn("an agent that shared what it remembers is forgotten, and some CLAUDE.md follows only at its next scan", "error", err)
		}
	}
	return row, nil
}
