package local

import (
	"strconv"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// How many MB of the database Postgres keeps in its shared buffers, of which it takes only as much from the system as it has
// pages to keep. What 100,000 memories are listed and searched by is some 400 MB: with 128 MB a search reads 135 pages from the system, with
// 256 MB 66, with 384 MB 15; and where 1,000 sessions of 20 agents are mirrored from cold, all is listed after 23 s in place of 32, and
// found after 55 in place of 78.
const (
	leastBuffers = 128
	mostBuffers  = 384
	// shareOfBuffers is which part of all memory they are, between the two: it is a server on the side.
	shareOfBuffers = 16
)

// sharedBuffers returns how large they are to be, as Postgres' setting has it.
func sharedBuffers(memory uint64) string {
	return strconv.FormatUint(min(max(memory/shareOfBuffers>>20, leastBuffers), mostBuffers), 10) + "MB"
}

// memory returns the bytes that this process and its children may take: all that the machine has, or as many as their control group
// allows; 0 where nobody tells.
func memory() uint64 {
	bytes, err := memlimit.FromSystem()
	if err != nil {
		return 0
	}
	if allowed, err := memlimit.FromCgroup(); err == nil {
		bytes = min(bytes, allowed)
	}
	return bytes
}
