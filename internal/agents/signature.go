package agents

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"time"
)

// partShift leaves of a signature the 8 bits that tell which part it is in; the queries in db/queries shift by as much.
const partShift = 56

// TimestampSlack is how old a change must be for a later one to show in the time stamps. FAT has
// the coarsest clock of the file systems in use, with 2 s.
const TimestampSlack = 2 * time.Second

// Signature is a hash of the entry's path, of its problem, and of all that its metadata tells of its content: while it is the
// same, so is the file. The upper 8 bits are of the path alone, see [Part]. They leave 56 for the rest: of all changes of a
// file, one in 7 × 10^16 goes unseen.
//
// It is kept in the database from one version of Memoir to the next: one that computes it otherwise reads every file anew. The
// hash is a cryptographic one so that the exclusive or of many signatures tells as much as all of them.
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

// Part is the one of 256 parts of an agent's files that a signature is in. A file stays in its part whatever becomes of it.
func Part(signature int64) uint8 { return uint8(uint64(signature) >> partShift) }
