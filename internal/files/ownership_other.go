//go:build !linux

package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// pathHandle is a directory above a root. These systems cannot open a directory without read
// permission, so its entries are examined by path.
type pathHandle struct{ path string }

func openTop() (dirHandle, entry, error) {
	is, err := entryAt("/")
	return pathHandle{"/"}, is, err
}

func (p pathHandle) lookUp(name string) (entry, error) { return entryAt(filepath.Join(p.path, name)) }

func (p pathHandle) enter(name string) (dirHandle, entry, error) {
	at := filepath.Join(p.path, name)
	is, err := entryAt(at)
	return pathHandle{at}, is, err
}

func (pathHandle) close() {}

func entryAt(at string) (entry, error) {
	info, err := os.Lstat(at)
	if err != nil {
		return entry{}, err
	}
	uid, _ := owner(info)
	is := entry{uid: uid, mode: info.Mode()}
	if info.Mode().Type() == fs.ModeSymlink {
		is.target, err = os.Readlink(at)
	}
	return is, err
}

// isSame reports whether p and root are the same directory.
func isSame(p dirHandle, root *os.Root) (bool, error) {
	found, err := os.Lstat(p.(pathHandle).path)
	if err != nil {
		return false, err
	}
	opened, err := root.Stat(".")
	return err == nil && os.SameFile(found, opened), err
}
