package sync_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"pgregory.net/rapid"

	"memoir/internal/files"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memorymd"
)

// handwritten is the text that a person last wrote into CLAUDE.md: around the block, or a whole
// damaged file.
type handwritten struct {
	before, after string
	damaged       string
}

const (
	beginLine = "<!-- memoir:begin -->"
	endLine   = "<!-- memoir:end -->"
)

// editClaudeMD is a person at work on CLAUDE.md, by an editor that saves by renaming. It begins and
// ends while Memoir has nothing to write there.
func (w *world) editClaudeMD() {
	if w.rules == nil {
		w.agrees()
	}
	raw, err := os.ReadFile(w.path("CLAUDE.md"))
	w.must(ignoreGone(err))
	from, to := strings.Index(string(raw), beginLine+"\n# Memory System"), strings.LastIndex(string(raw), endLine)
	how := rapid.SampledFrom([]string{"around", "around", "without a block", "remove", "damage"}).Draw(w.t, "edit")
	if how == "around" && (from < 0 || to < 0 || w.hand.damaged != "") {
		how = "without a block"
	}
	text := ""
	switch how {
	case "around":
		w.hand = handwritten{
			before: rapid.SampledFrom([]string{"", "# Ada\n\nBe kind.\n", "```\n" + beginLine + "\n```\n\n", "Windows\r\n\r\n"}).Draw(w.t, "before"),
			after:  rapid.SampledFrom([]string{"", "\n", "\n\n## Footer\n", "\nno line end"}).Draw(w.t, "after"),
		}
		text = w.hand.before + string(raw[from:to+len(endLine)]) + w.hand.after
	case "without a block":
		text = rapid.SampledFrom([]string{"", "# Ada\n", "no line end", "blank line\n\n"}).Draw(w.t, "text")
		w.hand = handwritten{before: text, after: "\n"}
		for text != "" && !strings.HasSuffix(w.hand.before, "\n\n") {
			w.hand.before += "\n"
		}
	case "remove":
		w.must(ignoreGone(os.Remove(w.path("CLAUDE.md"))))
		w.hand = handwritten{after: "\n"}
		return
	case "damage":
		text = "mine\n" + beginLine + "\nlost its end\n"
		w.hand = handwritten{damaged: text}
	}
	temp := w.path("CLAUDE.md.tmp")
	w.must(os.WriteFile(temp, []byte(text), 0o644))
	w.must(os.Rename(temp, w.path("CLAUDE.md")))
}

// ofClaudeMD checks that the block is compiled from the living memories, and that the text around
// it is the one that a person last wrote.
func (w *world) ofClaudeMD(s snapshot) string {
	raw, err := os.ReadFile(w.path("CLAUDE.md"))
	if err != nil {
		return "CLAUDE.md cannot be read: " + err.Error()
	}
	if w.hand.damaged != "" {
		if string(raw) != w.hand.damaged || s.agent.ClaudeMD.Problem == "" {
			return fmt.Sprintf("the damaged CLAUDE.md has become %q, with the problem %q", raw, s.agent.ClaudeMD.Problem)
		}
		return ""
	}
	var sections []memoirtest.Section
	for _, m := range s.alive {
		if m.Type != "" {
			sections = append(sections, memoirtest.Section{ID: m.ID, Name: m.Name, Team: m.Team, Type: m.Type, Description: m.Description, Body: m.Body})
		}
	}
	block, costs := memoirtest.Compile(sections, modelLimit, utf8.RuneCountInString(w.hand.before+w.hand.after))
	if want := w.hand.before + string(block) + w.hand.after; string(raw) != want {
		return fmt.Sprintf("CLAUDE.md is not what it should be.\n--- is\n%s\n--- should be\n%s\n---", ending(string(raw)), ending(want))
	}
	if s.agent.ClaudeMD.Problem != "" || s.agent.ClaudeMD.Chars != utf8.RuneCount(raw) {
		return fmt.Sprintf("CLAUDE.md has %d characters and is fine, and is recorded with %+v", utf8.RuneCount(raw), s.agent.ClaudeMD)
	}
	for _, cost := range costs {
		if recorded := s.byID[cost.ID].ClaudeMDChars; recorded != cost.Chars {
			return fmt.Sprintf("%q takes %d characters of CLAUDE.md, and is recorded with %d", s.byID[cost.ID].Name, cost.Chars, recorded)
		}
	}
	return ""
}

// ending leaves out Memoir's own words, which are the same in each.
func ending(text string) string {
	if _, learned, found := strings.Cut(text, "# Learned Memory"); found {
		return "…" + learned
	}
	return text
}

// bothLinks is a line with two links. What is left of it, or comes back of it, is told by
// restsOfBoth and entriesOfBoth.
const bothLinks = "- both: [A](a.md), [B](b.md)"

// indexLines are the lines for indexes, each with the files that it links to.
var indexLines = map[string][]string{
	"# Index":                         nil,
	"Plain text about a.md.":          nil,
	"- [Web](https://a.example/a.md)": nil,
	"- [A](a.md) — first":             {"a.md"},
	"- **[B](b.md)** (user) -- hook":  {"b.md"},
	"- [Team](team/a.md) — shared":    {"team/a.md"},
	"- [Sub](sub/a.md) — below":       {"sub/a.md"},
	"- [c.MD](deep/c.MD): deeper":     {"deep/c.MD"},
	bothLinks:                         {"a.md", "b.md"},
}

func (w *world) writeIndex() {
	at := w.path(rapid.SampledFrom(modelIndexes).Draw(w.t, "index"))
	lines := slices.Sorted(maps.Keys(indexLines))
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(lines), 0, len(lines), rapid.ID[string]).Draw(w.t, "lines")
	w.mkdirAll(filepath.Dir(at))
	temp := at + ".tmp"
	w.must(os.WriteFile(temp, []byte(joined(chosen)), 0o644))
	w.must(os.Rename(temp, at))
	w.index[at] = chosen
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// ofIndexes: an index has the lines that were written, without what linked to files that Memoir
// removed.
func (w *world) ofIndexes() []string {
	var found complaints
	for at, lines := range w.index {
		raw, err := os.ReadFile(at)
		if err != nil || string(raw) != joined(lines) {
			found.addf("%s is %q (%v), and should be %q", at, raw, err, joined(lines))
		}
	}
	return found
}

// expectIndexesWithout removes the lines that link to files that a deletion has removed, in each index
// above one of the files: a rename may have moved the memory from below an index that lists it. If the
// agent has written a file again, its lines stay if it is unknown which of the two came first.
func (w *world) expectIndexesWithout(paths []string) {
	for at, lines := range w.index {
		if !slices.ContainsFunc(paths, func(file string) bool { return w.isAbove(at, file) }) {
			continue
		}
		var kept []string
		for _, line := range lines {
			rest := line
			for _, file := range paths {
				rest = withoutLink(rest, w.linkTo(at, file))
			}
			if rest != line {
				w.owing = w.owing || w.isFull()
			}
			if rest != "" || line == "" {
				kept = append(kept, rest)
			}
		}
		w.index[at] = kept
	}
}

// filesOf returns the files that the deletion of a memory removes, and its earlier files whose path
// is free.
func (w *world) filesOf(m memories.Memory) (paths []string) {
	if m.State == memories.Deleted {
		return nil
	}
	for _, f := range m.Files {
		paths = append(paths, f.Path)
	}
	gone, err := w.b.store.RemovedPaths(context.Background(), []memories.Memory{m})
	w.must(err)
	root, err := os.OpenRoot(w.path("."))
	if err != nil {
		return paths
	}
	defer root.Close() //nolint:errcheck // only looked through
	for _, file := range gone {
		if _, err := files.Lstat(root, file); errors.Is(err, os.ErrNotExist) {
			paths = append(paths, file)
		}
	}
	return paths
}

// payIndexes removes lines from indexes that could not be written on a full disk, before files are
// moved or written again. Afterwards the expected lines would be unknown. The line of a file that
// is written again stays.
func (w *world) payIndexes() {
	if w.owing {
		w.agrees()
	}
}

// linesAreUnknown reports whether an index lists a file that the engine may or may not have scanned
// since it began or ceased to mirror the memory. A deletion of the memory may then remove its line
// or not.
func (w *world) linesAreUnknown(m memories.Memory) bool {
	if w.rules != nil {
		return false
	}
	unclear := map[string]bool{}
	for relPath, f := range w.disk() {
		file := frontmatter.Parse([]byte(f.text), stemOf(relPath))
		unclear[relPath] = keyAt(relPath, file.Name) == keyOf(m)
	}
	for _, f := range m.Files {
		unclear[f.Path] = !unclear[f.Path]
	}
	for at, lines := range w.index {
		for relPath := range unclear {
			if unclear[relPath] && slices.ContainsFunc(lines, func(line string) bool { return withoutLink(line, w.linkTo(at, relPath)) != line }) {
				return true
			}
		}
	}
	return false
}

// isAbove reports whether the index is in the file's directory or in one above it, within its
// memory directory.
func (w *world) isAbove(index, file string) bool {
	dir, err := filepath.Rel(w.path("."), filepath.Dir(index))
	return err == nil && strings.HasPrefix(file, filepath.ToSlash(dir)+"/")
}

func (w *world) linkTo(index, file string) string {
	link, err := filepath.Rel(filepath.Dir(index), w.path(file))
	w.must(err)
	return filepath.ToSlash(link)
}

func withoutLink(line, link string) string {
	rest, _ := memorymd.Remove([]byte(line), func(l memorymd.Link) bool { return l.Target == link })
	return string(rest)
}

// relistedFor returns the present files of the known memories from which a written memory has taken its
// file. The index may list one of these files instead.
func (w *world) relistedFor(known []memories.Memory, written memories.Memory) (paths []string) {
	for _, m := range known {
		hadFile := slices.ContainsFunc(m.Files, func(f memories.MemoryFile) bool { return f.Path == written.Path })
		if now, isThere := w.find(keyOf(m)); hadFile && isThere && now.ID != written.ID {
			for _, f := range now.Files {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths
}

// expectRelisted accepts that the engine has changed the entries for files of a memory, and that
// nothing else in the indexes has changed. before is the memory before the change. Its files, its
// earlier ones, and the files at paths may have entries too.
func (w *world) expectRelisted(before, after memories.Memory, paths ...string) {
	earlier, err := w.b.store.RemovedPaths(context.Background(), []memories.Memory{before, after})
	w.must(err)
	affected := map[string]bool{before.Path: true, after.Path: true}
	for _, file := range slices.Concat(earlier, paths) {
		affected[file] = true
	}
	for _, f := range slices.Concat(before.Files, after.Files) {
		affected[f.Path] = true
	}
	// A restore can put an affected link back into a line that kept other links.
	withoutAffected := func(index, line string) string {
		rest, _ := memorymd.Remove([]byte(line), func(l memorymd.Link) bool {
			return affected[path.Join(path.Dir(index), l.Target)]
		})
		return string(rest)
	}
	for _, index := range modelIndexes {
		at := w.path(index)
		raw, err := os.ReadFile(at)
		known, ok := w.index[at]
		if err != nil || !ok && len(raw) == 0 {
			continue
		}
		now := slices.Collect(strings.Lines(string(raw)))
		for i := range now {
			now[i] = strings.TrimSuffix(now[i], "\n")
		}
		others := func(lines []string) (rest []string) {
			for _, line := range lines {
				if line = withoutAffected(index, line); line != "" {
					rest = append(rest, line)
				}
			}
			return rest
		}
		if !slices.Equal(others(known), others(now)) {
			w.t.Fatalf("a change of %q has made of %s\n%q\nwhat cannot come of\n%q", after.Name, at, now, known)
		}
		w.index[at] = now
	}
}

func (w *world) isThere(rel string) bool {
	info, err := os.Stat(w.path(rel))
	return err == nil && info.IsDir()
}

// readThrough reads the file at a path, through a link, to decide whether it has changed.
func (w *world) readThrough(relPath string) (string, error) {
	if _, err := os.Lstat(w.path(relPath)); err != nil {
		return "", err
	}
	info, err := os.Stat(w.path(relPath))
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.New("not a file")
	}
	raw, err := os.ReadFile(w.path(relPath))
	return string(raw), err
}

func isGone(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
