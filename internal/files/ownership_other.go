//go:build !linux

package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// pathPlace is a directory above a root. These systems cannot open a directory without read
// permission, so its entries are examined by path.
type pathPlace struct{ path string }

func openTop() (place, entry, error) {
	is, err := entryAt("/")
	return pathPlace{"/"}, is, err
}

func (p pathPlace) lookUp(name string) (entry, error) { return entryAt(filepath.Join(p.path, name)) }

func (p pathPlace) enter(name string) (place, entry, error) {
	at := filepath.Join(p.path, name)
	is, err := entryAt(at)
	return pathPlace{at}, is, err
}

func (pathPlace) close() {}

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

// isSame reports whether p is the directory of root.
func isSame(p place, root *os.Root) (bool, error) {
	found, err := os.Lstat(p.(pathPlace).path)
	if err != nil {
		return false, err
	}
	held, err := root.Stat(".")
	return err == nil && os.SameFile(found, held), err
}

// hasNoLinks returns false: each element of the path must be examined.
func hasNoLinks(*os.Root) bool { return false }
