package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// A new file's mode before its directory's denials.
const newFileMode = 0o644

// What a new file's owner may always do.
const ownerMode = 0o600

// The bits of a mode that can be set: permissions, and what a directory passes on.
const settable = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// attributes are a file's owner, group and mode.
type attributes struct {
	uid, gid int // -1: left as they are, where the system has no such thing
	mode     fs.FileMode
	replaces bool // taken from a file that is being replaced: they must be kept
}

// attributesFor returns what a file written at target gets: those of the file that is there, or of a new one.
func attributesFor(root *os.Root, target string) (attributes, error) {
	info, err := root.Lstat(target)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return attributes{}, ErrNotRegular
	case err == nil:
		uid, gid := owner(info)
		return attributes{uid: uid, gid: gid, mode: info.Mode(), replaces: true}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return attributes{}, err
	}
	dir, err := root.Stat(path.Dir(target))
	if err != nil {
		return attributes{}, err
	}
	return likeParent(dir, newFileMode&dir.Mode().Perm()|ownerMode), nil
}

// likeParent returns the owner and group of a directory, for what is made in it, and a mode.
func likeParent(dir fs.FileInfo, mode fs.FileMode) attributes {
	uid, gid := owner(dir)
	return attributes{uid: uid, gid: gid, mode: mode}
}

// apply gives them to an open file. Of a new file's owner and group, what the process may not give is left out.
func (a attributes) apply(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if uid, gid := owner(info); uid != a.uid || gid != a.gid {
		err := file.Chown(a.uid, a.gid)
		if err != nil && a.replaces {
			return fmt.Errorf("%w: %w", ErrOwner, err)
		}
	}
	return file.Chmod(a.mode & settable) // after the owner: a change of owner takes bits away
}
