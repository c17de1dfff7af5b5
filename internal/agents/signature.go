package agents

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"os"
	"time"
)

// partShift is the number of bits below a signature's part. Queries in db/queries use the same
// number.
const partShift = 56

// TimestampSlack is the age below which a change may be followed by another with the same time
// stamp. FAT has the coarsest time stamps of the usual file systems: 2 s.
const TimestampSlack = 2 * time.Second

// Signature returns a hash of the entry's path, problem, size, times and inode. An unchanged
// signature means an unchanged file; 1 of 7 × 10^16 changes is missed. Its upper 8 bits are the
// [Part] of the path.
//
// The database stores signatures: after a change of this function every file is read once more.
// XORs of many signatures are compared, so the hash must be a cryptographic one.
func (e Entry) Signature() int64 {
	text := []byte(e.Path + "\x00" + problemCode(e) + "\x00")
	for _, number := range [...]int64{e.Size, e.ModTime, e.ChangeTime, int64(e.Inode)} {
		text = binary.BigEndian.AppendUint64(text, uint64(number))
	}
	sum := sha256.Sum256(text)
	rest := binary.BigEndian.Uint64(sum[:]) & (1<<partShift - 1)
	return int64(uint64(crc32.ChecksumIEEE([]byte(e.Path)))<<partShift | rest)
}

// Part returns the part of a signature, a number that depends on the file's path alone. Agents'
// files are compared in 256 parts.
func Part(signature int64) uint8 { return uint8(uint64(signature) >> partShift) }

// Stamp identifies a version of a file or directory: a changed one has another stamp. The zero
// Stamp means that nothing exists there.
type Stamp struct {
	device, inode uint64
	size          int64
	modified      int64 // nanoseconds since 1970, as changed is
	changed       int64
}

// StampOf returns the stamp of a path, with links followed. It is the zero Stamp if the path does
// not exist or cannot be examined.
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

// source records the stamp of a path that is about to be read in d.sources, unless one is there
// already. It reports whether the path could be examined when that stamp was taken.
func (d *discovery) source(path string) bool {
	stamp, known := d.sources[path]
	if !known {
		stamp = StampOf(path)
		d.sources[path] = stamp
	}
	return stamp != (Stamp{})
}
