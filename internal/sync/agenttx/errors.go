package agenttx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

var (
	// ErrTooLarge means that a file has more bytes than the caller accepts.
	ErrTooLarge = errors.New("file too large")

	// ErrPanic means that the work on an agent panicked. It ends only that work, because the
	// mirroring of other agents must not depend on this agent's files.
	ErrPanic = errors.New("internal error, see the server's log")
)

// OutOfFiles returns an error that wraps memories.ErrOutOfFiles and err, and names the remedy, if
// err means that too many files are open. It returns nil for any other err.
func OutOfFiles(err error) error {
	if !files.IsExhausted(err) {
		return nil
	}
	return fmt.Errorf("%w (%w): raise the limit (ulimit -n)", memories.ErrOutOfFiles, err)
}

// FSCause returns the cause in an fs.PathError or os.LinkError, without its operation and path, for
// messages that name these themselves. It returns any other err as it is.
func FSCause(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	var moved *os.LinkError
	if errors.As(err, &moved) {
		return moved.Err
	}
	return err
}

// IsNotFound reports whether err means that nothing exists at a path. This includes a parent that
// is a file, and a name that is too long or invalid. It reports false if the path just cannot be
// read.
func IsNotFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}

// IsDiskError reports whether err wraps a syscall.Errno. It is false for memories.ErrUnavailable,
// which is an error of the connection to the database.
func IsDiskError(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && !errors.Is(err, memories.ErrUnavailable)
}

// MissingError returns the *memories.ConflictError for a change that needs Root while Root is nil.
// It is ClosedError if the directory exists. Otherwise the reason is that the directory is missing.
func (tx *Tx) MissingError() error {
	if tx.Closed != nil {
		return tx.ClosedError()
	}
	return &memories.ConflictError{Reason: "Directory " + tx.Agent.Dir + " not found. Nothing was changed. Restore it and try again."}
}

// ClosedError returns the *memories.ConflictError for a change that needs Root while Closed is set.
// Its reason contains the cause and the remedy.
func (tx *Tx) ClosedError() error {
	var joined *joinedError
	if errors.As(tx.Closed, &joined) {
		return &memories.ConflictError{Reason: joined.Error() + " Nothing was changed. Use that agent."}
	}
	if files.IsOwnership(tx.Closed) {
		return OwnershipConflict(tx.Closed)
	}
	remedy := "Give Memoir's user read access"
	if files.IsExhausted(tx.Closed) {
		remedy = "Raise the limit of open files (ulimit -n)"
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("Directory %s cannot be opened (%v). Nothing was changed. %s and try again.", tx.Agent.Dir, FSCause(tx.Closed), remedy)}
}

// joinedError means that the agent's directory is a link to another agent's.
type joinedError struct{ slug, to string }

func (e *joinedError) Error() string {
	return fmt.Sprintf("Agent %s is joined to %s: its directory is a link.", e.slug, e.to)
}

// MisnamedError returns a *memories.ConflictError if the name of the file on disk is not valid
// UTF-8, and so cannot be stored. relPath is its path by agents.SafePath. It returns nil for any
// other file, and if Root is nil.
func (tx *Tx) MisnamedError(relPath string) error {
	if tx.Root == nil || !agents.IsMisnamed(tx.Root, relPath) {
		return nil
	}
	return &memories.ConflictError{Reason: "The name of " + relPath + " is not valid UTF-8. Nothing was changed. Rename or remove the file on disk."}
}

// ChangedOnDisk returns the *memories.ConflictError for a file that has changed since the caller
// read it.
func ChangedOnDisk(path string) error {
	return &memories.ConflictError{Reason: path + " has changed on disk. Nothing was saved. Check the new version and save again."}
}

// WriteConflict returns the error of an operation that could not write the file at path because of
// err, which is not nil. It is a *memories.ConflictError if a person can solve the problem or the
// caller may retry. Any other err is wrapped. After syscall.EIO the file may have the old or the
// new bytes.
func WriteConflict(path string, err error) error {
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &conflict):
		return err
	case files.IsOwnership(err):
		return OwnershipConflict(err)
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrExists), errors.Is(err, fs.ErrNotExist):
		return ChangedOnDisk(path)
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, syscall.ENOTDIR), errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrOwner), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed. Make it writable and try again.", path, FSCause(err))}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be written (%v). Nothing was changed. Free disk space and try again.", path, FSCause(err))}
	case errors.Is(err, syscall.EIO):
		return &memories.ConflictError{Reason: fmt.Sprintf("Disk error while writing %s (%v). The file has the old or the new content. Check it and try again.", path, FSCause(err))}
	}
	return fmt.Errorf("write %s: %w", path, err)
}
