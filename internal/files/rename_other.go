//go:build !linux

package files

import "errors"

// renameBetween always returns errors.ErrUnsupported.
func renameBetween(from, to openedDir) error { return errors.ErrUnsupported }
