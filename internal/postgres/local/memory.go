package local

import "strconv"

// Postgres' shared buffers, in MB. It takes only as much from the system as it has pages to keep. Of 100,000
// memories, lists and searches use about 400 MB: with 128 MB a search read 135 pages from the system, with
// 384 MB it read 15.
const (
	minBuffers = 128
	maxBuffers = 384
	// shareOfBuffers is the part of all memory that the buffers are, between the two limits. It is arbitrary.
	shareOfBuffers = 16
)

// sharedBuffers returns Postgres' setting for a machine with that much memory, in bytes.
func sharedBuffers(memory uint64) string {
	return strconv.FormatUint(min(max(memory/shareOfBuffers>>20, minBuffers), maxBuffers), 10) + "MB"
}
