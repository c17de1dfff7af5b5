//go:build !linux && !darwin

package agents

import (
	"io/fs"
	"time"
)

// Identity knows nothing on this system: size and modification time alone must tell a changed file.
func Identity(fs.FileInfo) (change time.Time, inode, device uint64) { return time.Time{}, 0, 0 }
