//go:build !linux

package sync

import "os"

// indexNames returns the names of the indexes in an opened directory.
func indexNames(dir *os.File) ([]string, error) { return listedIndexNames(dir) }
