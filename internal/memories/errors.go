package memories

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Errors of requests. Package problem has the status and the sentence of each.
var (
	// ErrNotFound means that the agent, memory or blocked content does not exist.
	ErrNotFound = errors.New("not found")
	// ErrChanged means that the memory has changed since the caller read it.
	ErrChanged = errors.New("the memory has changed since it was read")

	// ErrUnavailable means that the database cannot be reached. Nothing was done, and the caller
	// may try again.
	ErrUnavailable = errors.New("the database cannot be reached")
	// ErrInterrupted means that the connection to the database, or to the server that holds the
	// agent's lease, was lost during a change. The change may have been made, or may be made later.
	// Every such error is an ErrUnavailable too.
	ErrInterrupted = errors.New("connection lost during the change")
	// ErrNotHolder means that another server holds the agent's lease. Nothing was done here.
	ErrNotHolder = fmt.Errorf("another server holds the agent's lease: %w", ErrUnavailable)
	// ErrStopping means that a scan was stopped, or not started, because the server is being
	// stopped. What it recorded is kept, and the next start continues.
	ErrStopping = errors.New("server is stopping")
	// ErrOutOfFiles means that a scan failed because the process cannot open another file.
	ErrOutOfFiles = errors.New("too many open files")
)

// Errors of an operation on an agent's file, apart from conflicts. Each wraps the error that the
// file system has for it.
var (
	// ErrNoFile means that there is nothing at the path, or nothing that an agent may reach.
	ErrNoFile = fmt.Errorf("no such file in the memory directory: %w", fs.ErrNotExist)
	// ErrIsDirectory means that there is a directory at the path, not a file.
	ErrIsDirectory = fmt.Errorf("path is a directory: %w", syscall.EISDIR)
	// ErrFileExists means that there is something at the path already.
	ErrFileExists = fmt.Errorf("path exists already: %w", fs.ErrExist)
	// ErrInvalidPath means that nothing can be made at the path, because it leads out of the memory
	// directory, or through a file.
	ErrInvalidPath = fmt.Errorf("invalid path in the memory directory: %w", fs.ErrInvalid)
)

// ConflictError means that the files on disk, or other memories, do not allow a request. Nothing
// was done.
type ConflictError struct{ Reason string }

func (e *ConflictError) Error() string { return e.Reason }

// NameTakenError is the conflict that another memory has the requested name. Nothing was done.
type NameTakenError struct{ Name, ID string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("There is a memory named %q already. Nothing was changed. Choose another name, or delete that one first.", e.Name)
}

// Unwrap returns the conflict, for callers that do not need the other memory.
func (e *NameTakenError) Unwrap() error { return &ConflictError{e.Error()} }

// InvalidError means that a field of a request is not valid.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }
