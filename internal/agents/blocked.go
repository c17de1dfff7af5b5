package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"memoir/internal/files"
)

// Blocked describes a directory that cannot be read, for people.
type Blocked struct {
	Dir    string // absolute, as SafePath returns it
	Owner  string // name of the user who owns the directory, or empty
	Reason string // a few words
}

// BlockedDir returns a description of a directory that could not be read because of err. A nil err
// means that the path is not a directory. If access to dir is denied, Dir of the result is the
// nearest parent that can be examined. Owner is empty if it cannot be found out.
func BlockedDir(dir string, err error) Blocked {
	b := Blocked{Reason: "not a directory"}
	if err != nil {
		b.Reason = SafePath(reason(err))
	}
	info, err := os.Stat(dir)
	for errors.Is(err, fs.ErrPermission) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if err == nil {
		b.Owner = files.OwnerName(info)
	}
	b.Dir = SafePath(dir)
	return b
}

// misnamed returns a description of a directory that is not read because its path is not valid
// UTF-8 and cannot be stored.
func misnamed(dir string) Blocked {
	b := BlockedDir(dir, fs.ErrInvalid)
	b.Reason = "the name is not valid UTF-8; rename the directory"
	return b
}

// block appends to listing.Blocked a description of a directory that could not be read because of
// err. A nil err means that it is not a directory. block does not change listing.Failed.
func (w *walker) block(relPath string, err error) {
	w.listing.Blocked = append(w.listing.Blocked, BlockedDir(filepath.Join(w.root.Name(), relPath), err))
}

// openDirectory is the topmost directory on a path that all users may write.
type openDirectory struct {
	path   string // absolute, or empty
	listed bool
}

// flagOpen lists a memory directory with a problem if all users may write to it or to one of its
// parents. The walk continues below it all the same. flagOpen returns the values that the
// directories below d inherit: the open directory, and whether it is listed. They are not listed
// again.
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
// primary directory it also checks the agent's directory and its parents, and returns the outermost
// open one.
func (w *walker) openToAll(d directory) string {
	info, err := w.root.Lstat(d.real)
	if err == nil && files.IsOpenToAll(info) {
		return filepath.Join(w.root.Name(), filepath.FromSlash(d.path))
	}
	if d.kind == memoryKind && d.isPrimary && d.depth == 0 {
		return files.OpenToAll(w.root)
	}
	return ""
}
