//go:build linux || darwin

package doctor

import "syscall"

// freeBytes returns the space that is free for the user on the file system of a path.
func freeBytes(path string) (free uint64, known bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, false
	}
	return st.Bavail * uint64(st.Bsize), true //nolint:gosec,unconvert // its type differs between systems
}
