package ops

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/reconcile"
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

func (s *Service) Fixes(ctx context.Context, slug string, op FixesOp) ([]Flawed, error) {
	row, err := s.Store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	m, err := s.Store.Memory(ctx, row, op.ID)
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
		raw, err := agenttx.ReadAll(root, f.Path, memories.MaxFileSize)
		if err != nil {
			continue // the next scan says what it is now
		}
		found, err := flawsOf(ctx, s.Store, row, m, f, raw)
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
func flawsOf(ctx context.Context, store *postgres.Store, row records.Agent, m memories.Memory, f memories.MemoryFile, raw []byte) (Flawed, error) {
	found := Flawed{
		Path: f.Path, Session: f.Session, Hash: files.Hash(raw), Raw: raw,
		Problems: frontmatter.Parse(raw, agenttx.Stem(f.Path)).Problems, Fixes: frontmatter.Fixes(raw, f.Path),
	}
	if f.Unfinished != 0 {
		lastGood, err := store.LastGood(ctx, row, m.ID, f.Path)
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
	found.Problems = append(found.Problems, reconcile.DuplicateName(twins))
	// The file that holds the content keeps the name: renaming it would leave its knowledge under a name that the other has.
	if f.Path == m.Path {
		return found, nil
	}
	name, err := freeName(ctx, store, row, m.Name, agenttx.Stem(f.Path))
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
func freeName(ctx context.Context, store *postgres.Store, row records.Agent, taken, stem string) (string, error) {
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
			page, err := store.Memories(ctx, row, records.MemoryList{Name: name, State: state, Limit: 1})
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

func (s *Service) Fix(ctx context.Context, slug string, op FixOp) (Result, error) {
	if op.Undo {
		return s.UndoFix(ctx, slug, op)
	}
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		var c changes
		to, done, err := s.renameOther(ctx, tx, &c, op)
		if err != nil {
			return err
		}
		if !done {
			to = op.Path
			err = s.fixFile(ctx, tx, &c, op)
		}
		if err != nil {
			return err
		}
		state, err := s.publish(ctx, tx, &c)
		if err != nil {
			return err
		}
		result, err = resultAt(ctx, tx, to, state)
		return err
	})
	return result, err
}

// fixFile applies a fix to the text of a file.
func (s *Service) fixFile(ctx context.Context, tx *agenttx.Tx, c *changes, op FixOp) error {
	head, f, raw, err := mirroredFileAt(ctx, tx, op.Ref.ID, op.Ref.ETag, op.Path)
	if err != nil {
		return err
	}
	after, err := fixedBytes(ctx, s.Store, tx, head, f, raw, op.Fix)
	if err != nil {
		return err
	}
	if op.Fix == fixAsIs {
		return s.takeAsIs(ctx, tx, c, f, raw)
	}
	return s.replace(ctx, tx, c, head, f, after)
}

func (s *Service) UndoFix(ctx context.Context, slug string, op FixOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		head, f, _, err := mirroredFileAt(ctx, tx, op.Ref.ID, op.Ref.ETag, op.Path)
		if err != nil {
			return err
		}
		row, err := tx.DB.Agent(ctx)
		if err != nil {
			return err
		}
		before, err := s.Store.RawOfHash(ctx, row, op.Ref.ID, op.Hash)
		if err != nil {
			return err
		}
		if before == nil {
			return &memories.ConflictError{Reason: "What " + op.Path + " said before is not kept any more. Nothing was changed."}
		}
		var c changes
		if err := s.replace(ctx, tx, &c, head, f, before); err != nil {
			return err
		}
		state, err := s.publish(ctx, tx, &c)
		if err != nil {
			return err
		}
		result, err = resultAt(ctx, tx, op.Path, state)
		return err
	})
	return result, err
}

// mirroredFileAt returns a living memory, one of the files that carry it, and the bytes of that, which are those on record.
func mirroredFileAt(ctx context.Context, tx *agenttx.Tx, id, match, path string) (head records.MemoryRow, f records.File, raw []byte, err error) {
	head, on, err := rowWithFiles(ctx, tx, id, match)
	if err != nil {
		return head, f, nil, err
	}
	if head.State == memories.Deleted {
		return head, f, nil, errInTrash
	}
	if tx.Root == nil {
		return head, f, nil, tx.MissingError()
	}
	mirrored, err := mirroredFiles(ctx, tx, head, on)
	if err != nil {
		return head, f, nil, err
	}
	i := slices.IndexFunc(mirrored, func(f records.File) bool { return f.Path == path && f.Status != records.Removing })
	if i < 0 {
		return head, f, nil, &memories.InvalidError{Field: "path", Reason: "is none of the files that carry this memory"}
	}
	f = mirrored[i]
	if !head.Readable {
		return head, f, nil, &memories.InvalidError{Field: "fix", Reason: "is not possible: the file could not be read as a memory. Mend it on disk, or delete it"}
	}
	if raw, err = tx.ReadRecorded(f); err == nil && raw == nil {
		err = &memories.ConflictError{Reason: path + " is gone from the disk. Nothing was changed."}
	}
	return head, f, raw, err
}

// fixedBytes returns the bytes of a file after one of its fixes.
func fixedBytes(ctx context.Context, store *postgres.Store, tx *agenttx.Tx, head records.MemoryRow, f records.File, raw []byte, fix string) ([]byte, error) {
	row, err := tx.DB.Agent(ctx)
	if err != nil {
		return nil, err
	}
	m, err := tx.DB.Memory(ctx, tx.Agent.Slug, head.ID)
	if err != nil {
		return nil, err
	}
	found, err := flawsOf(ctx, store, row, m, memories.MemoryFile{Path: f.Path, Session: f.Session, Unfinished: f.Unfinished}, raw)
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
func (s *Service) replace(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, f records.File, after []byte) error {
	parsed := frontmatter.Parse(after, agenttx.Stem(f.Path))
	fingerprint := parsed.Fingerprint(after)
	key := memories.Key{Name: parsed.Name, Team: tx.Agent.InTeam(f.Path)}
	if err := CheckCredentials(key.Team, f.Path, after); err != nil {
		return err
	}
	write := func() error {
		return tx.Overwrite(f.Path, after, files.Options{IfHash: f.Hash, ModTime: time.Unix(0, f.ModTime)})
	}
	isOlder := f.Fingerprint != head.Fingerprint && parsed.Name == head.Name
	err := writeAllowed(ctx, tx, key, fingerprint, f.Path, after, func() error {
		if isOlder {
			return withExpectedHash(ctx, tx, f.Path, files.Hash(after), write)
		}
		return write()
	})
	if err != nil {
		return err
	}
	if err := s.scanFixed(ctx, tx, c, head, f, parsed.Name, files.Hash(after)); err != nil {
		return err
	}
	if err := rescanBlocked(ctx, s.Store, tx, key); err != nil {
		return err
	}
	if fingerprint == f.Fingerprint {
		c.add(events.Saved, parsed.Name) // the scan finds no new content in another spelling
	}
	return nil
}

// scanFixed mirrors a file of the memory that has just got other bytes, of that hash, and maybe another name.
func (s *Service) scanFixed(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, f records.File, name, hash string) error {
	if f.Fingerprint == head.Fingerprint {
		return s.scan(ctx, tx, c, saved(tx, f.Path))
	}
	if name == head.Name {
		if err := tx.DB.RecordBytes(ctx, f.Path, hash); err != nil {
			return err
		}
	}
	return s.scan(ctx, tx, c, written(tx, f.Path))
}

// renameOther gives a text file the ending of a memory, and mirrors it. It reports false where the fix is not about such a file.
func (s *Service) renameOther(ctx context.Context, tx *agenttx.Tx, c *changes, op FixOp) (to string, done bool, err error) {
	head, on, err := rowWithFiles(ctx, tx, op.Ref.ID, op.Ref.ETag)
	if err != nil || head.Readable || !isOther(head.Problems) || op.Fix != renameFix || op.Path != head.Path || head.State == memories.Deleted {
		return "", false, err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return "", false, err
	}
	mirrored, err := mirroredFiles(ctx, tx, head, on)
	if err != nil {
		return "", false, err
	}
	for _, f := range mirrored {
		raw, err := tx.ReadRecorded(f)
		if err != nil {
			return "", false, err
		}
		if raw == nil {
			return "", false, &memories.ConflictError{Reason: f.Path + " is gone from the disk. Nothing was changed."}
		}
	}
	to = markdownPath(tx.Root, head.Path)
	if err := tx.Disk.Move(tx.Root, head.Path, to); err != nil {
		return "", false, &memories.ConflictError{Reason: fmt.Sprintf("%s could not be renamed to %s (%v). Look which of the names it has, and try again.", head.Path, to, agenttx.FSCause(err))}
	}
	return to, true, s.scan(ctx, tx, c, written(tx, head.Path, to))
}

// isOther reports whether problems are those of a text file that is not Markdown by its name.
func isOther(problems []memories.Problem) bool {
	return len(problems) > 0 && problems[0].Code == memories.CodeNotMarkdown
}

// flawsOfOther returns a text file that is not Markdown with its fix; without a fix where it cannot be read.
func flawsOfOther(root *os.Root, m memories.Memory) Flawed {
	found := Flawed{Path: m.Path, Session: m.Session, Hash: m.Hash, Problems: m.Problems}
	raw, err := agenttx.ReadAll(root, m.Path, memories.MaxFileSize)
	if err != nil {
		return found
	}
	to := markdownPath(root, m.Path)
	found.Raw, found.Hash = raw, files.Hash(raw)
	found.Fixes = []frontmatter.Fix{{
		ID: renameFix, Code: memories.CodeNotMarkdown, Label: "Rename to " + path.Base(to), NewPath: to, After: raw,
		Explanation: "Renames the file. Its text stays as it is.",
	}}
	return found
}

// markdownPath returns the path that a file gets with the ending of a memory: that of its stem, with a number where it is taken.
func markdownPath(root *os.Root, relPath string) string {
	base := strings.TrimSuffix(relPath, path.Ext(relPath))
	for n := 1; ; n++ {
		to := base + ".md"
		if n > 1 {
			to = base + "_" + strconv.Itoa(n) + ".md"
		}
		if !agents.IsIndexPath(to) && !agents.IsWellKnown(to) && agenttx.IsFree(root, to) {
			return to
		}
	}
}

// renameFix is the id of the fix that renames a text file.
const renameFix = "rename"

// takeAsIs makes an unfinished file count as it is, and publishes.
func (s *Service) takeAsIs(ctx context.Context, tx *agenttx.Tx, c *changes, f records.File, raw []byte) error {
	parsed := frontmatter.Parse(raw, agenttx.Stem(f.Path))
	key := memories.Key{Name: parsed.Name, Team: tx.Agent.InTeam(f.Path)}
	if _, err := tx.DB.Allow(ctx, key, parsed.Fingerprint(raw)); err != nil {
		return err
	}
	if err := tx.DB.TakeAsIs(ctx, f.Path); err != nil {
		return err
	}
	return s.scan(ctx, tx, c, written(tx, f.Path))
}

// unfinishedFixes returns what can be done about an unfinished file of a memory. Those fixes of its text are among them by which it is
// the memory again.
func unfinishedFixes(m memories.Memory, p string, raw, lastGood []byte) []frontmatter.Fix {
	var fixes []frontmatter.Fix
	if lastGood != nil {
		fixes = append(fixes, frontmatter.Fix{
			ID: fixLastGood, Code: memories.CodeLastGood, Label: "Write back last version",
			Explanation: "Replaces the file with the last good version, which is in use now.", After: lastGood,
		})
	}
	for _, fix := range frontmatter.Fixes(raw, p) {
		after := frontmatter.Parse(fix.After, agenttx.Stem(p))
		if after.Name == m.Name && frontmatter.FlawsOf(fix.After, after) == 0 {
			fixes = append(fixes, fix)
		}
	}
	return append(fixes, frontmatter.Fix{
		ID: fixAsIs, Code: memories.CodeLastGood, Label: "Use file as it is",
		Explanation: fmt.Sprintf("Takes what %s says now. The memory changes accordingly.", path.Base(p)), After: raw,
	})
}

// The fixes of an unfinished file.
const (
	fixLastGood = "last-good"
	fixAsIs     = "as-is"
)

type FixOp struct {
	Ref       MemoryRef `json:"Seen"`
	Path, Fix string
	Undo      bool   // write back earlier bytes instead
	Hash      string // of these bytes
}

type FixesOp struct{ ID string }
