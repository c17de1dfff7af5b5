package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameBetween renames a file from one open directory to another without replacing a file. The
// error matches fs.ErrExist if the new name exists, and errors.ErrUnsupported if the file system
// cannot do that in one step.
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
	err = unix.Renameat2(int(source.Fd()), from.name, int(target.Fd()), to.name, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from.name, New: to.name, Err: err}
	}
	return nil
}
