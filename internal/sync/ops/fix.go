package ops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/flaws"
	"memoir/internal/sync/notes"
)

// FixOp configures Fix.
type FixOp struct {
	Ref       MemoryRef `json:"Seen"`
	Path, Fix string    // path of the file, and ID of its fix
	Undo      bool      // write back the bytes of before a fix; Fix is ignored
	Hash      string    // hash of these bytes
	Modified  time.Time // for Undo: the file's new modification time; zero means as it is
}

// Fix applies one of the fixes that Fixes offers to a file of a memory, or with op.Undo writes back
// earlier bytes. It scans the file, writes CLAUDE.md, and returns the memory of the file. The file
// keeps its modification time. Result.ClaudeMDProblem is the reason if CLAUDE.md could not be
// written. Errors to test for: memories.ErrNotFound, memories.ErrChanged, *memories.ConflictError,
// and *memories.InvalidError if the memory lacks the path or the fix.
func (s *Service) Fix(ctx context.Context, slug string, op FixOp) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		var c changes
		to, done, err := s.renameToMarkdown(ctx, tx, &c, op)
		if err == nil && !done {
			to, err = s.fixFile(ctx, tx, &c, op)
		}
		if err != nil {
			return Result{}, err
		}
		return s.publishAt(ctx, tx, &c, to)
	})
}

// fixFile applies the fix op.Fix to the file at op.Path, or with op.Undo writes the stored bytes
// with the hash op.Hash. It scans the file, and returns its path. The caller must publish c. It returns a
// *memories.ConflictError if no bytes with that hash are stored, or if the file has changed. It
// returns *memories.InvalidError if the memory lacks the file or the file lacks the fix.
func (s *Service) fixFile(ctx context.Context, tx *agenttx.Tx, c *changes, op FixOp) (to string, err error) {
	head, f, raw, err := mirroredFileAt(ctx, tx, op.Ref.ID, op.Ref.ETag, op.Path)
	if err != nil {
		return "", err
	}
	row, err := tx.Rows.Agent(ctx)
	if err != nil {
		return "", err
	}
	if op.Undo {
		before, err := s.Store.RawOfHash(ctx, row, op.Ref.ID, op.Hash)
		if err != nil {
			return "", err
		}
		if before == nil {
			return "", &memories.ConflictError{Reason: "The earlier version of " + op.Path + " is no longer stored. Nothing was changed. Edit the file instead."}
		}
		if to, err := notes.End(ctx, tx, head, f, before); err != nil {
			return "", err
		} else if to != "" {
			return to, s.scan(ctx, tx, c, written(tx, f.Path, to))
		}
		if !op.Modified.IsZero() {
			f.ModTime = op.Modified.UnixNano()
		}
		return op.Path, s.replace(ctx, tx, c, head, f, before)
	}
	after, err := fixedBytes(ctx, s.Store, tx, row, head, f, raw, op.Fix)
	if err != nil {
		return "", err
	}
	if op.Fix == flaws.FixAsIs {
		return op.Path, s.takeAsIs(ctx, tx, c, f, raw)
	}
	return op.Path, s.replace(ctx, tx, c, head, f, after)
}

// mirroredFileAt returns the row of a memory, its file at path, and the bytes of that file. It
// returns memories.ErrNotFound for an unknown id, and memories.ErrChanged if the ETag differs. It
// returns a *memories.ConflictError for a deleted memory, and for a file that is missing,
// unreadable, or has other bytes than recorded. It returns *memories.InvalidError for an unreadable
// memory, and if path is not one of its files.
func mirroredFileAt(ctx context.Context, tx *agenttx.Tx, id, etag, path string) (head records.MemoryRow, f records.File, raw []byte, err error) {
	head, recorded, err := rowWithFiles(ctx, tx, id, etag)
	if err != nil {
		return head, f, nil, err
	}
	if head.State == memories.Deleted {
		return head, f, nil, ErrInTrash
	}
	if tx.Root == nil {
		return head, f, nil, tx.MissingError()
	}
	mirrored, err := mirroredFiles(ctx, tx, head, recorded)
	if err != nil {
		return head, f, nil, err
	}
	i := slices.IndexFunc(mirrored, func(f records.File) bool { return f.Path == path && f.Status != records.Removing })
	if i < 0 {
		return head, f, nil, &memories.InvalidError{Field: "path", Reason: "is not a file of this memory"}
	}
	f = mirrored[i]
	if !head.Readable {
		return head, f, nil, &memories.InvalidError{Field: "fix", Reason: "is not possible: the file is unreadable. Edit it on disk, or delete it"}
	}
	if raw, err = tx.ReadRecorded(f); err == nil && raw == nil {
		err = &memories.ConflictError{Reason: path + " not found on disk. Nothing was changed. Read the memory again."}
	}
	return head, f, raw, err
}

// FixesOp configures Fixes. ID is the id of the memory.
type FixesOp struct{ ID string }

// Fixes is flaws.Of for a memory of the agent with the slug. It does not lock the agent.
func (s *Service) Fixes(ctx context.Context, slug string, op FixesOp) ([]flaws.Flawed, error) {
	return flaws.Of(ctx, s.Store, slug, op.ID)
}

// fixedBytes returns the bytes that the file would have after the fix with the id fix. raw are its
// present bytes. It writes nothing. It returns *memories.InvalidError if the file does not have
// that fix now.
func fixedBytes(ctx context.Context, store *postgres.Store, tx *agenttx.Tx, row records.Agent, head records.MemoryRow, f records.File, raw []byte, fix string) ([]byte, error) {
	m, err := tx.Rows.Memory(ctx, tx.Agent.Slug, head.ID)
	if err != nil {
		return nil, err
	}
	found, err := flaws.InspectFile(ctx, store, row, m, memories.MemoryFile{Path: f.Path, Session: f.Session, Unfinished: f.Unfinished}, raw)
	if err != nil {
		return nil, err
	}
	for _, offered := range found.Fixes {
		if offered.ID == fix {
			return offered.After, nil
		}
	}
	return nil, &memories.InvalidError{Field: "fix", Reason: "is not offered for this file any longer; list its fixes again"}
}

// replace writes raw into a file of the memory and scans it; the modification time stays. If the
// file has the memory's content, raw becomes that content. If it has an older content under the
// same name, raw does not count as newer. It adapts the file's entries in MEMORY.md. A tombstone of the new content is deleted. The caller
// must publish c. It returns a *memories.ConflictError if the file has changed, cannot be written,
// or is team memory with a credential.
func (s *Service) replace(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, f records.File, raw []byte) error {
	parsed := tx.Parse(raw, f.Path)
	fingerprint := parsed.Fingerprint(raw)
	key := memories.Key{Name: parsed.Name, Team: tx.Agent.InTeam(f.Path)}
	if err := CheckCredentials(key.Team, f.Path, raw); err != nil {
		return err
	}
	write := func() error {
		return tx.Overwrite(f.Path, raw, files.Options{IfHash: f.Hash, ModTime: time.Unix(0, f.ModTime)})
	}
	hash := files.Hash(raw)
	isCurrent := f.Fingerprint == head.Fingerprint
	isOlder := !isCurrent && parsed.Name == head.Name
	err := writeAllowed(ctx, tx, key, fingerprint, f.Path, raw, func() error {
		if isOlder {
			return withExpectedHash(ctx, tx, f.Path, hash, write)
		}
		return write()
	})
	if err != nil {
		return err
	}
	if isOlder {
		if err := tx.DB.SetFileHash(ctx, f.Path, hash); err != nil {
			return err
		}
	}
	request := written(tx, f.Path)
	if isCurrent {
		request = saved(tx, f.Path)
	}
	if err := s.scan(ctx, tx, c, request); err != nil {
		return err
	}
	if err := rescanBlocked(ctx, s.Store, tx, key); err != nil {
		return err
	}
	after := memorymd.IndexedFile{Path: f.Path, Name: parsed.Name, Type: parsed.Type, Description: parsed.Description}
	if err := relist(tx, c, entryOf(head, f.Path), after); err != nil {
		return err
	}
	if fingerprint == f.Fingerprint {
		c.add(events.Saved, parsed.Name) // the scan sends no event for an equal content
	}
	return nil
}

// renameToMarkdown renames a text file to a name that ends in .md, and scans it. It returns the new
// path. It does nothing, and done is false, if op is not the rename of an unreadable memory's text
// file. The caller must publish c. It returns a *memories.ConflictError if the file is missing, has
// changed, or cannot be renamed.
func (s *Service) renameToMarkdown(ctx context.Context, tx *agenttx.Tx, c *changes, op FixOp) (to string, done bool, err error) {
	head, recorded, err := rowWithFiles(ctx, tx, op.Ref.ID, op.Ref.ETag)
	if err != nil || head.Readable || !flaws.IsNotMarkdown(head.Problems) || op.Fix != flaws.FixRename || op.Path != head.Path || head.State == memories.Deleted {
		return "", false, err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return "", false, err
	}
	mirrored, err := mirroredFiles(ctx, tx, head, recorded)
	if err != nil {
		return "", false, err
	}
	for _, f := range mirrored {
		raw, err := tx.ReadRecorded(f)
		if err != nil {
			return "", false, err
		}
		if raw == nil {
			return "", false, &memories.ConflictError{Reason: f.Path + " not found on disk. Nothing was changed. Read the memory again."}
		}
	}
	to = flaws.MarkdownPath(tx.Root, head.Path)
	if err := tx.Disk.Move(tx.Root, head.Path, to); err != nil {
		return "", false, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be renamed to %s (%v). Check which name the file has, and try again.", head.Path, to, agenttx.FSCause(err))}
	}
	if err := s.scan(ctx, tx, c, written(tx, head.Path, to)); err != nil {
		return "", false, err
	}
	return to, true, relist(tx, c, entryOf(head, head.Path), entryOf(head, to))
}

// takeAsIs makes the next scan accept the unfinished file f with its present bytes raw, and scans
// it. It deletes a tombstone of that content. The file is not written. The caller must publish c.
func (s *Service) takeAsIs(ctx context.Context, tx *agenttx.Tx, c *changes, f records.File, raw []byte) error {
	parsed := tx.Parse(raw, f.Path)
	key := memories.Key{Name: parsed.Name, Team: tx.Agent.InTeam(f.Path)}
	if _, err := tx.DB.Allow(ctx, key, parsed.Fingerprint(raw)); err != nil {
		return err
	}
	if err := tx.DB.AcceptUnfinished(ctx, f.Path); err != nil {
		return err
	}
	return s.scan(ctx, tx, c, written(tx, f.Path))
}
