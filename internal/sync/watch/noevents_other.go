//go:build !linux

package watch

// SendsNoEvents always returns false, because Memoir determines this on Linux only. Full scans find
// the changes.
func SendsNoEvents(string) bool { return false }
