package files

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// swapNames exchanges two files of one directory in one step. The error is errors.ErrUnsupported if
// the file system cannot do that, and matches fs.ErrNotExist if one of them is missing.
func swapNames(root *os.Root, a, b string) error {
	dir, err := root.Open(path.Dir(a))
	if err != nil {
		return err
	}
	defer dir.Close()
	at := int(dir.Fd())
	err = unix.Renameat2(at, path.Base(a), at, path.Base(b), unix.RENAME_EXCHANGE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
