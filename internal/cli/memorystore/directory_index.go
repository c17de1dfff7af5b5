package memorystore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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
func (d *Directory) readIndex(root *os.Root, listing agents.Listing) map[string]memories.IndexStatus {
	loaded := d.primaryIndex(listing)
	inIndex := map[string]memories.IndexStatus{}
	for _, index := range listing.Indexes {
		raw, err := agents.ReadFile(root, index, memories.MaxFileSize)
		if _, isPrimary := d.Agent.SessionOf(index); err != nil || !isPrimary {
			continue
		}
		for file, withinLimits := range d.Agent.ListedFiles(index, memorymd.Read(raw)) {
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
func (d *Directory) primaryIndex(listing agents.Listing) string {
	found := ""
	for _, index := range listing.Indexes {
		if path.Dir(index) == d.Agent.PrimaryDir() && strings.EqualFold(path.Base(index), memorymd.Name) && (found == "" || index < found) {
			found = index
		}
	}
	if found == "" {
		return path.Join(d.Agent.PrimaryDir(), memorymd.Name)
	}
	return found
}

// listInIndex adds an entry for the file to the MEMORY.md that the agent loads, or to the topic of
// its type, unless that or a topic lists the file. It creates a missing MEMORY.md. Where an entry has
// the description of before, it gets the new one; before is nil for a new file. It returns the errors
// of editIndex.
func (d *Directory) listInIndex(root *os.Root, listing agents.Listing, before *memorymd.IndexedFile, after memorymd.IndexedFile) error {
	primary := d.primaryIndex(listing)
	if err := d.Guard.Write(root, primary, d.withEntry(root, primary, after)(nil), files.Options{New: true}); !errors.Is(err, files.ErrExists) {
		return err
	}
	for _, index := range listing.Indexes {
		if _, isPrimary := d.Agent.SessionOf(index); !isPrimary || before == nil {
			continue
		}
		was, is := *before, after
		was.Path, is.Path = d.Agent.LinkTo(index, after.Path), d.Agent.LinkTo(index, after.Path)
		relist := func(raw []byte) []byte { return memorymd.Relist(raw, was, is, d.resolver(root, index)) }
		if _, err := d.editIndex(root, index, relist); err != nil {
			return err
		}
	}
	raw, err := agents.ReadFile(root, primary, maxIndex)
	if err != nil {
		return err
	}
	inIndex := after
	inIndex.Path = d.Agent.LinkTo(primary, after.Path)
	index := memorymd.PlacementOf(raw, d.topics(root, primary, raw)).IndexFor(inIndex)
	switch index {
	case "":
		return nil
	case memorymd.Name:
		index = primary
	default:
		index = path.Join(path.Dir(primary), index)
	}
	_, err = d.editIndex(root, index, d.withEntry(root, index, after))
	return err
}

// withEntry returns a function that adds an entry for the file to the text of an index, unless that
// has one.
func (d *Directory) withEntry(root *os.Root, index string, f memorymd.IndexedFile) func(raw []byte) []byte {
	f.Path = d.Agent.LinkTo(index, f.Path)
	return func(raw []byte) []byte {
		return memorymd.List(raw, []memorymd.IndexedFile{f}, d.resolver(root, index))
	}
}

// resolver returns the memorymd.LinkResolver of an index. A target outside the agent's directory
// counts as existing.
func (d *Directory) resolver(root *os.Root, index string) memorymd.LinkResolver {
	return func(target string) (file string, exists bool) {
		file, inside := d.Agent.Linked(index, target)
		if !inside {
			return target, true
		}
		_, err := files.Lstat(root, file)
		return d.Agent.LinkTo(index, file), !errors.Is(err, fs.ErrNotExist)
	}
}

// topics returns the readable topics to which an index links. raw is its content.
func (d *Directory) topics(root *os.Root, index string, raw []byte) (topics []memorymd.Topic) {
	for _, at := range memorymd.Topics(raw) {
		if content, err := agents.ReadFile(root, path.Join(path.Dir(index), at), maxIndex); err == nil {
			topics = append(topics, memorymd.Topic{Path: at, Raw: content})
		}
	}
	return topics
}

// editIndex replaces the content of an index by the result of edit, and reports whether it changed
// it. It returns false and nil if the index is missing. It tries again if another process writes
// the index; after attempts tries it returns files.ErrChanged. It returns an error if the index to
// change is larger than maxIndex.
func (d *Directory) editIndex(root *os.Root, index string, edit func([]byte) []byte) (edited bool, err error) {
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
		err = d.Guard.Write(root, index, out, files.Options{IfHash: files.Hash(raw)})
		if !errors.Is(err, files.ErrChanged) {
			return err == nil, err
		}
	}
	return false, err
}
