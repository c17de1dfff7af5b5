//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

func owner(info fs.FileInfo) (uid, gid int) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -1
	}
	return int(st.Uid), int(st.Gid)
}

// linksOf returns the number of hard links to a file, or 1 if it is unknown.
func linksOf(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink) //nolint:unconvert // its type differs between systems
}
