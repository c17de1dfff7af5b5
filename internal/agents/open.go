package agents

import (
	"path/filepath"

	"memoir/internal/files"
)

// openDirectory is a directory, of those on the way, that all users may write.
type openDirectory struct {
	path   string // absolute; empty if there is none
	listed bool
}

// flagOpen lists a memory directory that is not written because all users may write to it, or to a
// directory above it. Directories below it are not listed again.
func (w *walker) flagOpen(d directory) openDirectory {
	open := d.open
	if open.listed || d.kind == hiveKind {
		return open
	}
	if open.path == "" {
		open.path = w.openToAll(d)
	}
	if open.path == "" || d.kind != memoryKind {
		return open
	}
	w.list(Entry{Path: SafePath(d.path), Session: SafePath(d.session), Problem: openToAll(SafePath(open.path))}, everything)
	open.listed = true
	return open
}

// openToAll returns the path of a directory if all users may write to it. For the agent's own
// directory, that may be one above it.
func (w *walker) openToAll(d directory) string {
	info, err := w.root.Lstat(d.real)
	if err == nil && files.IsOpenToAll(info) {
		return filepath.Join(w.root.Name(), filepath.FromSlash(d.path))
	}
	if d.kind == memoryKind && d.durable && d.depth == 0 {
		return files.OpenToAll(w.root)
	}
	return ""
}
