// Package flaws says what is wrong with the files of a memory, and which fixes there are. It reads
// files and rows and writes nothing. Package ops carries the fixes out.
package flaws

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// Flawed is a file with problems and the fixes for them.
type Flawed struct {
	Path     string
	Session  string // empty for a primary file
	Hash     string // hash of Raw, or the recorded hash if Raw is nil
	Raw      []byte // bytes of the file; nil if it was not read
	Problems []memories.Problem
	Fixes    []frontmatter.Fix
}

// IDs of the fixes of an unfinished file.
const (
	FixLastGood = "last-good"
	FixAsIs     = "as-is"
)

// FixRename is the ID of the fix that renames a text file.
const FixRename = "rename"

// Of returns the files of a memory that have problems, with their fixes, if there are any. It
// writes nothing and does not lock the agent. It returns nil for a memory in the trash and for a
// missing directory, and omits files that cannot be read. For an unreadable memory it returns its
// one file. It returns memories.ErrNotFound for an unknown slug or memory.
func Of(ctx context.Context, store *postgres.Store, slug, id string) ([]Flawed, error) {
	row, err := store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	m, err := store.Memory(ctx, row, id)
	if err != nil || m.State == memories.Deleted {
		return nil, err
	}
	if !m.Readable && !IsNotMarkdown(m.Problems) {
		return []Flawed{{Path: m.Path, Session: m.Session, Hash: m.Hash, Problems: m.Problems}}, nil
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return nil, nil // without a directory there is no file to fix
	}
	defer root.Close() //nolint:errcheck // only read through
	if !m.Readable {
		return []Flawed{inspectNonMarkdown(root, m)}, nil
	}
	var flawed []Flawed
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw, err := agenttx.AgentOf(row).ReadFile(root, f.Path, memories.MaxFileSize)
		if err != nil {
			continue // the next scan records the problem
		}
		found, err := InspectFile(ctx, store, row, m, f, raw)
		if err != nil {
			return nil, err
		}
		if len(found.Problems) > 0 {
			flawed = append(flawed, found)
		}
	}
	return flawed, nil
}

// InspectFile returns the problems and fixes of one file of a memory, whose bytes are raw. A second
// file of the memory in the same directory is a problem too. Without problems, Problems of the
// result is empty. It writes nothing.
func InspectFile(ctx context.Context, store *postgres.Store, row records.Agent, m memories.Memory, f memories.MemoryFile, raw []byte) (Flawed, error) {
	found := Flawed{
		Path: f.Path, Session: f.Session, Hash: files.Hash(raw), Raw: raw,
		Problems: agenttx.AgentOf(row).Parse(raw, f.Path).Problems, Fixes: frontmatter.Fixes(raw, f.Path),
	}
	if f.Unfinished != 0 {
		lastGood, err := store.LastGood(ctx, row, m.ID, f.Path)
		if err != nil {
			return found, err
		}
		found.Problems = []memories.Problem{memories.LastGood(f.Path, f.Unfinished)}
		found.Fixes = unfinishedFixes(agenttx.AgentOf(row), m, f.Path, raw, lastGood)
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
	// The file with the memory's content keeps the name. Otherwise its content would get a new name,
	// and the other file would change the memory.
	if f.Path == m.Path {
		return found, nil
	}
	name, err := freeName(ctx, store, row, m.Name, agenttx.Stem(f.Path))
	if err != nil {
		return found, err
	}
	found.Fixes = append(found.Fixes, frontmatter.Fix{
		ID: "rename", Code: memories.CodeDuplicateName, Label: "Name this one “" + name + "”",
		Explanation: "Renames this memory. The other file keeps the name.",
		After:       frontmatter.Renamed(raw, f.Path, name),
	})
	return found, nil
}

// freeName returns a name that no memory of the agent has, deleted ones included. It is stem, or
// taken followed by a number from 2. It is never taken itself.
func freeName(ctx context.Context, store *postgres.Store, row records.Agent, taken, stem string) (string, error) {
	for n := 1; ; n++ {
		name := memories.Content{Name: stem}.Canonical().Name
		if n > 1 {
			name = memories.Content{Name: fmt.Sprintf("%s %d", taken, n)}.Canonical().Name
		}
		if name == "" || name == taken {
			continue
		}
		count := 0
		for _, state := range []memories.State{"", memories.Deleted} {
			page, err := store.Memories(ctx, row, memories.Filter{Name: name, State: state}, memories.PageRequest{Limit: 1})
			if err != nil {
				return "", err
			}
			count += page.Total
		}
		if count == 0 {
			return name, nil
		}
	}
}

// unfinishedFixes returns the fixes of an unfinished file at the path p with the bytes raw. The
// first writes lastGood, unless that is nil. Others correct the text, if the file then is finished
// and has the memory's name. The last accepts raw as it is.
func unfinishedFixes(agent agents.Agent, m memories.Memory, p string, raw, lastGood []byte) []frontmatter.Fix {
	var fixes []frontmatter.Fix
	if lastGood != nil {
		fixes = append(fixes, frontmatter.Fix{
			ID: FixLastGood, Code: memories.CodeLastGood, Label: "Write back last version",
			Explanation: "Replaces the file with the last good version, which is in use now.", After: lastGood,
		})
	}
	for _, fix := range frontmatter.Fixes(raw, p) {
		after := agent.Parse(fix.After, p)
		if after.Name == m.Name && frontmatter.FlawsOf(fix.After, after) == 0 {
			fixes = append(fixes, fix)
		}
	}
	return append(fixes, frontmatter.Fix{
		ID: FixAsIs, Code: memories.CodeLastGood, Label: "Use file as it is",
		Explanation: fmt.Sprintf("Saves the current content of %s as the memory.", path.Base(p)), After: raw,
	})
}

// IsNotMarkdown reports whether the first of the problems is that a text file's name does not end
// in .md.
func IsNotMarkdown(problems []memories.Problem) bool {
	return len(problems) > 0 && problems[0].Code == memories.CodeNotMarkdown
}

// inspectNonMarkdown returns the problems of a text file that is not Markdown, with the fix that
// renames it. If the file cannot be read, it returns the recorded problems without a fix.
func inspectNonMarkdown(root *os.Root, m memories.Memory) Flawed {
	found := Flawed{Path: m.Path, Session: m.Session, Hash: m.Hash, Problems: m.Problems}
	raw, err := agenttx.ReadAll(root, m.Path, memories.MaxFileSize)
	if err != nil {
		return found
	}
	to := MarkdownPath(root, m.Path)
	found.Raw, found.Hash = raw, files.Hash(raw)
	found.Fixes = []frontmatter.Fix{{
		ID: FixRename, Code: memories.CodeNotMarkdown, Label: "Rename to " + path.Base(to), NewPath: to, After: raw,
		Explanation: "Renames the file. Its text stays.",
	}}
	return found
}

// MarkdownPath returns a path at which nothing exists: relPath with .md in place of its extension,
// or with _2, _3 and so on before .md. It is never the path of an index or of another well-known
// file.
func MarkdownPath(root *os.Root, relPath string) string {
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
