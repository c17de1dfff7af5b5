package files

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fdHandle is a directory above a root. It is opened without read permission, which users often
// lack there.
type fdHandle struct{ fd int }

func openTop() (dirHandle, entry, error) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, entry{}, &fs.PathError{Op: "open", Path: "/", Err: err}
	}
	is, err := entryOf(fd)
	if err != nil {
		unix.Close(fd) //nolint:errcheck // nothing was written
		return nil, entry{}, &fs.PathError{Op: "stat", Path: "/", Err: err}
	}
	return fdHandle{fd}, is, nil
}

func (p fdHandle) lookUp(name string) (entry, error) {
	fd, is, err := p.open(name)
	if err == nil {
		unix.Close(fd) //nolint:errcheck // nothing was written
	}
	return is, err
}

func (p fdHandle) enter(name string) (dirHandle, entry, error) {
	fd, is, err := p.open(name)
	if err == nil && !is.mode.IsDir() {
		unix.Close(fd) //nolint:errcheck // nothing was written
		err = ErrChanged
	}
	if err != nil {
		return nil, entry{}, err
	}
	return fdHandle{fd}, is, nil
}

func (p fdHandle) close() { unix.Close(p.fd) } //nolint:errcheck // nothing was written

// open opens an entry of the directory without following a link. It returns the descriptor, which
// the caller must close, and the owner, mode and link target of the entry.
func (p fdHandle) open(name string) (int, entry, error) {
	fd, err := unix.Openat(p.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, entry{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	is, err := entryOf(fd)
	if err != nil {
		unix.Close(fd) //nolint:errcheck // nothing was written
		return 0, entry{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return fd, is, nil
}

func entryOf(fd int) (entry, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return entry{}, err
	}
	is := entry{uid: int(st.Uid), mode: fs.FileMode(st.Mode & 0o777)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		is.mode |= fs.ModeDir
	case unix.S_IFLNK:
		is.mode |= fs.ModeSymlink
		target := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", target)
		if err != nil {
			return entry{}, err
		}
		is.target = string(target[:n])
	case unix.S_IFREG:
	default:
		is.mode |= fs.ModeIrregular
	}
	if st.Mode&unix.S_ISVTX != 0 {
		is.mode |= fs.ModeSticky
	}
	return is, nil
}

// isSame reports whether p and root are the same directory.
func isSame(p dirHandle, root *os.Root) (bool, error) {
	var st unix.Stat_t
	if err := unix.Fstat(p.(fdHandle).fd, &st); err != nil {
		return false, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return false, err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	return ok && is.Dev == st.Dev && is.Ino == st.Ino, nil
}
