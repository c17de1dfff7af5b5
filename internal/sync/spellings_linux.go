package sync

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// fewNames is the size of a directory, in bytes, up to which it is listed to find its indexes: to ask for each spelling takes
// about as long then. With 1,000 files in it a list takes three times as long (0.64 ms against 0.22), with 100,000 a hundred times.
const fewNames = 16 << 10

// indexSpellings are the names that an index may have.
var indexSpellings = spellingsOf(indexFile)

// indexNames returns the names of the indexes in an opened directory. One of thousands of files is asked for each of the names
// that an index may have. Where such a question takes the way over a network, it is listed too.
func indexNames(dir *os.File) ([]string, error) {
	info, err := dir.Stat()
	if err != nil {
		return nil, err
	}
	var system unix.Statfs_t
	if info.Size() <= fewNames || unix.Fstatfs(int(dir.Fd()), &system) != nil || eventlessTypes[int64(system.Type)] {
		return listedIndexNames(dir)
	}
	var found []string
	for _, name := range indexSpellings {
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

// spellingsOf returns a name of ASCII letters in each letter case.
func spellingsOf(name string) []string {
	all := []string{""}
	for _, letter := range strings.Split(name, "") {
		var longer []string
		for _, beginning := range all {
			longer = append(longer, beginning+strings.ToUpper(letter))
			if strings.ToLower(letter) != strings.ToUpper(letter) {
				longer = append(longer, beginning+strings.ToLower(letter))
			}
		}
		all = longer
	}
	return all
}
