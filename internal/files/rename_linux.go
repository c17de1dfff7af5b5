package files

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// renameNew renames a file without replacing another. Errors match fs.ErrExist if to exists, and
// errors.ErrUnsupported if the file system cannot do that in one step.
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

// renameBetween renames a file from one open directory to another without replacing a file. Errors
// match fs.ErrExist if the new name exists, and errors.ErrUnsupported if the file system cannot do
// that in one step.
func renameBetween(from, to openedDir) error {
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
