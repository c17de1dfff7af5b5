package sync

import (
	"os"

	"golang.org/x/sys/unix"
)

// fewNames is the size of a directory, in bytes, up to which it is listed to find its indexes: one block, which is read at once.
const fewNames = 4 << 10

// indexNames returns the names of the indexes in an opened directory. One of many files is asked for each of the spellings: to list
// a thousand takes 0.6 ms. Where such a question takes the way over a network, it is listed too.
func indexNames(dir *os.File, spellings []string) ([]string, error) {
	info, err := dir.Stat()
	if err != nil {
		return nil, err
	}
	var system unix.Statfs_t
	if info.Size() <= fewNames || unix.Fstatfs(int(dir.Fd()), &system) != nil || eventlessTypes[int64(system.Type)] {
		return listedIndexNames(dir)
	}
	var found []string
	for _, name := range spellings {
		var stat unix.Stat_t
		switch err := unix.Fstatat(int(dir.Fd()), name, &stat, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			found = append(found, name)
		case unix.ENOENT:
		default:
			return listedIndexNames(dir) // which may be allowed where this is not
		}
	}
	if len(found) > 1 { // they may be one, to a file system that does not tell letter case apart
		return listedIndexNames(dir)
	}
	return found, nil
}
