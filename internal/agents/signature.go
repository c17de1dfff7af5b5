package agents

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
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
	text := make([]byte, 0, 256)
	text = append(text, e.Path...)
	text = append(text, 0)
	text = append(text, problemCode(e)...)
	text = append(text, 0)
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
