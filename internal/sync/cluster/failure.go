package cluster

import (
	"context"
	"errors"

	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// failure is an error on its way from one server to another: which it is of those that callers tell apart, and what it says.
// On the server where it arose it also is that error itself.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
	Name    string `json:"name,omitempty"`
	ID      string `json:"id,omitempty"`

	cause error
}

// The kinds of a failure that have more to them than a sentinel.
const (
	failedConflict  = "conflict"
	failedNameTaken = "name_taken"
	failedInvalid   = "invalid"
	failedOtherwise = "internal"
)

// sentinels are the errors that are known by what they are. One that wraps another stands before it. That a change was cut off
// from its database (memories.ErrInterrupted) is not among them: whoever has asked for it says so, when it is told that the
// database was away.
var sentinels = []struct {
	kind string
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

// failureOf makes an error fit to be sent; nil stays nil.
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

func FailuresOf(errs []error) []*Failure {
	failures := make([]*Failure, len(errs))
	for i, err := range errs {
		failures[i] = failureOf(err)
	}
	return failures
}

// err is the error that it stands for: the very one on the server where it arose, one of the same kind on any other.
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
