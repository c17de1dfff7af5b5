package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"memoir/internal/files"
)

// Blocked is a directory that cannot be looked into, for people.
type Blocked struct {
	Dir    string // absolute; safe as SafePath has it
	Owner  string // the user that owns the directory; empty: unknown
	Reason string // in a few words
}

// blockedBy describes a directory that could not be looked into because of err, or the one above it that is in the way. A nil err means
// that there is no directory at the path.
func blockedBy(dir string, err error) Blocked {
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

// misnamed describes a directory whose path cannot be stored.
func misnamed(dir string) Blocked {
	b := blockedBy(dir, fs.ErrInvalid)
	b.Reason = "the name is not valid UTF-8; rename the directory"
	return b
}

// BlockedDir describes an agent's directory that could not be opened because of err.
func BlockedDir(dir string, err error) Blocked { return blockedBy(dir, err) }

// block notes a directory of the walk that could not be looked into.
func (w *walker) block(relPath string, err error) {
	w.listing.Blocked = append(w.listing.Blocked, blockedBy(filepath.Join(w.root.Name(), relPath), err))
}
