package sync

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// maxIndex is the largest MEMORY.md that is edited, in bytes; an agent loads less than a hundredth of it.
const maxIndex = 4 << 20

// indexAttempts is how often an edit of an index is begun anew when somebody else writes it meanwhile.
const indexAttempts = 5

// indexesAbove returns the indexes that may list the file: those in its directory and in the ones above it, up to the
// memory directory.
func (h *hold) indexesAbove(file string) []string {
	top := h.onDisk.DurableDir()
	if session, durable := h.onDisk.SessionOf(file); !durable {
		top = path.Join("sessions", session, "memory")
	}
	var indexes []string
	for dir := path.Dir(file); under(dir, top); dir = path.Dir(dir) {
		indexes = append(indexes, indexesIn(h.root, dir)...)
		if dir == top {
			break
		}
	}
	return indexes
}

// indexesIn returns the paths of the directory's MEMORY.md, in whatever letter case. A directory that is gone, lies
// behind a link that leaves, or cannot be listed has none that could be edited.
func indexesIn(root *os.Root, dir string) []string {
	handle, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer handle.Close() //nolint:errcheck // only read
	names, err := handle.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var indexes []string
	for _, name := range names {
		if strings.EqualFold(name, "MEMORY.md") {
			indexes = append(indexes, path.Join(dir, name))
		}
	}
	return indexes
}

// linksTo says whether a link of the index leads to one of the files.
func linksTo(index string, removed map[string]bool) func(target string) bool {
	return func(target string) bool {
		if decoded, err := url.PathUnescape(target); err == nil {
			target = decoded
		}
		target, _, _ = strings.Cut(target, "#")
		return removed[path.Join(path.Dir(index), target)]
	}
}

// indexLinesOf returns what the removal of the files will take out of each index.
func (h *hold) indexLinesOf(carriers []postgres.File) map[string][]memories.IndexLine {
	lines := map[string][]memories.IndexLine{}
	if h.root == nil {
		return lines
	}
	removed := map[string]bool{}
	indexes := map[string]bool{}
	for _, f := range carriers {
		removed[f.Path] = true
		for _, index := range h.indexesAbove(f.Path) {
			indexes[index] = true
		}
	}
	for index := range indexes {
		raw, err := readAll(h.root, index, maxIndex)
		if err != nil {
			continue // an index that cannot be read is not written either
		}
		if _, gone := memories.RemoveFromIndex(raw, linksTo(index, removed)); len(gone) > 0 {
			lines[index] = gone
		}
	}
	return lines
}

// removeFromIndexes takes the entries that lead to the file out of the indexes.
func (h *hold) removeFromIndexes(file string) error {
	for _, index := range h.indexesAbove(file) {
		err := h.editIndex(index, func(raw []byte) []byte {
			out, _ := memories.RemoveFromIndex(raw, linksTo(index, map[string]bool{file: true}))
			return out
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreToIndexes puts back what a deletion took out of the indexes. An index that is gone stays gone.
func (h *hold) restoreToIndexes(lines map[string][]memories.IndexLine) error {
	for index, gone := range lines {
		err := h.editIndex(index, func(raw []byte) []byte { return memories.RestoreToIndex(raw, gone) })
		if err != nil {
			return err
		}
	}
	return nil
}

// editIndex writes what edit makes of the index, beginning anew when somebody else writes it meanwhile.
func (h *hold) editIndex(index string, edit func([]byte) []byte) error {
	var err error
	for range indexAttempts {
		var raw []byte
		raw, err = readAll(h.root, index, maxIndex)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		out := edit(raw)
		if string(out) == string(raw) {
			return nil
		}
		if err = files.Write(h.root, index, out, files.Options{IfHash: files.Hash(raw)}); !errors.Is(err, files.ErrChanged) {
			return err
		}
	}
	return err
}
