package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Move gives a file or a directory another name, under which there must be nothing, not even a link: ErrExists otherwise. Links on the
// way to either name are followed, and a link that has the name is moved itself. Missing directories are made as their parent is. When
// it returns, no power cut takes it back.
//
// Where the system can rename without replacing, it is one step. Elsewhere a crash may leave a file under both names.
func Move(root *os.Root, from, to string) error {
	source, err := Resolve(root, path.Dir(from))
	if err != nil {
		return fmt.Errorf("moving: %w", err)
	}
	source = path.Join(source, path.Base(from))
	target, err := newTarget(root, to)
	if err != nil {
		return err
	}
	if _, err := root.Lstat(source); err != nil {
		return fmt.Errorf("moving %s: %w", from, err) // before a directory is made for it
	}
	if err := move(root, source, target); err != nil {
		return fmt.Errorf("moving %s to %s: %w", from, to, err)
	}
	return nil
}

func move(root *os.Root, source, target string) error {
	if err := makeDirectories(root, path.Dir(target)); err != nil {
		return err
	}
	err := renameNew(root, source, target)
	if errors.Is(err, errors.ErrUnsupported) {
		err = moveNew(root, source, target)
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	// The new name first: what a power cut then leaves is under one of the two, or both.
	if err := syncDirectory(root, path.Dir(target)); err != nil || path.Dir(source) == path.Dir(target) {
		return err
	}
	return syncDirectory(root, path.Dir(source))
}

// RemoveDirectory removes an empty directory. One that is gone already is success. What is no directory, or not empty, is left as it is.
// A power cut may bring it back until the directory above it is synced (SyncDirectory).
func RemoveDirectory(root *os.Root, relPath string) error {
	parent, err := Resolve(root, path.Dir(relPath))
	if err == nil {
		err = removeDirectory(root, parent, path.Base(relPath))
	}
	if unlessGone(err) != nil {
		return fmt.Errorf("removing %s: %w", relPath, err)
	}
	return nil
}
