package sync

import (
	"errors"
	"fmt"
	"runtime/debug"

	"memoir/internal/files"
)

// errPanic means that Memoir itself has a fault, which one agent has met with. That ends what was being done with the agent, and nothing
// else: what is mirrored for all others must not depend on what one of them has on disk.
var errPanic = errors.New("internal error, see the server's log")

// panicError is the error of a panic while somebody worked on an agent.
func (e *Engine) panicError(slug string, cause any) error {
	e.log.Error("panic during work on an agent, will retry at the next scan",
		"agent", slug, "panic", cause, "stack", string(debug.Stack()))
	return errPanic
}

// Where this process may open no more files, or the system has none left, nothing is concluded from what could not be opened: neither that
// it is gone, nor that something is the matter with it. A scan at directories fails as a whole, and is tried again until it is done; a
// file that could not be read waits for a scan of its own.

// ErrOutOfFiles means that a look failed because nothing more could be opened.
var ErrOutOfFiles = errors.New("too many open files")

// outOfFiles is the failure of a scan that came of err, where that says that nothing more could be opened; nil for any other.
func outOfFiles(err error) error {
	if !files.IsExhausted(err) {
		return nil
	}
	return scanError(err)
}

// scanError says what could be done about it.
func scanError(exhausted error) error {
	return fmt.Errorf("%w (%w): raise the limit (ulimit -n)", ErrOutOfFiles, exhausted)
}
