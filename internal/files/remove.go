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
	name := path.Join(dir, path.Base(relPath))
	if err := removeIf(root, name, hash); err != nil {
		return fmt.Errorf("removing %s: %w", relPath, err)
	}
	return nil
}

func removeIf(root *os.Root, name, hash string) error {
	if len(removingPrefix)+len(path.Base(name)) > maxName {
		return removeInPlace(root, name, hash)
	}
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
	found, err := ReadHash(root, aside)
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

// removeInPlace removes a file whose name is too long to be moved aside within its directory.
func removeInPlace(root *os.Root, name, hash string) error {
	if err := removable(root, name); err != nil {
		return unlessGone(err)
	}
	found, err := ReadHash(root, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found != hash {
		return ErrChanged
	}
	return unlessGone(root.Remove(name))
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
