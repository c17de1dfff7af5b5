//go:build !linux

package files

import (
	"errors"
	"os"
)

// renameNew returns errors.ErrUnsupported.
func renameNew(*os.Root, string, string) error { return errors.ErrUnsupported }

// renameBetween returns errors.ErrUnsupported.
func renameBetween(from, to openedDir) error { return errors.ErrUnsupported }
