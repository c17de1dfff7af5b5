package examples

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// takeOwner gives dir and all in it to the owner of like: agents that run as somebody else must be able to write on.
func takeOwner(dir, like string) error {
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	if int(owner.Uid) == os.Geteuid() {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}
