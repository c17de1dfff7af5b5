//go:build !linux

package files

import (
	"errors"
	"os"
)

// exchange is not to be had within an opened directory: what is saved in the moment between look and rename is lost.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
