package local

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryLimit is the file with the limit of this process's control group, or "max" without a limit.
const memoryLimit = "/sys/fs/cgroup/memory.max"

// memory returns how many bytes of memory this process and its children may use in total. This is
// the machine's memory, or the limit of the container if that is lower. It returns 0 if the
// machine's memory is unknown.
func memory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	bytes := uint64(info.Totalram) * uint64(info.Unit)
	if text, err := os.ReadFile(memoryLimit); err == nil {
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil {
			bytes = min(bytes, limit)
		}
	}
	return bytes
}
