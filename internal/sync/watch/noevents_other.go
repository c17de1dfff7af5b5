//go:build !linux

package watch

// SendsNoEvents returns false, because it cannot be determined on this system; full scans find the
// changes.
func SendsNoEvents(string) bool { return false }
