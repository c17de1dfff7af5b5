package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Move renames a file or directory to a name that must not exist; otherwise the error is ErrExists.
// It follows links in the parents of both paths, but a link at from is itself moved. Missing
// directories are created. The result survives a power cut. If the system cannot rename without
// replacing, a crash may leave both names.
func Move(root *os.Root, from, to string) error {
	source, err := Resolve(root, path.Dir(from))
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	source = path.Join(source, path.Base(from))
	target, err := newTarget(root, to)
	if err != nil {
		return err
	}
	if _, err := root.Lstat(source); err != nil {
		return fmt.Errorf("move %s: %w", from, err) // before target directories are created
	}
	if err := move(root, source, target); err != nil {
		return fmt.Errorf("move %s to %s: %w", from, to, err)
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
	// The new name is synced first: after a power cut the file has at least one name.
	if err := syncDirectory(root, path.Dir(target)); err != nil || path.Dir(source) == path.Dir(target) {
		return err
	}
	return syncDirectory(root, path.Dir(source))
}

// RemoveDirectory removes an empty directory. A missing directory is not an error. It fails for
// other files and for directories with entries. The removal survives a power cut only after
// SyncDirectory of the parent.
func RemoveDirectory(root *os.Root, relPath string) error {
	parent, err := Resolve(root, path.Dir(relPath))
	if err == nil {
		err = removeDirectory(root, parent, path.Base(relPath))
	}
	if ignoreMissing(err) != nil {
		return fmt.Errorf("remove %s: %w", relPath, err)
	}
	return nil
}
