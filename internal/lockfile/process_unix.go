//go:build unix

package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// runs reports whether there is a process of that id. One that may not be asked is one.
func runs(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// lockDirectory has the directory to itself among all Memoirs, until unlock. It waits: nobody has it for longer than it takes to read
// and write a file. A file system that knows no such locks leaves the protocol of the file alone.
func lockDirectory(root *os.Root, dir string) (unlock func(), err error) {
	handle, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) { // it comes with the lock
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
	return func() { _ = handle.Close() }, nil // which lets go of it, too
}
