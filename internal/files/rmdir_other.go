//go:build !unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

func removeDirectory(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "rmdir", Path: name, Err: syscall.ENOTDIR}
	}
	return root.Remove(name)
}
