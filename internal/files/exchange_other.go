//go:build !linux

package files

import (
	"errors"
	"os"
)

// swapNames always returns errors.ErrUnsupported. So a save between the check and the rename is
// lost.
func swapNames(*os.Root, string, string) error { return errors.ErrUnsupported }
