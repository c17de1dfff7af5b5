package agenttx

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"memoir/internal/files"
)

// ErrNoFile: there is nothing at the path, or nothing that an agent may reach.
var ErrNoFile = fmt.Errorf("no such file in the memory directory: %w", fs.ErrNotExist)

// ErrIsDirectory: what is at the path is a directory, not a file.
var ErrIsDirectory = fmt.Errorf("path is a directory: %w", syscall.EISDIR)

// ErrFileExists: something is at the path already.
var ErrFileExists = fmt.Errorf("path exists already: %w", fs.ErrExist)

// ErrInvalidPath: nothing can be made at the path, because it leads out of the memory directory, or through a file.
var ErrInvalidPath = fmt.Errorf("invalid path in the memory directory: %w", fs.ErrInvalid)

// ErrStopping means that a scan was given up, or not begun, because Memoir is being stopped. What it had taken in is kept, and the next start
// goes on.
var ErrStopping = errors.New("server is stopping")

// ErrOutOfFiles means that a look failed because nothing more could be opened.
var ErrOutOfFiles = errors.New("too many open files")

// outOfFiles is the failure of a scan that came of err, where that says that nothing more could be opened; nil for any other.
func OutOfFiles(err error) error {
	if !files.IsExhausted(err) {
		return nil
	}
	return ScanError(err)
}

// scanError says what could be done about it.
func ScanError(exhausted error) error {
	return fmt.Errorf("%w (%w): raise the limit (ulimit -n)", ErrOutOfFiles, exhausted)
}
