//go:build !linux

package files

import (
	"errors"
	"os"
)

// swapNames is not to be had within an opened directory: what is saved in the moment between look and rename is lost.
func swapNames(*os.Root, string, string) error { return errors.ErrUnsupported }
