//go:build !linux

package files

import (
	"errors"
	"os"
)

// renameNew is not to be had within opened directories.
func renameNew(*os.Root, string, string) error { return errors.ErrUnsupported }

// renameBetween is not to be had: the caller renames by path.
func renameBetween(from, to entered) error { return errors.ErrUnsupported }
