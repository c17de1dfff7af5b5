//go:build !linux && !darwin

package agents

import (
	"io/fs"
	"time"
)

// Identity returns zeros: on this system, only size and modification time show that a file changed.
func Identity(fs.FileInfo) (change time.Time, inode, device uint64) { return time.Time{}, 0, 0 }
