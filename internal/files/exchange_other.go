//go:build !linux

package files

import (
	"errors"
	"os"
)

// swapNames returns errors.ErrUnsupported: this system has no such call for an opened directory. A save between the
// check and the rename is lost.
func swapNames(*os.Root, string, string) error { return errors.ErrUnsupported }
