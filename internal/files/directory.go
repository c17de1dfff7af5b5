package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// SyncDirectory writes the names in a directory to disk, so that removals survive a power cut. It
// follows links. It returns nil for a missing directory, and for a file system that cannot sync
// directories.
func SyncDirectory(root *os.Root, relPath string) error {
	dir, err := Resolve(root, relPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncDirectory(root, dir)
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", relPath, err)
	}
	return nil
}

func syncDirectory(root *os.Root, dir string) error {
	handle, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	err = handle.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network file systems do not support this and order renames themselves
	}
	return err
}

// MakeRoot creates an absolute directory and its missing parents, each with owner, group and mode of
// its parent, and opens it as OpenRoot does. It fails with *OwnershipError if g does not allow to
// write in the nearest existing parent.
func (g *Guard) MakeRoot(dir string) (*os.Root, error) {
	existing, missing := dir, ""
	for {
		info, err := os.Stat(existing)
		switch {
		case err == nil && !info.IsDir():
			return nil, &fs.PathError{Op: "mkdir", Path: existing, Err: syscall.ENOTDIR}
		case err == nil:
			if missing == "" {
				return OpenRoot(dir)
			}
			return g.makeBelow(existing, missing)
		case !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing):
			return nil, err
		}
		existing, missing = filepath.Dir(existing), path.Join(filepath.Base(existing), missing)
	}
}

// makeBelow creates the directory missing, a path of several elements, in the directory existing,
// and opens it.
func (g *Guard) makeBelow(existing, missing string) (*os.Root, error) {
	root, err := OpenRoot(existing)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing is written through the handle itself
	first, _, _ := strings.Cut(missing, "/")
	if err := g.CheckRemoval(root, first); err != nil {
		return nil, err
	}
	if err := makeDirectories(root, missing); err != nil {
		return nil, err
	}
	return OpenRoot(filepath.Join(existing, missing))
}

// makeDirectories creates a directory and its missing parents, with owner, group and mode of the
// parent, and syncs each parent. It does nothing if dir is a directory. The error is
// syscall.ENOTDIR if something else is there.
func makeDirectories(root *os.Root, dir string) error {
	info, err := root.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := path.Dir(dir)
	if err := makeDirectories(root, parent); err != nil {
		return err
	}
	if err := makeDirectory(root, parent, dir); err != nil {
		return err
	}
	return syncDirectory(root, parent)
}

func makeDirectory(root *os.Root, parent, dir string) error {
	if err := root.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // created concurrently
		}
		return err
	}
	info, err := root.Stat(parent)
	if err != nil {
		return err
	}
	handle, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	return inheritFrom(info, info.Mode()).apply(handle)
}
