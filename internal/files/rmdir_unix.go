//go:build unix

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// removeDirectory removes an empty directory and nothing else. Root.Remove would also remove a
// file.
func removeDirectory(root *os.Root, name string) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Unlinkat(int(dir.Fd()), name, unix.AT_REMOVEDIR); err != nil {
		return &os.PathError{Op: "rmdir", Path: name, Err: err}
	}
	return nil
}
