package pgtest

import "golang.org/x/sys/unix"

// sharedMemory is the directory of Linux's file system in memory.
const sharedMemory = "/dev/shm"

// minFree is the free space in bytes that sharedMemory must have. It is arbitrary: a database needs
// about 12 MB, and a test process uses few at the same time.
const minFree = 4 << 30

// memoryDisk returns /dev/shm, a file system in memory, for the server's files. It returns "" if
// that is no tmpfs, is not writable, or has less than 4 GiB free. Cloning a database writes
// hundreds of files: the tests of internal/api took 97 s on disk and 16 s in memory.
func memoryDisk() string {
	var fs unix.Statfs_t
	if unix.Statfs(sharedMemory, &fs) != nil || fs.Type != unix.TMPFS_MAGIC || fs.Bavail*uint64(fs.Bsize) < minFree || unix.Access(sharedMemory, unix.W_OK) != nil {
		return ""
	}
	return sharedMemory
}
