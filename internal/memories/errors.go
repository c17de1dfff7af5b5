package memories

import (
	"errors"
	"fmt"
)

// Errors of requests about memories. One table maps them to a status.
var (
	// ErrNotFound means that the agent, memory or blocked content does not exist.
	ErrNotFound = errors.New("not found")
	// ErrChanged means that the memory has changed since the caller read it.
	ErrChanged = errors.New("the memory has changed since it was read")
)

// ConflictError means that the files or other memories do not allow a request. Nothing was changed.
type ConflictError struct{ Reason string }

func (e *ConflictError) Error() string { return e.Reason }

// NameTakenError means that another memory has the requested name. Nothing was changed.
type NameTakenError struct{ Name, ID string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("There is a memory named %q already. Nothing was changed. Choose another name, or delete that one first.", e.Name)
}

// Unwrap returns the error as a *ConflictError.
func (e *NameTakenError) Unwrap() error { return &ConflictError{e.Error()} }

// InvalidError means that a field of a request has an invalid value.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

// ErrUnavailable means that the database cannot be reached. Nothing was changed, and the caller may
// retry.
var ErrUnavailable = errors.New("the database cannot be reached")

// ErrInterrupted means that a connection was lost during a change: to the database, or to the
// server that holds the agent's lease. The change may have been made, or may be made later. For
// every such error, errors.Is also reports ErrUnavailable.
var ErrInterrupted = errors.New("connection lost during the change")
