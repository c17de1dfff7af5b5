package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

// maxIndex is the largest MEMORY.md that is edited, in bytes. Arbitrary.
const maxIndex = 4 << 20

// readIndex returns the IndexStatus of the files that a primary MEMORY.md lists, by their paths
// relative to the agent's directory. It leaves out an index that cannot be read.
func (d *directory) readIndex(root *os.Root, listing agents.Listing) map[string]memories.IndexStatus {
	loaded := d.primaryIndex(listing)
	inIndex := map[string]memories.IndexStatus{}
	for _, index := range listing.Indexes {
		raw, err := agents.ReadFile(root, index, memories.MaxFileSize)
		if _, isPrimary := d.agent.SessionOf(index); err != nil || !isPrimary {
			continue
		}
		for file, withinLimits := range d.agent.ListedFiles(index, memorymd.Read(raw)) {
			switch {
			case withinLimits && index == loaded:
				inIndex[file] = memories.LoadedByLine
			case inIndex[file] == "":
				inIndex[file] = memories.Listed
			}
		}
	}
	return inIndex
}

// primaryIndex returns the path of the MEMORY.md that the agent loads, in any letter case, or the
// path of a new one.
func (d *directory) primaryIndex(listing agents.Listing) string {
	found := ""
	for _, index := range listing.Indexes {
		if path.Dir(index) == d.agent.PrimaryDir() && strings.EqualFold(path.Base(index), memorymd.Name) && (found == "" || index < found) {
			found = index
		}
	}
	if found == "" {
		return path.Join(d.agent.PrimaryDir(), memorymd.Name)
	}
	return found
}

// listInIndex adds an entry for the file to the MEMORY.md that the agent loads, unless that or a topic of
// it lists the file. It creates a missing MEMORY.md. Where the entry has the description of before,
// it gets the new one; before is nil for a new file. It returns the errors of editIndex.
func (d *directory) listInIndex(root *os.Root, listing agents.Listing, before *memorymd.IndexedFile, after memorymd.IndexedFile) error {
	index := d.primaryIndex(listing)
	resolve := func(target string) (string, bool) {
		file, inside := d.agent.Linked(index, target)
		if !inside {
			return target, true
		}
		_, err := files.Lstat(root, file)
		return d.agent.LinkTo(index, file), !errors.Is(err, fs.ErrNotExist)
	}
	after.Path = d.agent.LinkTo(index, after.Path)
	edit := func(raw []byte) []byte {
		if before != nil {
			was := *before
			was.Path = after.Path
			raw = memorymd.Relist(raw, was, after, resolve)
		}
		if d.isInTopic(root, index, raw, after.Path) {
			return raw
		}
		return memorymd.List(raw, []memorymd.IndexedFile{after}, resolve)
	}
	err := d.guard.Write(root, index, edit(nil), files.Options{New: true})
	if errors.Is(err, files.ErrExists) {
		_, err = d.editIndex(root, index, edit)
	}
	return err
}

// isInTopic reports whether a topic of the index lists the file.
func (d *directory) isInTopic(root *os.Root, index string, raw []byte, file string) bool {
	for _, at := range memorymd.Topics(raw) {
		content, err := agents.ReadFile(root, path.Join(path.Dir(index), at), memories.MaxFileSize)
		if err != nil {
			continue
		}
		if slices.Contains((memorymd.Topic{Path: at, Raw: content}).Files(), file) {
			return true
		}
	}
	return false
}

// editIndex replaces the content of an index by the result of edit, and reports whether it changed
// it. It returns false and nil if the index is missing. It tries again if another process writes
// the index; after attempts tries it returns files.ErrChanged. It returns an error if the index to
// change is larger than maxIndex.
func (d *directory) editIndex(root *os.Root, index string, edit func([]byte) []byte) (edited bool, err error) {
	for range attempts {
		var raw []byte
		raw, err = agents.ReadFile(root, index, maxIndex)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		out := edit(raw)
		if string(out) == string(raw) {
			return false, nil
		}
		if len(raw) > maxIndex {
			return false, fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
		}
		err = d.guard.Write(root, index, out, files.Options{IfHash: files.Hash(raw)})
		if !errors.Is(err, files.ErrChanged) {
			return err == nil, err
		}
	}
	return false, err
}
