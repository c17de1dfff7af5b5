//go:build unix

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// removeDirectory removes an empty directory. It fails for a missing one, for one with entries, and
// for a file, which Root.Remove would remove.
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
