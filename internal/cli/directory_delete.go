package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

// maxIndex is the largest MEMORY.md that is edited, in bytes.
const maxIndex = 4 << 20

// delete removes each file that carries the memory, and the lines of each MEMORY.md that lead to one.
func (d *directory) delete(_ context.Context, name string) (deletion, error) {
	root, err := d.open()
	if err != nil {
		return deletion{}, err
	}
	defer root.Close()
	notes, listing, err := d.look(root)
	if err != nil {
		return deletion{}, err
	}
	carriers, found := carriersOf(notes, name)
	switch {
	case !found:
		return deletion{}, &unknownError{name}
	case carriers[0].Unreadable:
		return deletion{}, fmt.Errorf("%s could not be read, so it could not be told whether it is the memory that is meant. Nothing was deleted. Remove it by hand", carriers[0].Path)
	}
	m := d.memoryOf(carriers)
	m.State, m.DeletedAt, m.DeletedActor, m.Files = memories.Deleted, time.Now(), memories.ByScript, nil
	gone := deletion{}
	if gone.answer, err = described(m); err != nil {
		return deletion{}, err
	}
	for _, n := range carriers {
		if err := d.guard.RemoveIf(root, n.Path, files.Hash(n.raw)); err != nil {
			return deletion{}, notRemoved(n.Path, gone.files, err)
		}
		gone.files = append(gone.files, n.Path)
	}
	for _, index := range listing.Indexes {
		edited, err := d.removeLines(root, index, gone.files)
		if err != nil {
			return deletion{}, fmt.Errorf("the memory is deleted, but the lines about it are still in %s: %w", index, err)
		}
		if edited {
			gone.indexes = append(gone.indexes, index)
		}
	}
	for _, file := range gone.files {
		if err := files.SyncDirectory(root, path.Dir(file)); err != nil {
			return deletion{}, fmt.Errorf("the memory is deleted, but a power cut may bring it back: %w", err)
		}
	}
	return gone, nil
}

// removeLines takes what leads to files that are gone out of an index, beginning anew when somebody else writes it meanwhile.
func (d *directory) removeLines(root *os.Root, index string, gone []string) (edited bool, err error) {
	leads := func(target string) bool {
		file, inside := d.agent.Linked(index, target)
		return inside && slices.Contains(gone, file)
	}
	for range attempts {
		var raw []byte
		raw, err = agents.ReadFile(root, index, maxIndex)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		out, lines := memorymd.Remove(raw, leads)
		if len(lines) == 0 {
			return false, nil
		}
		if len(raw) > maxIndex {
			return false, fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
		}
		err = d.guard.Write(root, index, out, files.Options{IfHash: files.Hash(raw), Was: raw})
		if !errors.Is(err, files.ErrChanged) {
			return err == nil, err
		}
	}
	return false, err
}

// notRemoved says why a file was not removed, and which ones have been.
func notRemoved(file string, gone []string, err error) error {
	already := "Nothing was deleted"
	if len(gone) > 0 {
		already = strings.Join(gone, ", ") + " is deleted, the rest stays"
	}
	if errors.Is(err, files.ErrChanged) {
		return fmt.Errorf("%s was written in this very moment, and is kept. %s. Look at what it says now, and decide again", file, already)
	}
	return fmt.Errorf("%w. %s", err, already)
}
