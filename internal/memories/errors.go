package memories

import (
	"errors"
	"fmt"
)

// The ways in which a request about a memory can fail. Callers map them to a status in one table.
var (
	// ErrNotFound says that there is no such agent, memory, or blocked content.
	ErrNotFound = errors.New("not found")
	// ErrChanged says that the memory is not what the caller last saw of it.
	ErrChanged = errors.New("the memory has changed since it was read")
)

// ConflictError says that what is on disk or in the list stands against a request. Nothing has happened.
type ConflictError struct{ Reason string }

func (e *ConflictError) Error() string { return e.Reason }

// NameTakenError is the conflict that another memory lives under the wanted name. Nothing has happened.
type NameTakenError struct{ Name, ID string }

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("There is a memory named %q already. Nothing was changed. Choose another name, or delete that one first.", e.Name)
}

// Unwrap makes it a conflict like any other to whoever does not ask which memory it is.
func (e *NameTakenError) Unwrap() error { return &ConflictError{e.Error()} }

// InvalidError says that a field of a request cannot be taken as it is.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }
