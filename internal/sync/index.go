package sync

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

// maxIndex is the largest MEMORY.md that is edited, in bytes; an agent loads less than a hundredth of it.
const maxIndex = 4 << 20

// indexAttempts is how often an edit of an index is begun anew when somebody else writes it meanwhile.
const indexAttempts = 5

// directoriesAbove returns the directories whose index may list the file: its own and those above it, up to the memory
// directory that it is in.
func directoriesAbove(agent agents.Agent, file string) []string {
	top := agent.DurableDir()
	if session, durable := agent.SessionOf(file); !durable {
		top = path.Join("sessions", session, "memory")
	}
	var dirs []string
	for dir := path.Dir(file); under(dir, top); dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top {
			break
		}
	}
	return dirs
}

// indexesIn returns the paths of the directory's MEMORY.md, in whatever letter case. A directory that is gone, lies
// behind a link that leaves, or cannot be listed has none that could be edited.
//
// Among very many files only the given spellings are looked for.
func indexesIn(root *os.Root, dir string, spellings []string) []string {
	if root == nil {
		return nil
	}
	found, err := listIndexes(root, dir, spellings)
	if err != nil {
		return nil
	}
	return found
}

// listIndexes is indexesIn for who has to know why. A directory that is not there has none.
func listIndexes(root *os.Root, dir string, spellings []string) ([]string, error) {
	place, err := files.Resolve(root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	handle, err := root.Open(place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer handle.Close() //nolint:errcheck // only read
	indexes, err := indexNames(handle, spellings)
	if err != nil {
		return nil, err
	}
	for i, name := range indexes {
		indexes[i] = path.Join(dir, name)
	}
	slices.Sort(indexes) // MEMORY.md itself before the other spellings
	return indexes, nil
}

// listedIndexNames returns those of all names in an opened directory that are an index's, in whatever letter case.
func listedIndexNames(dir *os.File) ([]string, error) {
	names, err := dir.Readdirnames(-1)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.EqualFold(name, indexFile) }), err
}

// fileStamp tells whether somebody has written a file.
type fileStamp struct {
	size    int64
	modTime time.Time
}

func (h *hold) stampOf(path string) fileStamp {
	info, err := files.Stat(h.root, path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime()}
}

// noteIndexes tells those who listen when an index has changed on disk: no memory has.
func (h *hold) noteIndexes(listing agents.Listing) {
	changed := false
	if h.indexes == nil {
		h.indexes = map[string]fileStamp{}
	}
	for _, index := range listing.Indexes {
		stamp := h.stampOf(index)
		changed = changed || h.indexes[index] != stamp
		h.indexes[index] = stamp
	}
	for index := range h.indexes {
		if !slices.Contains(listing.Indexes, index) && listing.Covers(index) {
			delete(h.indexes, index)
			changed = true
		}
	}
	if changed && h.looked {
		h.hub.publish(Event{Agent: h.onDisk.Slug, Kind: KindScanned})
	}
}

// linksTo says whether a link of the index leads to one of the files.
func linksTo(index string, removed map[string]bool) func(target string) bool {
	return func(target string) bool { return removed[path.Join(path.Dir(index), target)] }
}

// IndexChange is what becomes of one MEMORY.md.
type IndexChange struct {
	Path          string // relative to the agent's directory
	Before, After []byte
	Gone          []memories.IndexLine // what the change takes out
}

// indexesWithout returns each of the indexes that lists one of the files, with what the removal of the files takes out of
// it. An index that cannot be read is left out: it is not written either.
func indexesWithout(root *os.Root, indexes, paths []string) []IndexChange {
	removed := map[string]bool{}
	for _, file := range paths {
		removed[file] = true
	}
	var changes []IndexChange
	for _, index := range indexes {
		raw, err := readAll(root, index, maxIndex)
		if err != nil {
			continue
		}
		if after, gone := memories.RemoveFromIndex(raw, linksTo(index, removed)); len(gone) > 0 {
			changes = append(changes, IndexChange{Path: index, Before: raw, After: after, Gone: gone})
		}
	}
	return changes
}

// indexesAbove returns the indexes that may list one of the files, by path. A nil root has none.
func indexesAbove(root *os.Root, agent agents.Agent, paths []string) []string {
	return indexesOf(agent, paths, func(dir string) []string { return indexesIn(root, dir, indexSpellings) })
}

// indexesAbove is that of the agent, and goes by what its last look has seen: an index that has come since is found under any name
// that somebody is likely to give it. To look for all 256 spellings would take longer than to commit a deletion.
func (h *hold) indexesAbove(paths []string) []string {
	return indexesOf(h.onDisk, paths, func(dir string) []string {
		if !h.looked {
			return indexesIn(h.root, dir, indexSpellings)
		}
		spellings := slices.Clone(likelySpellings)
		for index := range h.indexes {
			if name := path.Base(index); path.Dir(index) == dir && !slices.Contains(spellings, name) {
				spellings = append(spellings, name)
			}
		}
		return indexesIn(h.root, dir, spellings)
	})
}

func indexesOf(agent agents.Agent, paths []string, in func(dir string) []string) []string {
	dirs := map[string]bool{}
	for _, file := range paths {
		for _, dir := range directoriesAbove(agent, file) {
			dirs[dir] = true
		}
	}
	var indexes []string
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		indexes = append(indexes, in(dir)...)
	}
	return indexes
}

// indexLinesOf returns what the removal of the files will take out of each index.
func (h *hold) indexLinesOf(indexes, paths []string) map[string][]memories.IndexLine {
	lines := map[string][]memories.IndexLine{}
	for _, change := range indexesWithout(h.root, indexes, paths) {
		lines[change.Path] = change.Gone
	}
	return lines
}

// removeFromIndexes takes the entries that lead to the file out of those of the indexes that are above it.
func (h *hold) removeFromIndexes(file string, indexes []string) error {
	for _, index := range indexes {
		if !under(file, path.Dir(index)) {
			continue
		}
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

// editIndex writes what edit makes of the index, beginning anew when somebody else writes it meanwhile. What has its place and is
// no file of the agent's is no index, and is left alone.
func (h *hold) editIndex(index string, edit func([]byte) []byte) error {
	var err error
	for range indexAttempts {
		var raw []byte
		raw, err = readAll(h.root, index, maxIndex)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrNotRegular) || errors.Is(err, files.ErrLeaves) || errors.Is(err, files.ErrLoop) {
			return nil
		}
		if err != nil {
			return err
		}
		out := edit(raw)
		if string(out) == string(raw) {
			return nil
		}
		if len(raw) == 0 && awaitBytes(h.root, index) {
			err = files.ErrChanged
			continue
		}
		if err = h.overwrite(index, out, files.Options{IfHash: files.Hash(raw)}); !errors.Is(err, files.ErrChanged) {
			return err
		}
	}
	return err
}
