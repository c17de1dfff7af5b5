package files

import (
	"io/fs"
	"os/user"
	"strconv"
)

// OwnerName returns the name of a file's owner, or the user ID if the user has no name. On a system
// without owners it returns "".
func OwnerName(info fs.FileInfo) string {
	uid, _ := owner(info)
	if uid < 0 {
		return ""
	}
	id := strconv.Itoa(uid)
	found, err := user.LookupId(id)
	if err != nil {
		return id
	}
	return found.Username
}
