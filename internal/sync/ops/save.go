package ops

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/notes"
	"memoir/internal/sync/reconcile"
)

// SaveOp configures Save.
type SaveOp struct {
	Draft   memories.Draft
	OnlyNew bool // return *memories.NameTakenError if a memory of that name lives
	// Match returns memories.ErrChanged unless a memory of that name has one of these ETags. "*" is
	// any ETag. Without ETags, nothing is compared.
	Match []string
}

// Save writes a memory under the draft's name, writes CLAUDE.md, and returns the memory. It creates
// the memory, changes its content, or brings it back from the trash. Result.Created means that it
// was new or in the trash. Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written.
// Errors to test for: memories.ErrNotFound for an unknown slug, *memories.InvalidError,
// *memories.NameTakenError with op.OnlyNew, and memories.ErrChanged with op.Match.
// *memories.ConflictError means that the file has changed since the last scan or cannot be written.
func (s *Service) Save(ctx context.Context, slug string, op SaveOp) (Result, error) {
	draft := op.Draft
	if err := draft.Check(); err != nil {
		return Result{}, err
	}
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		draft.Team = draft.Team || tx.Agent.Rules().IsShared // it has team memories only
		draft, head, title, err := inLayout(ctx, tx, draft)
		if err != nil {
			return Result{}, err
		}
		created := head == nil || head.State == memories.Deleted
		if op.OnlyNew && !created {
			return Result{}, &memories.NameTakenError{Name: head.Name, ID: head.ID}
		}
		if len(op.Match) > 0 && (head == nil || !hasETag(*head, op.Match)) {
			return Result{}, memories.ErrChanged
		}
		result, err := s.writeMemory(ctx, tx, head, draft, title)
		result.Created = created
		return result, err
	})
}

// hasETag reports whether a memory has one of the ETags.
func hasETag(head records.MemoryRow, etags []string) bool {
	return slices.ContainsFunc(etags, func(etag string) bool { return CheckETag(head, etag) == nil })
}

// inLayout returns the draft with the name that the agent's client would give it, and the row of the
// memory with its key, or nil. In a project of Claude Code, the name of a new memory is a slug;
// title is then the name as given, for MEMORY.md. Elsewhere, and for the name of a known memory, the
// draft does not change, and title is empty.
func inLayout(ctx context.Context, tx *agenttx.Tx, draft memories.Draft) (named memories.Draft, head *records.MemoryRow, title string, err error) {
	head, err = tx.Rows.RowOf(ctx, draft.Key())
	slug := memories.KebabSlug(draft.Name)
	if err != nil || head != nil || !tx.Agent.Rules().HasSlugNames || slug == draft.Name {
		return draft, head, "", err
	}
	title, draft.Name = draft.Name, slug
	head, err = tx.Rows.RowOf(ctx, draft.Key())
	return draft, head, title, err
}

// PatchOp configures Patch.
type PatchOp struct {
	Ref   MemoryRef `json:"Seen"`
	Patch memories.Patch
}

// Patch changes the fields of a memory that op.Patch sets, and writes CLAUDE.md. Another name gives
// the memory another file; id and history stay. It returns the memory; Result.ClaudeMDProblem is
// the reason if CLAUDE.md could not be written. Errors to test for: memories.ErrNotFound,
// memories.ErrChanged, *memories.InvalidError, *memories.NameTakenError for a new name, and
// *memories.ConflictError, also for a deleted or unreadable memory.
func (s *Service) Patch(ctx context.Context, slug string, op PatchOp) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return Result{}, err
		}
		draft, err := patchedDraft(ctx, tx, head, op.Patch)
		if err != nil {
			return Result{}, err
		}
		title := ""
		if draft.Name != head.Name {
			if draft, _, title, err = inLayout(ctx, tx, draft); err != nil {
				return Result{}, err
			}
		}
		if draft.Key() != head.Key() {
			return s.renameMemory(ctx, tx, head, draft, title)
		}
		return s.writeMemory(ctx, tx, &head, draft, "")
	})
}

// patchedDraft returns the memory's present content with the changes of patch. It writes nothing.
// It returns *memories.InvalidError for a field that cannot be saved, and a *memories.ConflictError
// for a deleted or unreadable memory.
func patchedDraft(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, patch memories.Patch) (memories.Draft, error) {
	switch {
	case head.State == memories.Deleted:
		return memories.Draft{}, ErrInTrash
	case !head.Readable:
		return memories.Draft{}, &memories.ConflictError{Reason: "The file is unreadable. Nothing was changed. Edit it on disk, or delete it."}
	}
	description, body, err := tx.Rows.Text(ctx, head.UUID)
	if err != nil {
		return memories.Draft{}, err
	}
	draft := memories.Draft{Name: head.Name, Team: head.Team, Type: head.Type, Description: description, Body: body, Metadata: patch.Metadata}
	draft = withPatch(draft, patch)
	// A memory without a type needs attention. An edit may leave it without one.
	if draft.Type == "" {
		typed := draft
		typed.Type = memories.Feedback
		err := typed.Check()
		draft.Name = typed.Name
		return draft, err
	}
	err = draft.Check()
	return draft, err
}

// withPatch returns the draft with the name, type, description and body that patch sets. It ignores
// patch.Metadata.
func withPatch(draft memories.Draft, patch memories.Patch) memories.Draft {
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
	return draft
}

// writeMemory writes a draft to a memory file, scans it, writes MEMORY.md and CLAUDE.md, and returns
// the memory. Arguments and errors are those of writeDraft; title is for a new entry in MEMORY.md.
// Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written.
func (s *Service) writeMemory(ctx context.Context, tx *agenttx.Tx, head *records.MemoryRow, draft memories.Draft, title string) (Result, error) {
	c := changes{title: title}
	if _, err := s.writeDraft(ctx, tx, &c, head, draft); err != nil {
		return Result{}, err
	}
	return s.publishWritten(ctx, tx, &c, draft.Key())
}

// writeDraft writes a draft to a memory file, scans it, and returns its path. The caller must
// publish c. head is the row of the memory with the draft's key, also if it is deleted; nil means
// that no memory has the key. It returns *memories.ConflictError if the file has changed or cannot
// be written. It returns *memories.InvalidError for too much text, masked text, or a credential in team memory.
func (s *Service) writeDraft(ctx context.Context, tx *agenttx.Tx, c *changes, head *records.MemoryRow, draft memories.Draft) (path string, err error) {
	if err := tx.MakeDirectory(ctx); err != nil {
		return "", err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return "", err
	}
	if err := checkMasked(head, draft); err != nil {
		return "", err
	}
	var note notes.Note
	var t target
	base := head
	if tx.Agent.Rules().TakesNotes() {
		if note, err = notes.Save(ctx, tx, head, draft); err != nil {
			return "", err
		}
		if note.IsDone {
			return note.Path, s.scan(ctx, tx, c, written(tx, note.Changed...))
		}
		t, draft.Metadata, base = target{path: note.Path, present: note.Hash != "", hash: note.Hash}, note.Metadata, nil
	} else if t, err = chooseTarget(ctx, tx, head, draft); err != nil {
		return "", err
	}
	data, err := contentFor(ctx, tx, base, t, draft)
	if err != nil {
		return "", err
	}
	if err := checkTeamContent(tx, draft, t.path, data); err != nil {
		return "", err
	}
	parsed := tx.Parse(data, t.path)
	err = writeAllowed(ctx, tx, draft.Key(), parsed.Fingerprint(data), t.path, data, func() error {
		return tx.Overwrite(t.path, data, files.Options{New: !t.present, IfHash: t.hash})
	})
	if err != nil {
		return "", err
	}
	r := saved(tx, t.path)
	r.Paths = append(r.Paths, note.Changed...)
	if err := s.scan(ctx, tx, c, r); err != nil || head == nil {
		return t.path, err
	}
	if len(head.IndexLines) > 0 {
		// The lines that a deletion removed come back, where they were.
		var gone []string
		if t.path != head.Path {
			gone = []string{head.Path}
		}
		if err := logUnlisted(tx, restoreToIndexes(tx, c, *head, gone, t.path)); err != nil {
			return t.path, err
		}
	}
	return t.path, relist(tx, c, entryOf(*head, t.path), entryOfDraft(draft, t.path))
}

// writeAllowed deletes the tombstone of a content and calls write, which writes data with that
// content to relPath. So a scan after the write does not block the file. If write fails, the error
// is the result of agenttx.WriteConflict. If the file then certainly lacks the data, it adds the tombstone
// again.
func writeAllowed(ctx context.Context, tx *agenttx.Tx, key memories.Key, content memories.Fingerprint, relPath string, data []byte, write func() error) error {
	deletedAt, err := tx.DB.Allow(ctx, key, content)
	if err != nil {
		return err
	}
	err = write()
	if err == nil {
		return nil
	}
	writeErr := agenttx.WriteConflict(relPath, err)
	if isNotWritten(err, writeErr) || lacksContent(tx, relPath, files.Hash(data)) {
		if err := tx.DB.AddTombstone(ctx, key, content, deletedAt); err != nil {
			return errors.Join(err, writeErr)
		}
	}
	return writeErr
}

// target is the primary file to which a memory is written.
type target struct {
	path    string
	present bool   // the file exists
	hash    string // recorded hash of the file; empty if it does not exist
	// unfinished means that the file is unfinished: the last good content is the base of the write.
	unfinished bool
}

// chooseTarget returns the file to write. It prefers the present primary file with the memory's
// content, then another present one, then a free path, an earlier one first. It skips copies,
// because a save into one changes nothing. It skips unreadable files, because a save would destroy
// unknown text. A nil head means a new memory.
func chooseTarget(ctx context.Context, tx *agenttx.Tx, head *records.MemoryRow, draft memories.Draft) (target, error) {
	if head == nil {
		return freeTarget(tx, draft), nil
	}
	primary, err := primaryFilesInScope(ctx, tx, *head)
	if err != nil {
		return target{}, err
	}
	primary = reconcile.WithoutCopies(primary)
	primary = slices.DeleteFunc(primary, func(f records.PrimaryFile) bool { return f.Present && !f.Readable })
	hasSource := slices.ContainsFunc(primary, func(f records.PrimaryFile) bool { return f.Present && f.Path == head.Path })
	for _, f := range primary {
		if f.Present && (f.Path == head.Path || head.Session != "" || !hasSource) {
			return target{f.Path, true, f.Hash, f.Unfinished}, nil
		}
	}
	for _, f := range primary {
		if !f.Present && tx.IsFree(f.Path) {
			return target{path: f.Path}, nil
		}
	}
	return freeTarget(tx, draft), nil
}

// freeTarget returns a target for the draft at the first numbered path where nothing exists.
func freeTarget(tx *agenttx.Tx, draft memories.Draft) target {
	for n := 1; ; n++ {
		if p := numberedPath(tx, draft, n); !exists(tx, p) {
			return target{path: p}
		}
	}
}

// unrecordedTarget returns a path for the draft at which nothing exists on disk, and the database
// has no present file. If a missing file is recorded as present, the next scan must still detach it
// from its memory. A row that ExpectFile writes for that path would prevent this.
func unrecordedTarget(ctx context.Context, tx *agenttx.Tx, draft memories.Draft) (string, error) {
	for n := 1; ; n++ {
		p := numberedPath(tx, draft, n)
		if exists(tx, p) {
			continue
		}
		recorded, err := tx.Rows.FilesAt(ctx, []string{p})
		if err != nil || len(recorded) == 0 || !recorded[0].Present {
			return p, err
		}
	}
}

// numberedPath returns the n-th path that a file with the draft's type and name may have, in the
// primary directory or its team directory. n starts at 1; that path has no number. The path may be
// taken.
func numberedPath(tx *agenttx.Tx, draft memories.Draft, n int) string {
	if tx.Agent.Rules().TakesNotes() {
		return tx.Agent.NewNote(draft.Name, n, time.Now())
	}
	dir := tx.Agent.PrimaryDir()
	if draft.Team {
		dir = tx.Agent.TeamDir()
	}
	file := tx.Agent.Rules().FileName(draft.Type, draft.Name)
	return path.Join(dir, memories.NumberedFileName(file, n))
}

// primaryFilesInScope returns the present and former primary files of a memory, the present ones
// first. It leaves out files in the directory of the other scope, except for an unreadable memory.
func primaryFilesInScope(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow) ([]records.PrimaryFile, error) {
	primary, err := tx.Rows.PrimaryFilesOf(ctx, head.UUID)
	return slices.DeleteFunc(primary, func(f records.PrimaryFile) bool {
		return head.Readable && tx.Agent.InTeam(f.Path) != head.Team
	}), err
}

// exists reports whether something is at the path. It returns false if that cannot be read; the
// write that follows then reports the reason.
func exists(tx *agenttx.Tx, p string) bool {
	_, err := files.Lstat(tx.Root, p)
	return err == nil
}

// contentFor returns the bytes to write to t: the draft, written into the present file or the
// stored bytes, so that unknown keys stay. It writes nothing. If the present file has other bytes
// than recorded, it requests a scan and returns a *memories.ConflictError. It returns
// *memories.InvalidError if the result is larger than memories.MaxFileSize.
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
		if base, err = tx.Rows.CurrentRaw(ctx, head.UUID); err != nil {
			return nil, err
		}
	}
	return encodeDraft(tx, base, t.path, draft)
}

// encodeDraft returns the bytes of a file at relPath with the draft. base is the file to change; nil
// means a new file, which gets the form of the layout. Unknown keys of base stay. A file without
// frontmatter gets no metadata. It returns *memories.InvalidError if the result is larger than
// memories.MaxFileSize.
func encodeDraft(tx *agenttx.Tx, base []byte, relPath string, draft memories.Draft) ([]byte, error) {
	data := tx.Agent.Encode(base, relPath, draft.Content(), draft.Metadata, time.Now())
	if len(data) > memories.MaxFileSize {
		return nil, &memories.InvalidError{Field: "body", Reason: "makes the file larger than 1 MiB, the limit of a memory; shorten it"}
	}
	return data, nil
}

// isNotWritten reports whether certainly nothing was written. err is the error of the write, and
// writeErr the result of agenttx.WriteConflict for it. It reports false if that is unknown.
func isNotWritten(err, writeErr error) bool {
	var conflict *memories.ConflictError
	return errors.As(writeErr, &conflict) && !errors.Is(err, syscall.EIO)
}

// lacksContent reports whether the file at relPath is missing or has another hash. It reports false
// if the file cannot be read.
func lacksContent(tx *agenttx.Tx, relPath, hash string) bool {
	found, err := files.ReadHash(tx.Root, relPath)
	return errors.Is(err, fs.ErrNotExist) || err == nil && found != hash
}
