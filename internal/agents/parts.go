package agents

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"memoir/internal/memories"
)

// A part is a section of a file that carries several memories. It has a path of its own, as if the
// file were a directory: MEMORY.md/shop-releases.
type part struct {
	name string // the last element of the path
	raw  string // the section, with its heading
}

// maxPartName limits the name of a part, in bytes. It is arbitrary.
const maxPartName = 80

// split cuts a text at the lines that start with heading, outside code fences. Text before the first
// one is a part only if it has more than a title.
func split(raw, heading string) []part {
	var parts []part
	used := map[string]bool{}
	add := func(title, text string) {
		name := memories.KebabSlug(strings.ReplaceAll(printable(title), "/", " "))
		name = strings.Trim(strings.ToValidUTF8(name[:min(len(name), maxPartName)], ""), "-. ")
		if name == "" {
			name = "untitled"
		}
		unique := name
		for n := 2; used[unique]; n++ {
			unique = name + "-" + strconv.Itoa(n)
		}
		used[unique] = true
		parts = append(parts, part{unique, text})
	}
	title, text, fence := "memory", "", ""
	flush := func() {
		_, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if len(parts) > 0 || title != "memory" || strings.TrimSpace(rest) != "" || !strings.HasPrefix(strings.TrimSpace(text), "#") && strings.TrimSpace(text) != "" {
			add(title, text)
		}
	}
	for line := range strings.Lines(raw) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(trimmed, fence):
			fence = ""
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:3]
		case fence == "" && strings.HasPrefix(line, heading):
			flush()
			title, text = strings.TrimSpace(line[len(heading):]), ""
		}
		text += line
	}
	flush()
	return parts
}

// splits reports whether a file of this name, directly in the memory directory, carries several
// memories.
func (a Agent) splits(name string) bool { return a.Rules().SplitAt != "" && isIndex(name) }

// partOf returns the file and the name of the part at a path. isPart is false for other paths.
func (a Agent) partOf(relPath string) (file, name string, isPart bool) {
	file, name = path.Split(relPath)
	file = strings.TrimSuffix(file, "/")
	return file, name, a.splits(file)
}

// ReadFile returns the content of a memory file, or of a part of one, as the function ReadFile. The
// error is fs.ErrNotExist for a part that the file does not have.
func (a Agent) ReadFile(root *os.Root, relPath string, limit int64) ([]byte, error) {
	file, name, isPart := a.partOf(relPath)
	if !isPart {
		return ReadFile(root, relPath, limit)
	}
	raw, err := ReadFile(root, file, limit)
	if err != nil {
		return nil, err
	}
	for _, p := range split(string(raw), a.Rules().SplitAt) {
		if p.name == name {
			return []byte(p.raw), nil
		}
	}
	return nil, &fs.PathError{Op: "read", Path: relPath, Err: fs.ErrNotExist}
}

// parts lists the memories in a file that carries several. It records an empty file as not scanned,
// because its client may be about to write it.
func (w *walker) parts(d directory, entry Entry, name string, scope *scopeTree) {
	raw, err := ReadFile(w.root, path.Join(d.real, name), memories.MaxFileSize)
	switch {
	case err != nil:
		w.fail(entry.Path, err)
		return
	case len(raw) == 0:
		w.listing.unscanned[entry.Path] = true
		return
	case len(raw) > memories.MaxFileSize:
		problem := memories.ProblemOf(memories.CodeTooLarge)
		entry.Problem = &problem
		w.list(entry, scope)
		return
	}
	for _, p := range split(string(raw), w.agent.Rules().SplitAt) {
		if inside := scope.child(p.name); inside != nil {
			one := entry
			one.Path, one.Size = path.Join(entry.Path, p.name), int64(len(p.raw))
			w.list(one, inside)
		}
	}
}
