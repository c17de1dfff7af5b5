package agents

import (
	"io/fs"
	"syscall"
	"time"
)

// Identity returns what tells a file from another in its place: the time of its last change of any kind, its inode number and
// the device it is on.
func Identity(info fs.FileInfo) (change time.Time, inode, device uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, 0, 0
	}
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), uint64(st.Ino), uint64(st.Dev)
}
