//go:build !unix

package files

import (
	"io/fs"
	"os"
	"path"
	"syscall"
)

func removeDirectory(root *os.Root, parent, name string) error {
	at := path.Join(parent, name)
	info, err := root.Lstat(at)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "rmdir", Path: at, Err: syscall.ENOTDIR}
	}
	return root.Remove(at)
}
