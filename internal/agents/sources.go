package agents

import (
	"io/fs"
	"os"
)

// Stamp identifies a version of a file or directory: a changed one has another stamp. The zero
// Stamp means that nothing exists there.
type Stamp struct {
	device, inode uint64
	size          int64
	modified      int64 // nanoseconds since 1970, as changed is
	changed       int64
}

// StampOf returns the stamp of a path, with links followed. It is zero if the path cannot be read.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return stampOf(info)
}

func stampOf(info fs.FileInfo) Stamp {
	changed, inode, device := Identity(info)
	return Stamp{device: device, inode: inode, size: info.Size(), modified: info.ModTime().UnixNano(), changed: changed.UnixNano()}
}

// source records the stamp of a path that is about to be read, and reports whether the path exists.
func (d *discovery) source(path string) bool {
	stamp, known := d.sources[path]
	if !known {
		stamp = StampOf(path)
		d.sources[path] = stamp
	}
	return stamp != (Stamp{})
}
