package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Move renames a file or directory to a name that must not exist; otherwise the error is ErrExists.
// It follows links in the parents of both paths, but a link at from is itself moved. It creates
// missing directories of to. The error matches fs.ErrNotExist if from is missing, and is an
// *OwnershipError if the guard refuses a path. The result survives a power cut. If the system
// cannot rename without replacing, a crash may leave both names.
func (g *Guard) Move(root *os.Root, from, to string) error {
	source, err := g.enter(root, from, pathMode{})
	if err != nil {
		return fmt.Errorf("move %s: %w", from, err)
	}
	defer source.close()
	if _, err := source.dir.Lstat(source.name); err != nil {
		return fmt.Errorf("move %s: %w", from, err) // before target directories are created
	}
	target, err := g.enter(root, to, pathMode{mk: true})
	if err != nil {
		return fmt.Errorf("move to %s: %w", to, err)
	}
	defer target.close()
	if _, err := target.dir.Lstat(target.name); err == nil {
		return fmt.Errorf("move to %s: %w", to, ErrExists)
	}
	err = renameBetween(source, target)
	if errors.Is(err, errors.ErrUnsupported) {
		err = moveByPath(root, from, to)
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("move %s to %s: %w", from, to, err)
	}
	// The new name is synced first: after a power cut the file has at least one name.
	return errors.Join(syncDirectory(target.dir, "."), syncDirectory(source.dir, "."))
}

// moveByPath renames a file or directory if nothing exists at to; otherwise the error is ErrExists.
// It is for systems that cannot rename between two open directories without replacing a file. The
// directory of to must exist.
func moveByPath(root *os.Root, from, to string) error {
	source, err := Resolve(root, path.Dir(from))
	if err != nil {
		return err
	}
	target, err := newTarget(root, to)
	if err != nil {
		return err
	}
	return moveNew(root, path.Join(source, path.Base(from)), target)
}

// RemoveDirectory removes an empty directory. It returns nil for a missing one. It fails for a file
// that is not a directory, and for a directory with entries. The error is an *OwnershipError if the
// guard refuses the path. The removal survives a power cut only after SyncDirectory of the parent.
func (g *Guard) RemoveDirectory(root *os.Root, relPath string) error {
	return g.removeIn(root, relPath, func(dir *os.Root, name string) error {
		if err := removeDirectory(dir, name); ignoreMissing(err) != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
		return nil
	})
}
