package files

import (
	"io/fs"
	"os/user"
	"strconv"
)

// OwnerName returns the name of the user who owns a file, or the number of that user where the system has no name for it. It is empty
// where files have no owner.
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
