package cluster

import (
	"context"
	"errors"

	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// Failure is an error in a form that can be sent to another server as JSON. Err returns the error.
type Failure struct {
	Kind    string `json:"kind"`              // of a sentinel, or one of the kinds below
	Message string `json:"message,omitempty"` // text or reason of the error
	Field   string `json:"field,omitempty"`   // of an InvalidError
	Name    string `json:"name,omitempty"`    // of a NameTakenError
	ID      string `json:"id,omitempty"`      // of a NameTakenError

	cause error // the error itself; nil on another server
}

// The kinds of a Failure that is not a sentinel.
const (
	failedConflict  = "conflict"
	failedNameTaken = "name_taken"
	failedInvalid   = "invalid"
	failedOtherwise = "internal"
)

// sentinels are the errors that keep their identity on another server. An error that wraps another
// one precedes it. memories.ErrInterrupted is sent as ErrUnavailable; the caller of the change
// restores it.
var sentinels = []struct {
	kind string // of the Failure; sent between versions
	err  error
}{
	{"not_found", memories.ErrNotFound},
	{"changed", memories.ErrChanged},
	{"no_file", agenttx.ErrNoFile},
	{"is_directory", agenttx.ErrIsDirectory},
	{"file_exists", agenttx.ErrFileExists},
	{"no_place", agenttx.ErrInvalidPath},
	{"elsewhere", agenttx.ErrNotHolder},
	{"stopping", agenttx.ErrStopping},
	{"exhausted", agenttx.ErrOutOfFiles},
	{"unavailable", memories.ErrUnavailable},
	{"timeout", context.DeadlineExceeded},
	{"canceled", context.Canceled},
}

// failureOf returns the Failure for an error. It returns nil for nil.
func failureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := Failure{Kind: failedOtherwise, Message: err.Error(), cause: err}
	var taken *memories.NameTakenError
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &taken):
		f.Kind, f.Name, f.ID = failedNameTaken, taken.Name, taken.ID
	case errors.As(err, &conflict):
		f.Kind, f.Message = failedConflict, conflict.Reason
	case errors.As(err, &invalid):
		f.Kind, f.Field, f.Message = failedInvalid, invalid.Field, invalid.Reason
	default:
		for _, s := range sentinels {
			if errors.Is(err, s.err) {
				f.Kind = s.kind
				break
			}
		}
	}
	return &f
}

// FailuresOf returns a Failure for each error, in their order. A nil error has a nil Failure.
func FailuresOf(errs []error) []*Failure {
	failures := make([]*Failure, len(errs))
	for i, err := range errs {
		failures[i] = failureOf(err)
	}
	return failures
}

// Err returns the original error on the server where it occurred. On another server, it returns an
// error of the same kind: a sentinel without the message, or a typed error with its fields. An
// error of another kind keeps only its message. Err returns nil for a nil Failure.
func (f *Failure) Err() error {
	switch {
	case f == nil:
		return nil
	case f.cause != nil:
		return f.cause
	}
	switch f.Kind {
	case failedNameTaken:
		return &memories.NameTakenError{Name: f.Name, ID: f.ID}
	case failedConflict:
		return &memories.ConflictError{Reason: f.Message}
	case failedInvalid:
		return &memories.InvalidError{Field: f.Field, Reason: f.Message}
	}
	for _, s := range sentinels {
		if f.Kind == s.kind {
			return s.err
		}
	}
	return errors.New("lease holder: " + f.Message)
}
