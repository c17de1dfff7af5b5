//go:build unix

package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// runs reports whether a process with this id exists.
func runs(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// lockDirectory waits without limit for an exclusive lock of the directory among all Memoirs. If
// the directory is missing, it locks root. The caller must call unlock. On a file system without
// flock, it locks nothing and returns no error. It returns an error if the directory cannot be
// opened.
func lockDirectory(root *os.Root, dir string) (unlock func(), err error) {
	handle, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) { // the directory is created with the lock
		handle, err = root.Open(".")
	}
	if err != nil {
		return nil, fmt.Errorf("open %s to lock it: %w", dir, err)
	}
	for {
		err = syscall.Flock(int(handle.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	return func() { _ = handle.Close() }, nil // closing the file releases the lock
}
