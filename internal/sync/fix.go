package sync

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// Flawed is a file on disk that has problems, with the ways to mend it.
type Flawed struct {
	Path     string
	Session  string // empty: of the primary directory
	Hash     string // of Raw; empty where it was not read
	Raw      []byte // nil: it cannot be read as a memory
	Problems []memories.Problem
	Fixes    []frontmatter.Fix
}

// ProposeFixes returns the files of a memory that have problems, and what can be done about each. Nothing is written. A
// memory in the trash has none. It fails with memories.ErrNotFound.
func (e *Engine) ProposeFixes(ctx context.Context, slug, id string) ([]Flawed, error) {
	return callFixes.read(ctx, e, slug, fixesOp{id})
}

func (e *Engine) fixesLocal(ctx context.Context, slug string, op fixesOp) ([]Flawed, error) {
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	m, err := e.store.Memory(ctx, row, op.ID)
	if err != nil || m.State == memories.Deleted {
		return nil, err
	}
	if !m.Readable && !isOther(m.Problems) {
		return []Flawed{{Path: m.Path, Session: m.Session, Hash: m.Hash, Problems: m.Problems}}, nil
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return nil, nil // its directory is gone, and with it what could be mended
	}
	defer root.Close() //nolint:errcheck // only read through
	if !m.Readable {
		return []Flawed{flawsOfOther(root, m)}, nil
	}
	var flawed []Flawed
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw, err := readAll(root, f.Path, memories.MaxFileSize)
		if err != nil {
			continue // the next scan says what it is now
		}
		found, err := e.flawsOf(ctx, row, m, f, raw)
		if err != nil {
			return nil, err
		}
		if len(found.Problems) > 0 {
			flawed = append(flawed, found)
		}
	}
	return flawed, nil
}

// flawsOf returns what is wrong with one file of a memory, its name among the others of its directory included.
func (e *Engine) flawsOf(ctx context.Context, row records.Agent, m memories.Memory, f memories.MemoryFile, raw []byte) (Flawed, error) {
	found := Flawed{
		Path: f.Path, Session: f.Session, Hash: files.Hash(raw), Raw: raw,
		Problems: frontmatter.Parse(raw, stem(f.Path)).Problems, Fixes: frontmatter.Fixes(raw, f.Path),
	}
	if f.Unfinished != 0 {
		lastGood, err := e.store.LastGood(ctx, row, m.ID, f.Path)
		if err != nil {
			return found, err
		}
		found.Problems = []memories.Problem{memories.LastGood(f.Path, f.Unfinished)}
		found.Fixes = unfinishedFixes(m, f.Path, raw, lastGood)
		return found, nil
	}
	var twins []string
	for _, other := range m.Files {
		if path.Dir(other.Path) == path.Dir(f.Path) {
			twins = append(twins, other.Path)
		}
	}
	if len(twins) < 2 {
		return found, nil
	}
	slices.Sort(twins)
	found.Problems = append(found.Problems, duplicateName(twins))
	// The file that holds the content keeps the name: renaming it would leave its knowledge under a name that the other has.
	if f.Path == m.Path {
		return found, nil
	}
	name, err := e.freeName(ctx, row, m.Name, stem(f.Path))
	if err != nil {
		return found, err
	}
	found.Fixes = append(found.Fixes, frontmatter.Fix{
		ID: "rename", Code: memories.CodeDuplicateName, Label: "Name this one “" + name + "”",
		Explanation: "Gives this file a name of its own, so that both are memories. The other file keeps the name.",
		After:       frontmatter.Renamed(raw, f.Path, name),
	})
	return found, nil
}

// freeName returns the name of a file, or else the taken name with a number, whichever no memory has or had.
func (e *Engine) freeName(ctx context.Context, row records.Agent, taken, stem string) (string, error) {
	for n := 1; ; n++ {
		name := memories.Content{Name: stem}.Canonical().Name
		if n > 1 {
			name = memories.Content{Name: fmt.Sprintf("%s %d", taken, n)}.Canonical().Name
		}
		if name == "" || name == taken {
			continue
		}
		known := 0
		for _, state := range []memories.State{"", memories.Deleted} {
			page, err := e.store.Memories(ctx, row, records.MemoryList{Name: name, State: state, Limit: 1})
			if err != nil {
				return "", err
			}
			known += page.Total
		}
		if known == 0 {
			return name, nil
		}
	}
}

// Fix mends one file of a memory as ProposeFixes has it. When it returns, the file and CLAUDE.md are on disk. The
// memory's age stays: what is mended is not newer for it. match is the ETag of what the user saw; empty: whatever there is.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of another content, *memories.InvalidError for a
// path or a fix that the memory does not have, and *memories.ConflictError when the file has changed on disk since it was
// read, or cannot be written; then nothing has happened.
func (e *Engine) Fix(ctx context.Context, slug, id, etag, path, fix string) (Result, error) {
	return callFix.do(ctx, e, slug, fixOp{Ref: MemoryRef{id, etag}, Path: path, Fix: fix})
}

func (e *Engine) fixLocal(ctx context.Context, slug string, op fixOp) (Result, error) {
	if op.Undo {
		return e.undoFixLocal(ctx, slug, op)
	}
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		if to, done, err := h.renameOther(ctx, op); done || err != nil {
			if err == nil {
				result, err = h.resultAt(ctx, to)
			}
			return err
		}
		row, f, raw, err := h.mirroredFileAt(ctx, op.Ref.ID, op.Ref.ETag, op.Path)
		if err != nil {
			return err
		}
		after, err := h.fixedBytes(ctx, row, f, raw, op.Fix)
		if err != nil {
			return err
		}
		if op.Fix == fixAsIs {
			err = h.takeAsIs(ctx, f, raw)
		} else {
			err = h.replace(ctx, row, f, after)
		}
		if err != nil {
			return err
		}
		result, err = h.resultAt(ctx, op.Path)
		return err
	})
	return result, err
}

// UndoFix writes back the bytes that a file of the memory had before it was mended; hash is theirs. It fails as Fix does,
// and with *memories.ConflictError where those bytes are not kept: of a content that was only spelled otherwise the history
// has the newer spelling.
func (e *Engine) UndoFix(ctx context.Context, slug, id, etag, path, hash string) (Result, error) {
	return callFix.do(ctx, e, slug, fixOp{Ref: MemoryRef{id, etag}, Path: path, Undo: true, Hash: hash})
}

func (e *Engine) undoFixLocal(ctx context.Context, slug string, op fixOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		head, f, _, err := h.mirroredFileAt(ctx, op.Ref.ID, op.Ref.ETag, op.Path)
		if err != nil {
			return err
		}
		row, err := h.w.Agent(ctx)
		if err != nil {
			return err
		}
		before, err := h.store.RawOfHash(ctx, row, op.Ref.ID, op.Hash)
		if err != nil {
			return err
		}
		if before == nil {
			return &memories.ConflictError{Reason: "What " + op.Path + " said before is not kept any more. Nothing was changed."}
		}
		if err := h.replace(ctx, head, f, before); err != nil {
			return err
		}
		result, err = h.resultAt(ctx, op.Path)
		return err
	})
	return result, err
}

// mirroredFileAt returns a living memory, one of the files that carry it, and the bytes of that, which are those on record.
func (h *hold) mirroredFileAt(ctx context.Context, id, etag, path string) (row records.MemoryRow, f records.File, raw []byte, err error) {
	row, on, err := h.rowWithFiles(ctx, id, etag)
	if err != nil {
		return row, f, nil, err
	}
	if row.State == memories.Deleted {
		return row, f, nil, errInTrash
	}
	if h.root == nil {
		return row, f, nil, h.errNoDirectory()
	}
	mirrored, err := h.mirroredFiles(ctx, row, on)
	if err != nil {
		return row, f, nil, err
	}
	i := slices.IndexFunc(mirrored, func(f records.File) bool { return f.Path == path && f.Status != records.Removing })
	if i < 0 {
		return row, f, nil, &memories.InvalidError{Field: "path", Reason: "is none of the files that carry this memory"}
	}
	f = mirrored[i]
	if !row.Readable {
		return row, f, nil, &memories.InvalidError{Field: "fix", Reason: "is not possible: the file could not be read as a memory. Mend it on disk, or delete it"}
	}
	if raw, err = h.readRecorded(f); err == nil && raw == nil {
		err = &memories.ConflictError{Reason: path + " is gone from the disk. Nothing was changed."}
	}
	return row, f, raw, err
}

// fixedBytes returns the bytes of a file after one of its fixes.
func (h *hold) fixedBytes(ctx context.Context, head records.MemoryRow, f records.File, raw []byte, fix string) ([]byte, error) {
	row, err := h.w.Agent(ctx)
	if err != nil {
		return nil, err
	}
	m, err := h.w.Memory(ctx, h.onDisk.Slug, head.ID)
	if err != nil {
		return nil, err
	}
	found, err := h.flawsOf(ctx, row, m, memories.MemoryFile{Path: f.Path, Session: f.Session, Unfinished: f.Unfinished}, raw)
	if err != nil {
		return nil, err
	}
	for _, offered := range found.Fixes {
		if offered.ID == fix {
			return offered.After, nil
		}
	}
	return nil, &memories.InvalidError{Field: "fix", Reason: "is none that this file has now; ask for its fixes again"}
}

// replace writes other bytes into a file of the memory, under its old modification time, and publishes. Where the file
// holds the memory's content, what it says now is the content. Where it holds an older one, it stays the older one: mending
// its form makes it no newer knowledge.
func (h *hold) replace(ctx context.Context, row records.MemoryRow, f records.File, after []byte) error {
	parsed := frontmatter.Parse(after, stem(f.Path))
	fingerprint := parsed.Fingerprint(after)
	key := memories.Key{Name: parsed.Name, Team: h.onDisk.InTeam(f.Path)}
	if err := checkCredentials(key.Team, f.Path, after); err != nil {
		return err
	}
	write := func() error {
		return h.overwrite(f.Path, after, files.Options{IfHash: f.Hash, ModTime: time.Unix(0, f.ModTime)})
	}
	isOlder := f.Fingerprint != row.Fingerprint && parsed.Name == row.Name
	err := h.writeAllowed(ctx, key, fingerprint, f.Path, after, func() error {
		if isOlder {
			return h.withExpectedHash(ctx, f.Path, files.Hash(after), write)
		}
		return write()
	})
	if err != nil {
		return err
	}
	if err := h.scanFixed(ctx, row, f, parsed.Name, files.Hash(after)); err != nil {
		return err
	}
	if err := h.rescanBlocked(ctx, key); err != nil {
		return err
	}
	if err := h.publish(ctx); err != nil {
		return err
	}
	if fingerprint == f.Fingerprint {
		h.emitChanges([]change{{events.Saved, parsed.Name}}) // a scan finds nothing new in another spelling
	}
	return nil
}

// scanFixed mirrors a file of the memory that has just got other bytes, of that hash, and maybe another name.
func (h *hold) scanFixed(ctx context.Context, row records.MemoryRow, f records.File, name, hash string) error {
	if f.Fingerprint == row.Fingerprint {
		return h.scanSaved(ctx, f.Path, scanOrigin{actor: actorOf(ctx)})
	}
	if name == row.Name {
		if err := h.w.RecordBytes(ctx, f.Path, hash); err != nil {
			return err
		}
	}
	return h.scanFile(ctx, f.Path)
}
