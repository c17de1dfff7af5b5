// Package indexfile reads and edits MEMORY.md files on disk, which are called indexes. It finds the
// indexes that may list a file, removes the entries of files, edits an index safely, and compares
// one with the memory files. Package memorymd computes the texts.
package indexfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

const (
	// indexFile is the name of a new index.
	indexFile = "MEMORY.md"
	// maxIndex is the size of the largest index that is read or edited, in bytes. Arbitrary: an
	// agent loads less than a hundredth of it.
	maxIndex = 4 << 20
	// editAttempts is how often EditIndex tries an edit while other programs write the index.
	// Arbitrary.
	editAttempts = 5
)

// directoriesAbove returns the file's directory and the directories above it, up to and including
// its memory directory. It returns nil for a file that is in no memory directory.
func directoriesAbove(agent agents.Agent, file string) []string {
	top := agent.PrimaryDir()
	if session, isPrimary := agent.SessionOf(file); !isPrimary {
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

// listIndexes returns the sorted paths of the files in dir whose name is MEMORY.md in any letter
// case. MEMORY.md itself is first. It returns nil without an error for a missing directory.
func listIndexes(root *os.Root, dir string) ([]string, error) {
	var handle *os.File
	target, err := files.Resolve(root, dir)
	if err == nil {
		handle, err = root.Open(target)
	}
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
	slices.Sort(indexes) // puts MEMORY.md before the other spellings
	return indexes, nil
}

// StampOf returns the size and modification time of a file in the agent's directory. It returns the
// zero stamp if the file is missing or cannot be examined.
func StampOf(tx *agenttx.Tx, path string) agenttx.FileStamp {
	info, err := files.Stat(tx.Root, path)
	if err != nil {
		return agenttx.FileStamp{}
	}
	return agenttx.FileStamp{Size: info.Size(), ModTime: info.ModTime()}
}

// RecordIndexes updates the stamps in State.Indexes after a scan. If an index was added, changed or
// removed, it emits events.Scanned. Before the first full scan it emits nothing. An index that the
// listing does not cover keeps its stamp.
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

// OfMemory returns the files at paths as files of the memory with the name. An empty name means
// that no wiki link leads to them by the name of their memory.
func OfMemory(name string, paths ...string) []memorymd.IndexedFile {
	list := make([]memorymd.IndexedFile, len(paths))
	for i, p := range paths {
		list[i] = memorymd.IndexedFile{Path: p, Name: name}
	}
	return list
}

// FreeNames returns the names of the memories in keys, by their ids, without the names that another
// live memory has. A wiki link with such a name is an entry of the memory.
func FreeNames(ctx context.Context, tx *agenttx.Tx, keys map[uuid.UUID]memories.Key) (map[uuid.UUID]string, error) {
	names := make(map[uuid.UUID]string, len(keys))
	for id, key := range keys {
		names[id] = key.Name
	}
	rows, err := tx.Rows.RowsByName(ctx, slices.Collect(maps.Values(names)))
	for _, row := range rows {
		if row.State != memories.Deleted {
			maps.DeleteFunc(names, func(id uuid.UUID, name string) bool { return id != row.UUID && name == row.Name })
		}
	}
	return names, err
}

// linkMatcher returns a function that reports whether a link in the index leads to one of the
// removed files. A wiki link to no file leads to the first file of the memory with that name. The
// function also adds the path of each such file to found.
func linkMatcher(root *os.Root, agent agents.Agent, index string, removed []memorymd.IndexedFile, found map[string]bool) func(memorymd.Link) bool {
	paths, named := map[string]bool{}, map[string]string{}
	for _, f := range removed {
		paths[f.Path] = true
		if _, known := named[f.Name]; f.Name != "" && !known {
			named[f.Name] = f.Path
		}
	}
	return func(link memorymd.Link) bool {
		file, inside := agent.Linked(index, link.Target)
		if name := link.Name(); inside && !paths[file] && named[name] != "" {
			if _, err := files.Lstat(root, file); agenttx.IsNotFound(err) {
				file = named[name]
			}
		}
		if !inside || !paths[file] {
			return false
		}
		found[file] = true
		return true
	}
}

// IndexChange is a change of one index.
type IndexChange struct {
	Path          string                 // relative to the agent's directory
	Before, After []byte                 // the contents; Before is nil if the index does not exist
	Gone          []memorymd.RemovedLine // the removed lines, if IndexChanges returned the change
	Topics        []IndexChange          // of a repair: topics to which it moves entries
}

// IndexChanges returns the changes that remove the entries of the given files from the given
// indexes. listed are the paths that have such an entry. It writes nothing. It omits indexes
// without such entries, and indexes that are missing or cannot be read, without an error.
func IndexChanges(root *os.Root, agent agents.Agent, indexes []string, removed []memorymd.IndexedFile) (changes []IndexChange, listed map[string]bool) {
	listed = map[string]bool{}
	for _, index := range indexes {
		raw, err := agenttx.ReadAll(root, index, maxIndex)
		if err != nil {
			continue
		}
		if after, gone := memorymd.Remove(raw, linkMatcher(root, agent, index, removed, listed)); len(gone) > 0 {
			changes = append(changes, IndexChange{Path: index, Before: raw, After: after, Gone: gone})
		}
	}
	return changes, listed
}

// IndexesFor returns the sorted paths of the existing indexes that may list one of the files at
// paths. These are all indexes of the primary and the team directory, the topics of a repair, and
// the indexes of each directory from a file up to its memory directory. It does not read the indexes. It omits directories that
// cannot be listed, and returns nil if root is nil.
func IndexesFor(root *os.Root, agent agents.Agent, paths []string) []string {
	if root == nil {
		return nil
	}
	dirs := map[string]bool{agent.PrimaryDir(): true, agent.TeamDir(): true}
	for _, t := range memories.Types() {
		dirs[path.Dir(path.Join(agent.PrimaryDir(), memorymd.TopicPath(t)))] = true
	}
	for _, file := range paths {
		for _, dir := range directoriesAbove(agent, file) {
			dirs[dir] = true
		}
	}
	var indexes []string
	for dir := range dirs {
		if found, err := listIndexes(root, dir); err == nil {
			indexes = append(indexes, found...)
		}
	}
	slices.Sort(indexes)
	return indexes
}

// ListedReason is the reason why an index still lists a removed file, or may list it.
type ListedReason struct {
	index  string
	unread bool // the index could not be read, so it is unknown whether it lists the file
	err    error
}

// String returns the reason as a sentence for users.
func (r ListedReason) String() string {
	if r.unread {
		return fmt.Sprintf("An entry for it may still be in %s, which cannot be read: %v.", r.index, agenttx.FSCause(r.err))
	}
	return fmt.Sprintf("Its entry is still in %s, which cannot be written: %v.", r.index, agenttx.FSCause(r.err))
}

// RemoveFromIndexes removes the entries of the given files from the given indexes on disk. It
// returns, by path, the files that an index still lists because it cannot be written, or may list
// because it cannot be read. The map is empty if all entries are removed. It continues after an
// error.
func RemoveFromIndexes(tx *agenttx.Tx, removed []memorymd.IndexedFile, indexes []string) map[string]ListedReason {
	all, left := map[string]bool{}, map[string]ListedReason{}
	for _, f := range removed {
		all[f.Path] = true
	}
	for _, index := range indexes {
		listed, unread := all, true
		err := EditIndex(tx, index, func(raw []byte) []byte {
			listed, unread = map[string]bool{}, false
			out, _ := memorymd.Remove(raw, linkMatcher(tx.Root, tx.Agent, index, removed, listed))
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

// EditIndex replaces the content of an index by the result of edit. If another program writes the
// index at the same time, it calls edit again with the new content. After editAttempts it returns
// files.ErrChanged. It does nothing and returns nil if edit changes nothing, or if there is no
// regular file at the path in the agent's directory. It returns other errors of reading and
// writing; agenttx.ErrTooLarge means more than maxIndex bytes.
func EditIndex(tx *agenttx.Tx, index string, edit func([]byte) []byte) error {
	var err error
	for range editAttempts {
		var raw []byte
		raw, err = agenttx.ReadAll(tx.Root, index, maxIndex)
		if isNoIndex(err) {
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
			err = files.ErrChanged // a program has emptied the index to write it
			continue
		}
		if err = tx.Overwrite(index, out, files.Options{IfHash: files.Hash(raw)}); !errors.Is(err, files.ErrChanged) {
			return err
		}
	}
	return err
}

// isNoIndex reports whether err means that there is no regular file at a path in the agent's
// directory.
func isNoIndex(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrNotRegular) || errors.Is(err, files.ErrLeaves) || errors.Is(err, files.ErrLoop)
}
