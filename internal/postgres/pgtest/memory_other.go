//go:build !linux

package pgtest

// memoryDisk returns "", so that the server's files are in the directory of temporary files.
func memoryDisk() string { return "" }
