package lockfile

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ticksPerSecond is the unit of times in /proc: USER_HZ, which is 100 on all architectures of Go.
const ticksPerSecond = 100

// startOf returns when a process was started, accurate to about a second. It returns the zero time
// and false if this is unknown, for example because the process has ended.
func startOf(pid int) (time.Time, bool) {
	booted := bootTime()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil || booted.IsZero() {
		return time.Time{}, false
	}
	// The second field is the program's name in parentheses, which may contain spaces and
	// parentheses.
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	const start = 22 - 3 // field 22; the first one here is field 3
	if len(fields) <= start {
		return time.Time{}, false
	}
	ticks, err := strconv.ParseInt(string(fields[start]), 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	return booted.Add(time.Duration(ticks) * time.Second / ticksPerSecond), true
}

// bootTime returns when the system was started, to the second, or the zero time if this is unknown.
var bootTime = sync.OnceValue(func() time.Time {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(raw)) {
		if seconds, found := strings.CutPrefix(line, "btime "); found {
			at, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
			if err != nil {
				return time.Time{}
			}
			return time.Unix(at, 0)
		}
	}
	return time.Time{}
})
