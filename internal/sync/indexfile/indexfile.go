// Package indexfile reads and edits MEMORY.md files on disk: it takes the lines of removed files out,
// puts them back, and compares an index with the memory files. It knows when to write; package
// memorymd knows the text.
package indexfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

// maxIndex is the largest MEMORY.md that is edited, in bytes; an agent loads less than a hundredth of it.
const maxIndex = 4 << 20

// indexAttempts is how often an edit of an index is begun anew when somebody else writes it meanwhile.
const indexAttempts = 5

// directoriesAbove returns the directories whose index may list the file: its own and those above it, up to the memory
// directory that it is in.
func directoriesAbove(agent agents.Agent, file string) []string {
	top := agent.PrimaryDir()
	if session, durable := agent.SessionOf(file); !durable {
		top = path.Join("sessions", session, "memory")
	}
	var dirs []string
	for dir := path.Dir(file); agenttx.Under(dir, top); dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top {
			break
		}
	}
	return dirs
}

// indexesIn returns the paths of the directory's MEMORY.md, in whatever letter case. A directory that is gone, lies
// behind a link that leaves, or cannot be listed has none that could be edited.
func indexesIn(root *os.Root, dir string) []string {
	if root == nil {
		return nil
	}
	found, err := listIndexes(root, dir)
	if err != nil {
		return nil
	}
	return found
}

// listIndexes is indexesIn for who has to know why. A directory that is not there has none.
func listIndexes(root *os.Root, dir string) ([]string, error) {
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
	names, err := handle.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var indexes []string
	for _, name := range names {
		if strings.EqualFold(name, indexFile) {
			indexes = append(indexes, path.Join(dir, name))
		}
	}
	slices.Sort(indexes) // MEMORY.md itself before the other spellings
	return indexes, nil
}

func StampOf(tx *agenttx.Tx, path string) agenttx.FileStamp {
	info, err := files.Stat(tx.Root, path)
	if err != nil {
		return agenttx.FileStamp{}
	}
	return agenttx.FileStamp{Size: info.Size(), ModTime: info.ModTime()}
}

// recordIndexes tells those who listen when an index has changed on disk: no memory has.
func RecordIndexes(tx *agenttx.Tx, listing agents.Listing) {
	changed := false
	if tx.State.Indexes == nil {
		tx.State.Indexes = map[string]agenttx.FileStamp{}
	}
	for _, index := range listing.Indexes {
		stamp := StampOf(tx, index)
		changed = changed || tx.State.Indexes[index] != stamp
		tx.State.Indexes[index] = stamp
	}
	for index := range tx.State.Indexes {
		if !slices.Contains(listing.Indexes, index) && listing.Covers(index) {
			delete(tx.State.Indexes, index)
			changed = true
		}
	}
	if changed && tx.State.FullyScanned {
		tx.Emit(events.Scanned, "")
	}
}

// linkMatcher asks of links of an index whether they lead to one of the files, and notes in found those to which one does.
func linkMatcher(agent agents.Agent, index string, files, found map[string]bool) func(target string) bool {
	return func(target string) bool {
		file, inside := agent.Linked(index, target)
		if !inside || !files[file] {
			return false
		}
		found[file] = true
		return true
	}
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}

// IndexChange is what becomes of one MEMORY.md.
type IndexChange struct {
	Path          string // relative to the agent's directory
	Before, After []byte
	Gone          []memorymd.RemovedLine // what the change takes out
}

// indexChanges returns each of the indexes that lists one of the files, with what the removal of the files takes out of
// it, and the files that are listed. An index that cannot be read is left out: it is not written either.
func IndexChanges(root *os.Root, agent agents.Agent, indexes, paths []string) (changes []IndexChange, listed map[string]bool) {
	removed := setOf(paths)
	listed = map[string]bool{}
	for _, index := range indexes {
		raw, err := agenttx.ReadAll(root, index, maxIndex)
		if err != nil {
			continue
		}
		if after, gone := memorymd.Remove(raw, linkMatcher(agent, index, removed, listed)); len(gone) > 0 {
			changes = append(changes, IndexChange{Path: index, Before: raw, After: after, Gone: gone})
		}
	}
	return changes, listed
}

// indexesFor returns the indexes that may list one of the files, by path. A nil root has none.
func IndexesFor(root *os.Root, agent agents.Agent, paths []string) []string {
	return indexesOf(agent, paths, func(dir string) []string { return indexesIn(root, dir) })
}

// indexesFor returns the indexes that may list one of the files. After a full scan it does not list
// directories, which may have thousands of files: it uses the indexes of the last scan, and
// MEMORY.md where that scan found none.
func KnownIndexesFor(tx *agenttx.Tx, paths []string) []string {
	return indexesOf(tx.Agent, paths, func(dir string) []string {
		if !tx.State.FullyScanned {
			return indexesIn(tx.Root, dir)
		}
		var indexes []string
		for index := range tx.State.Indexes {
			if path.Dir(index) == dir {
				indexes = append(indexes, index)
			}
		}
		if len(indexes) == 0 {
			return []string{path.Join(dir, indexFile)}
		}
		slices.Sort(indexes) // MEMORY.md itself before the other spellings
		return indexes
	})
}

// indexesOf looks in the primary directory and its team's, whose indexes may list whatever the agent has, and for each file in the
// directories above it. A session lists what it has itself; those without any of the files, of which there may be thousands, are not
// looked into.
func indexesOf(agent agents.Agent, paths []string, in func(dir string) []string) []string {
	dirs := map[string]bool{agent.PrimaryDir(): true, agent.TeamDir(): true}
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

// listedReason says why an index that lists a file, or may list it, could not be changed.
type ListedReason struct {
	index  string
	unread bool // so that nobody knows whether it lists the file
	err    error
}

func (s ListedReason) String() string {
	if s.unread {
		return fmt.Sprintf("An entry for it may still be in %s, which cannot be read: %v.", s.index, agenttx.FSCause(s.err))
	}
	return fmt.Sprintf("Its entry is still in %s, which cannot be written: %v.", s.index, agenttx.FSCause(s.err))
}

// removeFromIndexes takes the entries that lead to the files out of the indexes, and returns for each file of which an entry is left why.
func RemoveFromIndexes(tx *agenttx.Tx, paths, indexes []string) map[string]ListedReason {
	removed, left := setOf(paths), map[string]ListedReason{}
	for _, index := range indexes {
		listed, unread := removed, true
		err := EditIndex(tx, index, func(raw []byte) []byte {
			listed, unread = map[string]bool{}, false
			out, _ := memorymd.Remove(raw, linkMatcher(tx.Agent, index, removed, listed))
			return out
		})
		if err != nil {
			for file := range listed {
				left[file] = ListedReason{index, unread, err}
			}
		}
	}
	return left
}

// editIndex writes what edit makes of the index, beginning anew when somebody else writes it meanwhile. What has its place and is
// no file of the agent's is no index, and is left alone.
func EditIndex(tx *agenttx.Tx, index string, edit func([]byte) []byte) error {
	var err error
	for range indexAttempts {
		var raw []byte
		raw, err = agenttx.ReadAll(tx.Root, index, maxIndex)
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
		if len(raw) == 0 && agenttx.AwaitBytes(tx.Root, index) {
			err = files.ErrChanged
			continue
		}
		if err = tx.Overwrite(index, out, files.Options{IfHash: files.Hash(raw)}); !errors.Is(err, files.ErrChanged) {
			return err
		}
	}
	return err
}

// Viewer reads the indexes of agents.
type Viewer struct{ Store *postgres.Store }
