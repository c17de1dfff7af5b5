package files

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// renameNew renames what is at from, and fails with what is fs.ErrExist where there is something at to already. It fails with
// errors.ErrUnsupported where the file system cannot tell in the same step.
func renameNew(root *os.Root, from, to string) error {
	source, err := root.Open(path.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := root.Open(path.Dir(to))
	if err != nil {
		return err
	}
	defer target.Close()
	return renameHandles(source, path.Base(from), target, path.Base(to))
}

// renameBetween is renameNew between directories that are open.
func renameBetween(from, to entered) error {
	source, err := from.dir.Open(".")
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := to.dir.Open(".")
	if err != nil {
		return err
	}
	defer target.Close()
	return renameHandles(source, from.name, target, to.name)
}

func renameHandles(source *os.File, from string, target *os.File, to string) error {
	err := unix.Renameat2(int(source.Fd()), from, int(target.Fd()), to, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
