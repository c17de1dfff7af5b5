package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// RemoveIf removes a file when its bytes have the given Hash; ErrChanged otherwise, and the file is where it was. A file that is
// gone already is success. A link is removed itself, its target stays.
//
// Somebody may save the file at any moment, so it is first moved aside and then looked at: what is looked at is what is removed.
// A file saved in between is under the old name, and is not touched. Moved back is only where nothing newer is.
//
// A power cut may bring the file back until its directory is synced (SyncDirectory). Whoever removes several does that once.
func RemoveIf(root *os.Root, relPath, hash string) error {
	dir, err := Resolve(root, path.Dir(relPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing: %w", err)
	}
	return removal{root: root, dir: root}.ofFile(path.Join(dir, path.Base(relPath)), relPath, hash)
}

// A removal removes a file of a directory. If the directory is opened on its own, a link in it may
// still lead to another place in root.
type removal struct {
	root  *os.Root
	dir   *os.Root
	above string // the path in root of what dir is; it is unused if dir is root
}

// ofFile removes the file of that name in dir. relPath is what errors call it.
func (r removal) ofFile(name, relPath, hash string) error {
	remove := r.aside
	if len(removingPrefix)+len(path.Base(name)) > maxName {
		remove = r.inPlace
	}
	if err := remove(name, hash); err != nil {
		return fmt.Errorf("removing %s: %w", relPath, err)
	}
	return nil
}

// readHash is ReadHash for a name in dir.
func (r removal) readHash(name string) (string, error) {
	info, err := r.dir.Lstat(name)
	if err == nil && info.Mode().Type() == fs.ModeSymlink && r.dir != r.root {
		return ReadHash(r.root, path.Join(r.above, name))
	}
	return ReadHash(r.dir, name)
}

// aside moves the file aside, and removes it there.
func (r removal) aside(name, hash string) error {
	root := r.dir
	aside := path.Join(path.Dir(name), removingPrefix+path.Base(name))
	if err := putBack(root, aside, name); err != nil { // what an earlier removal left, when a crash ended it
		return err
	}
	if err := removable(root, name); err != nil {
		return unlessGone(err)
	}
	if err := root.Rename(name, aside); err != nil {
		return unlessGone(err)
	}
	found, err := r.readHash(aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a link that has come to lead to nothing has changed
		return errors.Join(err, putBack(root, aside, name))
	}
	if found != hash {
		return errors.Join(ErrChanged, putBack(root, aside, name))
	}
	return root.Remove(aside)
}

// removable reports as an error what is no file: a directory would be moved aside with all that is in it.
func removable(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink {
		return ErrNotRegular
	}
	return nil
}

// inPlace removes a file whose name is too long to be moved aside within its directory.
func (r removal) inPlace(name, hash string) error {
	if err := removable(r.dir, name); err != nil {
		return unlessGone(err)
	}
	found, err := r.readHash(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found != hash {
		return ErrChanged
	}
	return unlessGone(r.dir.Remove(name))
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// putBack gives a file that was moved aside its name again. Where something is under that name, it was saved later, and the one
// that was moved aside is what that save replaced. Nothing moved aside is success.
func putBack(root *os.Root, aside, name string) error {
	if _, err := root.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := moveNew(root, aside, name)
	if errors.Is(err, ErrExists) {
		return root.Remove(aside)
	}
	return err
}
