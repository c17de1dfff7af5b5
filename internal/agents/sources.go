package agents

import (
	"io/fs"
	"os"
)

// Stamp tells a file or directory from what it was before any change. The zero stamp is that of what is not there.
type Stamp struct {
	device, inode uint64
	size          int64
	modified      int64 // nanoseconds since 1970, as is the next
	changed       int64
}

// StampOf returns the stamp of what stands at a path, links followed.
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

// source notes what is about to be read, and says whether there is something.
func (d *discovery) source(path string) bool {
	stamp, known := d.sources[path]
	if !known {
		stamp = StampOf(path)
		d.sources[path] = stamp
	}
	return stamp != (Stamp{})
}
