//go:build !linux

package pgtest

// memoryDisk returns "", so that the server's files are in the system's directory of temporary
// files.
func memoryDisk() string { return "" }
