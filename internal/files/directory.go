package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// syncDirectory makes the names in a directory durable.
func syncDirectory(root *os.Root, dir string) error {
	handle, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	err = handle.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network file systems cannot, and need not: they keep names in order themselves
	}
	return err
}

// makeDirectories makes a directory and what is missing above it, each with owner, group and mode of its parent.
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
			return nil // somebody else was faster
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
	return likeParent(info, info.Mode()).apply(handle)
}
