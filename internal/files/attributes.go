package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path"
	"strconv"
)

// newFileMode is the mode of a new file, minus the bits that its directory does not have.
const newFileMode = 0o644

// ownerMode are the bits that a new file's owner always has.
const ownerMode = 0o600

// settable are the bits of a mode that Memoir sets.
const settable = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// attributes are a file's owner, group and mode.
type attributes struct {
	uid, gid int // -1 if the system has no owners
	mode     fs.FileMode
	replaces bool // from a file that is being replaced; errors to keep them are fatal
}

// attributesFor returns the attributes for a file at target, and sets none. For an existing file
// these are its own. A new file gets owner and group of its directory, and mode 0644 without the
// bits that the directory lacks. The error is ErrNotRegular if target is not a regular file.
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
	return inheritFrom(dir, newFileMode&dir.Mode().Perm()|ownerMode), nil
}

// inheritFrom returns the attributes of a new file or directory with the given mode, and with owner
// and group of dir.
func inheritFrom(dir fs.FileInfo, mode fs.FileMode) attributes {
	uid, gid := owner(dir)
	return attributes{uid: uid, gid: gid, mode: mode}
}

// apply sets owner, group and mode of an open file. The error is ErrOwner if owner or group of a
// replaced file cannot be kept; for a new file that is ignored.
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
	return file.Chmod(a.mode & settable) // after Chown, which clears bits
}

// OwnerName returns the name of a file's owner, or the user ID as text if the user has no name. On
// a system without owners it returns "".
func OwnerName(info fs.FileInfo) string {
	uid, _ := owner(info)
	if uid < 0 {
		return ""
	}
	id := strconv.Itoa(uid)
	found, err := user.LookupId(id)
	if err != nil {
		return id
	}
	return found.Username
}
