//go:build !linux

package sync

import "os"

// indexNames returns the names of the indexes in an opened directory, whatever their spelling.
func indexNames(dir *os.File, _ []string) ([]string, error) { return listedIndexNames(dir) }
