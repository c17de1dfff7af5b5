package sync

import (
	"errors"
	"fmt"

	"memoir/internal/files"
)

// Where this process may open no more files, or the system has none left, nothing is concluded from what could not be opened: neither that
// it is gone, nor that something is the matter with it. A look at directories fails as a whole, and is tried again until it is done; a
// file that could not be read waits for a look of its own.

// ErrExhausted says that a look failed because nothing more could be opened.
var ErrExhausted = errors.New("nothing more can be opened")

// exhaustion is the failure of a look that came of err, where that says that nothing more could be opened; nil for any other.
func exhaustion(err error) error {
	if !files.IsExhausted(err) {
		return nil
	}
	return lookFailed(err)
}

// lookFailed says what could be done about it.
func lookFailed(exhausted error) error {
	return fmt.Errorf("%w (%w); raise the number of files that may be open (ulimit -n)", ErrExhausted, exhausted)
}
