//go:build !linux

package lockfile

import "time"

// startOf returns false: the start time is unknown on this system.
func startOf(int) (time.Time, bool) { return time.Time{}, false }
