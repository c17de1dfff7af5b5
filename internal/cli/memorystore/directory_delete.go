package memorystore

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

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/wire"
)

// Delete removes every file of the memory permanently, and then the lines of every MEMORY.md that link
// to one. It returns the memory with the names of the removed files and changed indexes. It removes
// nothing and returns *UnknownError if no memory has the name, or an error if only an unreadable
// file has it. It stops at the first file or index that it cannot change; earlier removals stay.
func (d *Directory) Delete(_ context.Context, name string) (Deletion, error) {
	root, err := d.open()
	if err != nil {
		return Deletion{}, err
	}
	defer root.Close()
	notes, listing, err := d.readAll(root)
	if err != nil {
		return Deletion{}, err
	}
	sources := filesOf(notes, name)
	switch {
	case sources == nil:
		return Deletion{}, &UnknownError{name}
	case sources[0].Unreadable:
		return Deletion{}, fmt.Errorf("%s cannot be read, so its name is unknown. Nothing was deleted. Remove it by hand", sources[0].Path)
	}
	m := d.memoryOf(sources, nil)
	m.State, m.DeletedAt, m.DeletedActor, m.Files = memories.Deleted, time.Now(), memories.ByScript, nil
	deleted := Deletion{}
	if deleted.Answer, err = described(m); err != nil {
		return Deletion{}, err
	}
	for _, n := range sources {
		if reason := d.readOnly(n.Path); reason != "" {
			return Deletion{}, errors.New(reason + " Nothing was deleted")
		}
	}
	for _, n := range sources {
		if err := d.Guard.RemoveIf(root, n.Path, files.Hash(n.raw)); err != nil {
			return Deletion{}, notRemoved(n.Path, deleted.Files, err)
		}
		deleted.Files = append(deleted.Files, n.Path)
	}
	unlisted := m.Name
	if slices.ContainsFunc(notes, func(n note) bool { return n.Name == m.Name && !slices.Contains(deleted.Files, n.Path) }) {
		unlisted = ""
	}
	for _, index := range listing.Indexes {
		edited, err := d.removeLines(root, index, unlisted, deleted.Files)
		if err != nil {
			return Deletion{}, fmt.Errorf("memory deleted, but its lines are still in %s: %w", index, err)
		}
		if edited {
			deleted.Indexes = append(deleted.Indexes, index)
		}
	}
	for _, file := range deleted.Files {
		if err := files.SyncDirectory(root, path.Dir(file)); err != nil {
			return Deletion{}, fmt.Errorf("memory deleted, but it may return after a power cut: %w", err)
		}
	}
	return deleted, nil
}

// removeLines removes the lines of an index that link to the removed files, and reports whether it
// changed the index. Wiki links that state name, and lead to no file, are removed too. An empty name
// means that another memory has the name. It returns the errors of editIndex.
func (d *Directory) removeLines(root *os.Root, index, name string, removed []string) (edited bool, err error) {
	leads := func(link memorymd.Link) bool {
		file, inside := d.Agent.Linked(index, link.Target)
		if !inside || slices.Contains(removed, file) {
			return inside
		}
		_, err := files.Lstat(root, file)
		return link.IsWiki && link.Name() == name && errors.Is(err, fs.ErrNotExist)
	}
	return d.editIndex(root, index, func(raw []byte) []byte {
		out, _ := memorymd.Remove(raw, leads)
		return out
	})
}

// notRemoved returns the error for users about a file that was not removed because of err. It
// states which files were removed before. It wraps err, unless that is files.ErrChanged.
func notRemoved(file string, removed []string, err error) error {
	already := "Nothing was deleted"
	if len(removed) > 0 {
		already = strings.Join(removed, ", ") + " deleted, the rest stays"
	}
	if errors.Is(err, files.ErrChanged) {
		return fmt.Errorf("%s has just changed and is kept. %s. Check the new version and try again", file, already)
	}
	return fmt.Errorf("%w. %s", err, already)
}

func (d *Directory) Share(context.Context, string) (Answer[wire.Memory], error) {
	return Answer[wire.Memory]{}, errors.New("a memory can be shared only by a running server. Nothing was changed")
}
