package agents

import (
	"path/filepath"

	"memoir/internal/files"
)

// openDirectory is the topmost directory on a path that all users may write.
type openDirectory struct {
	path   string // absolute, or empty
	listed bool
}

// flagOpen lists a memory directory to which Memoir does not write, because all users may write to
// it or to one of its parents. Directories below it are not listed again.
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

// openToAll returns the absolute path of d if all users may write to it, or "". For the top of the
// primary directory it also checks the parents.
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
