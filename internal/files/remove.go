package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// A removal removes a file in dir, which may be a directory inside root. Links in dir may lead to
// other places in root.
type removal struct {
	root  *os.Root
	dir   *os.Root
	above string // path of dir in root; unused if dir is root
}

// ofFile removes the file called name in dir if its Hash equals hash; otherwise the error is
// ErrChanged, and the file stays. relPath is its path for error messages. A missing file is not an
// error. The error is ErrNotRegular for a directory.
func (r removal) ofFile(name, relPath, hash string) error {
	remove := r.aside
	if len(removingPrefix)+len(path.Base(name)) > maxName {
		remove = r.inPlace
	}
	if err := remove(name, hash); err != nil {
		return fmt.Errorf("remove %s: %w", relPath, err)
	}
	return nil
}

// readHash returns the ReadHash of the file called name in dir. It follows a link within root, not
// only within dir. The error matches fs.ErrNotExist if the file or the link's target is missing.
func (r removal) readHash(name string) (string, error) {
	info, err := r.dir.Lstat(name)
	if err == nil && info.Mode().Type() == fs.ModeSymlink && r.dir != r.root {
		return ReadHash(r.root, path.Join(r.above, name))
	}
	return ReadHash(r.dir, name)
}

// aside renames the file, checks its hash and removes it. If the hash differs, it restores the name
// and returns ErrChanged; if the file cannot be read, it restores the name too. A file that is
// saved concurrently under the old name is not touched. A missing file is not an error.
func (r removal) aside(name, hash string) error {
	root := r.dir
	aside := path.Join(path.Dir(name), removingPrefix+path.Base(name))
	if err := restoreAside(root, aside, name); err != nil { // left by a crash
		return err
	}
	if err := checkRemovable(root, name); err != nil {
		return ignoreMissing(err)
	}
	if err := root.Rename(name, aside); err != nil {
		return ignoreMissing(err)
	}
	found, err := r.readHash(aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a link without target has changed
		return errors.Join(err, restoreAside(root, aside, name))
	}
	if found != hash {
		return errors.Join(ErrChanged, restoreAside(root, aside, name))
	}
	return root.Remove(aside)
}

// checkRemovable returns ErrNotRegular unless name is a regular file or a link, and an error that
// matches fs.ErrNotExist if nothing is there.
func checkRemovable(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink {
		return ErrNotRegular
	}
	return nil
}

// inPlace removes a file under its own name if its hash equals hash; otherwise the error is
// ErrChanged. A missing file is not an error. It is for names too long for the prefix that aside
// adds. A save between check and removal is lost.
func (r removal) inPlace(name, hash string) error {
	if err := checkRemovable(r.dir, name); err != nil {
		return ignoreMissing(err)
	}
	found, err := r.readHash(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found != hash {
		return ErrChanged
	}
	return ignoreMissing(r.dir.Remove(name))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// restoreAside renames a file from aside to name. If name exists, it is newer, and restoreAside
// removes aside without an error. A missing aside is not an error.
func restoreAside(root *os.Root, aside, name string) error {
	if _, err := root.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := moveNew(root, aside, name)
	if errors.Is(err, ErrExists) {
		return root.Remove(aside)
	}
	return err
}
