package local

import "strconv"

// Limits of Postgres' shared buffers, in MB. Lists and searches of 100,000 memories use about 400
// MB: with 128 MB, a search read 135 pages from the system, with 384 MB it read 15.
const (
	minBuffers = 128
	maxBuffers = 384
	// buffersDivisor is the ratio of all memory to buffers, between the limits. It is arbitrary.
	shareOfBuffers = 16
)

// sharedBuffers returns Postgres' setting for a machine with this much memory, in bytes.
func sharedBuffers(memory uint64) string {
	return strconv.FormatUint(min(max(memory/shareOfBuffers>>20, minBuffers), maxBuffers), 10) + "MB"
}
