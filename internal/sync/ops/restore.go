package ops

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
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/scan"
)

// restoreRef brings a memory back up to CLAUDE.md, and returns it as it was in the trash.
func (s *Service) restoreRef(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, err := memoryRow(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State != memories.Deleted && head.State != memories.Missing {
		return &memories.ConflictError{Reason: fmt.Sprintf("The memory %q is not in the trash: it lives already. Nothing was changed.", head.Name)}
	}
	if err := canRestore(ctx, tx, head); err != nil {
		return err
	}
	if err := s.scanBeforeRestore(ctx, tx, c, head); err != nil {
		return err
	}
	left, err := tx.DB.FilesOf(ctx, []uuid.UUID{head.UUID})
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(f records.File) bool { return f.Status != records.Removing })
	if err := tx.DB.BeginRestore(ctx, head); err != nil {
		return err
	}
	c.path = head.Path
	err = s.continueRestore(ctx, tx, c, head, left)
	var unlisted *unlistedError
	if errors.As(err, &unlisted) {
		err = &memories.ConflictError{Reason: fmt.Sprintf("The memory %q is back. Its entry could not be put back into %s (%v). That is tried again at each scan.", head.Name, unlisted.index, agenttx.FSCause(unlisted.err))}
	}
	return err
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
func restoreToIndexes(tx *agenttx.Tx, head records.MemoryRow) error {
	for index, gone := range head.IndexLines {
		err := indexfile.EditIndex(tx, index, func(raw []byte) []byte { return memorymd.Restore(raw, gone) })
		if err != nil {
			return &unlistedError{index, err}
		}
	}
	return nil
}

// canRestore says with a conflict why the memory cannot be brought back, before anything has been changed for it.
func canRestore(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow) error {
	if err := tx.CanWrite(ctx); err != nil {
		return err
	}
	raw, err := tx.DB.CurrentRaw(ctx, head.UUID)
	if err == nil && raw == nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("The bytes of %s were never readable, so there is nothing to restore. Nothing was changed.", head.Path)}
	}
	if err != nil {
		return err
	}
	return CheckCredentials(head.Team, head.Path, raw)
}

// scanBeforeRestore looks at what lies where the memory's file was. If that is the same memory, learned anew and not read yet, or
// saved by a call that never got its answer, it lives, and says something newer than what was to be restored: the answer to a restore
// would hold until the next scan.
func (s *Service) scanBeforeRestore(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow) error {
	if tx.IsFree(head.Path) {
		return nil
	}
	if err := s.scan(ctx, tx, c, scan.Request{Paths: []string{head.Path}}); err != nil {
		return err
	}
	now, err := tx.DB.Head(ctx, head.ID)
	if err != nil {
		return err
	}
	if now.State == memories.Deleted || now.State == memories.Missing {
		return nil
	}
	tx.Rescan(head.Path) // CLAUDE.md follows with the next look
	return &memories.ConflictError{Reason: fmt.Sprintf("The memory %q lives again: %s has been written meanwhile. Nothing was restored. What you wanted back is in its history.", head.Name, head.Path)}
}

// restore takes the steps of a restore that has begun. Each is safe to repeat: after a crash, finishRestores does, and as long as
// an index cannot be written. left are the files that its deletion has not removed yet, which a restore that is given up leaves to it.
func (s *Service) continueRestore(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, left []records.File) error {
	raw, err := tx.DB.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return err
	}
	place, err := writeBack(ctx, tx, head, left, raw)
	if err != nil {
		return err
	}
	unlisted := restoreToIndexes(tx, head)
	if err := s.scan(ctx, tx, c, written(tx, place)); err != nil {
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

// writeBackAttempts is how often a place for a file is looked for that somebody else takes in the same moment.
const writeBackAttempts = 5

// writeBack writes the memory's primary file, or finds it as a restore that was cut short has written it.
func writeBack(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, left []records.File, raw []byte) (place string, err error) {
	for range writeBackAttempts {
		var data []byte
		if place, data, err = restoreTarget(ctx, tx, head, raw); err != nil {
			return "", err
		}
		err = tx.Disk.Write(tx.Root, place, data, files.Options{New: true, ModTime: head.ModifiedAt})
		if err == nil || errors.Is(err, files.ErrExists) && tx.HasHash(place, files.Hash(data)) {
			return place, nil
		}
		if !errors.Is(err, files.ErrExists) {
			break
		}
	}
	return "", notRestored(ctx, tx, head, left, place, err)
}

// notRestored says why the file of a restore that has begun could not be written. What certainly was not written leaves the memory in
// the trash as it was; where nobody knows, and where the memory lives already, the next scan tries again.
func notRestored(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, left []records.File, place string, err error) error {
	why := WriteConflict(place, err)
	isInTrash := head.State == memories.Deleted || head.State == memories.Missing
	if !isInTrash || !isNotWritten(err, why) {
		return why
	}
	return errors.Join(tx.DB.GiveUpRestore(ctx, head, left), why)
}

// rescanBlocked has the files scanned again that were blocked under a key, when something of it has been let in.
func rescanBlocked(ctx context.Context, store *postgres.Store, tx *agenttx.Tx, key memories.Key) error {
	blocked, err := store.Blocked(ctx, tx.State.ID)
	for _, b := range blocked {
		if b.Key() == key {
			tx.Rescan(b.Path)
		}
	}
	return err
}

// restoreTarget returns where the memory's primary file was, if nothing else is there now, else a new path, and what is
// to be written there. A file that says so already is what a restore that was cut short has written.
func restoreTarget(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, raw []byte) (place string, data []byte, err error) {
	if !head.Readable {
		return head.Path, raw, nil
	}
	durable, err := primaryFilesOf(ctx, tx, head)
	if err != nil {
		return "", nil, err
	}
	// The file that held the content comes first.
	if i := slices.IndexFunc(durable, func(f records.PrimaryFile) bool { return f.Path == head.Path }); i > 0 {
		source := durable[i]
		durable = slices.Insert(slices.Delete(durable, i, i+1), 0, source)
	}
	for _, f := range durable {
		data = withName(raw, head, f.Path)
		if tx.IsFree(f.Path) || tx.HasHash(f.Path, files.Hash(data)) {
			return f.Path, data, nil
		}
	}
	for n := 1; ; n++ {
		place = numberedPath(tx, memories.Draft{Name: head.Name, Team: head.Team, Type: head.Type}, n)
		data = withName(raw, head, place)
		if !exists(tx, place) || tx.HasHash(place, files.Hash(data)) {
			return place, data, nil
		}
	}
}

// withName returns the bytes with the memory's name in them, where they took it from a file's name that is another one now.
func withName(raw []byte, head records.MemoryRow, place string) []byte {
	f := frontmatter.Parse(raw, agenttx.Stem(place))
	if f.Name == head.Name {
		return raw
	}
	content := f.Content()
	content.Name = head.Name
	return frontmatter.Rewrite(raw, content, head.ModifiedAt)
}

// finishRestores completes the restores that a crash has cut short. One that cannot be completed yet is tried again at the next scan:
// nothing that is to be scanned now has to wait for it.
func (s *Service) FinishRestores(ctx context.Context, tx *agenttx.Tx) (changed []uuid.UUID, err error) {
	if tx.Root == nil {
		return nil, nil
	}
	begun, err := tx.DB.Restoring(ctx)
	if err != nil {
		return nil, err
	}
	c := &changes{}
	for _, head := range begun {
		err := canRestore(ctx, tx, head)
		if isInTrash := head.State == memories.Deleted || head.State == memories.Missing; err == nil && isInTrash {
			err = s.scanBeforeRestore(ctx, tx, c, head) // it may have been learned anew since
		}
		if err == nil {
			err = s.continueRestore(ctx, tx, c, head, nil)
		}
		var conflict *memories.ConflictError
		if errors.As(err, &conflict) && !errors.Is(err, memories.ErrUnavailable) || isDiskError(err) {
			tx.Log.Warn("interrupted restore not completed, will retry", "agent", tx.Agent.Slug, "memory", head.Name, "error", err)
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return c.memories, nil
}

// isDiskError reports whether an error is the disk's, and not that of the way to the database.
func isDiskError(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && !errors.Is(err, memories.ErrUnavailable)
}

func (s *Service) Allow(ctx context.Context, slug string, op AllowOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		blocked, err := tx.DB.Blocked(ctx, op.ID)
		if err != nil {
			return err
		}
		if tx.Root == nil {
			return tx.MissingError()
		}
		if !tx.HasHash(blocked.Path, blocked.Hash) {
			tx.Rescan(blocked.Path)
			return agenttx.ChangedOnDisk(blocked.Path)
		}
		if err := checkAllow(tx, blocked); err != nil {
			return err
		}
		if err := tx.DB.AllowBlocked(ctx, blocked, tx.Actor); err != nil {
			return err
		}
		var c changes
		if err := s.scan(ctx, tx, &c, written(tx, blocked.Path)); err != nil {
			return err
		}
		if err := rescanBlocked(ctx, s.Store, tx, blocked.Key()); err != nil {
			return err
		}
		state, err := s.publish(ctx, tx, &c)
		if err != nil {
			return err
		}
		result, err = resultAt(ctx, tx, blocked.Path, state)
		return err
	})
	return result, err
}

type AllowOp struct{ ID string }
