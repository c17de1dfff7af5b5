//go:build !linux

package pgtest

// memoryDisk is empty: the server's files are where temporary files are.
func memoryDisk() string { return "" }
