package agents

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"os"
	"time"
)

// TimestampSlack is the age below which a change may be followed by another with the same time
// stamp. FAT has the coarsest time stamps of the usual file systems: 2 s.
const TimestampSlack = 2 * time.Second

// Signature returns a hash of the entry's path, problem, size, times and inode. An unchanged
// signature means an unchanged file; 1 of 2 × 10^19 changes is missed.
//
// The database stores signatures: after a change of this function every file is read once more.
func (e Entry) Signature() int64 {
	text := []byte(e.Path + "\x00" + problemCode(e) + "\x00")
	for _, number := range [...]int64{e.Size, e.ModTime, e.ChangeTime, int64(e.Inode)} {
		text = binary.BigEndian.AppendUint64(text, uint64(number))
	}
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:]))
}

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

// source records the stamp of a path that is about to be read in d.sources, unless it is there
// already, and reports whether the path exists.
func (d *discovery) source(path string) bool {
	stamp, known := d.sources[path]
	if !known {
		stamp = StampOf(path)
		d.sources[path] = stamp
	}
	return stamp != (Stamp{})
}
