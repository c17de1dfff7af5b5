//go:build !linux

package sync

// sendsNoEvents cannot be told here; the regular scan makes good what no event tells.
func sendsNoEvents(string) bool { return false }
