package pages

import (
	"io"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// maxIndex is the largest MEMORY.md that a deletion edits, in bytes.
const maxIndex = 4 << 20

// indexChange is a MEMORY.md before and after a deletion.
type indexChange struct {
	path          string // relative to the agent's directory
	before, after []byte
}

// indexesWithout returns each MEMORY.md that links to one of the files, as it is on disk and as it would be without
// those entries. One that cannot be read is left out: a deletion leaves it alone too.
func indexesWithout(agent postgres.Agent, carriers []memories.Carrier) []indexChange {
	root, err := os.OpenRoot(agent.Dir)
	if err != nil {
		return nil // its directory is gone, and the indexes with it
	}
	defer root.Close() //nolint:errcheck // only read through
	onDisk := agents.Agent{Layout: agents.Layout(agent.Layout), Dir: agent.Dir}
	going := map[string]bool{}
	var dirs []string
	for _, f := range carriers {
		going[f.Path] = true
		dirs = append(dirs, directoriesAbove(onDisk, f.Path)...)
	}
	slices.Sort(dirs)
	var changes []indexChange
	for _, dir := range slices.Compact(dirs) {
		for _, index := range indexesIn(root, dir) {
			before, ok := readIndex(root, index)
			if !ok {
				continue
			}
			after, gone := memories.RemoveFromIndex(before, func(target string) bool { return going[linked(index, target)] })
			if len(gone) > 0 {
				changes = append(changes, indexChange{index, before, after})
			}
		}
	}
	return changes
}

// directoriesAbove returns the directories whose index may list the file: its own and those above it, up to the memory
// directory that it is in.
func directoriesAbove(agent agents.Agent, file string) []string {
	top := agent.DurableDir()
	if session, durable := agent.SessionOf(file); !durable {
		top = path.Join("sessions", session, "memory")
	}
	var dirs []string
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top || dir == "." || dir == "/" {
			return dirs
		}
	}
}

// indexesIn returns the paths of a directory's MEMORY.md, in whatever letter case.
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

// readIndex returns what an index says; ok is false for one that cannot be read, or is too large to be edited.
func readIndex(root *os.Root, index string) (raw []byte, ok bool) {
	file, err := files.Open(root, index)
	if err != nil {
		return nil, false
	}
	defer file.Close() //nolint:errcheck // only read
	raw, err = io.ReadAll(io.LimitReader(file, maxIndex+1))
	return raw, err == nil && len(raw) <= maxIndex
}

// linked returns the path that a link of an index leads to.
func linked(index, target string) string {
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	target, _, _ = strings.Cut(target, "#")
	return path.Join(path.Dir(index), target)
}
