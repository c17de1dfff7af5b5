//go:build !linux

package pgtest

// memoryDisk returns "": the server's files are in the directory of temporary files.
func memoryDisk() string { return "" }
