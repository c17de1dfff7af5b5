package agents

import (
	"io/fs"
	"syscall"
	"time"
)

// Identity returns the time of a file's last change of content or metadata, its inode number and
// its device. Together they distinguish a file from another one at the same path. All are zero if
// unknown.
func Identity(info fs.FileInfo) (change time.Time, inode, device uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, 0, 0
	}
	return time.Unix(st.Ctimespec.Sec, st.Ctimespec.Nsec), st.Ino, uint64(st.Dev)
}
