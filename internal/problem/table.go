package problem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"memoir/internal/memories"
)

// Code is the kind of an error. It is sent between servers, so its values must not change.
type Code string

// The codes that other packages use. The table has more.
const (
	NotFound    Code = "not_found"
	Changed     Code = "changed"
	NameTaken   Code = "name_taken"
	Conflict    Code = "conflict"
	Invalid     Code = "invalid"
	Interrupted Code = "interrupted"
	Unavailable Code = "unavailable"
	Stopping    Code = "stopping"
	OutOfFiles  Code = "exhausted"
	Internal    Code = "internal"
)

// RetrySeconds is the retry time while the database is unavailable, in seconds: about the time of
// its restart.
const RetrySeconds = 2

// kind is a row of the table: the response and the log level for a kind of error.
type kind struct {
	code     Code
	is       error // the sentinel; nil if the error has a type with fields
	status   int
	sentence string     // cause and state; empty if the error has its own
	way      string     // the way out
	retry    int        // in seconds; 0 if a retry does not help
	level    slog.Level // for a status of 500 or more; others have LevelDebug
}

// table lists all kinds. The first row that matches an error applies.
var table = []kind{
	{code: NotFound, is: memories.ErrNotFound, status: http.StatusNotFound, sentence: "Agent, memory or item not found."},
	{code: Changed, is: memories.ErrChanged, status: http.StatusPreconditionFailed,
		sentence: "The memory has changed since you read it. Nothing was changed.", way: "Read it again and retry."},
	{code: NameTaken, status: http.StatusConflict},
	{code: Conflict, status: http.StatusConflict},
	{code: Invalid, status: http.StatusUnprocessableEntity},
	{code: "no_file", is: memories.ErrNoFile, status: http.StatusNotFound, sentence: "File not found in the memory directory."},
	{code: "is_directory", is: memories.ErrIsDirectory, status: http.StatusConflict, sentence: "The path is a directory. Nothing was changed."},
	{code: "file_exists", is: memories.ErrFileExists, status: http.StatusConflict, sentence: "The path exists already. Nothing was changed."},
	{code: "no_place", is: memories.ErrInvalidPath, status: http.StatusConflict, sentence: "The path leads out of the memory directory, or through a file. Nothing was changed."},
	{code: Interrupted, is: memories.ErrInterrupted, status: http.StatusServiceUnavailable,
		sentence: "Connection lost during the change. It may be complete, or complete later. Memories on disk are safe.",
		way:      "Check the result, then retry.", retry: RetrySeconds, level: slog.LevelWarn},
	{code: "elsewhere", is: memories.ErrNotHolder, status: http.StatusServiceUnavailable, sentence: noDatabase, way: tryAgain, retry: RetrySeconds, level: slog.LevelWarn},
	{code: Unavailable, is: memories.ErrUnavailable, status: http.StatusServiceUnavailable, sentence: noDatabase, way: tryAgain, retry: RetrySeconds, level: slog.LevelWarn},
	{code: "timeout", is: context.DeadlineExceeded, status: http.StatusServiceUnavailable, sentence: noDatabase, way: tryAgain, retry: RetrySeconds, level: slog.LevelWarn},
	{code: Stopping, is: memories.ErrStopping, status: http.StatusServiceUnavailable,
		sentence: "Memoir is stopping. Changes so far are kept.", way: "Try again when it is back.", retry: RetrySeconds, level: slog.LevelInfo},
	{code: OutOfFiles, is: memories.ErrOutOfFiles, status: http.StatusServiceUnavailable,
		sentence: "Memoir cannot open more files, so the scan is incomplete. Memories keep their last state.",
		way:      "Memoir scans again automatically. If this lasts, raise the limit of open files (ulimit -n).", retry: RetrySeconds, level: slog.LevelWarn},
	{code: "canceled", is: context.Canceled, status: http.StatusServiceUnavailable, sentence: "The client closed the request before the answer.", level: slog.LevelDebug},
	{code: Internal, status: http.StatusInternalServerError, sentence: "Internal error.", level: slog.LevelError},
}

const (
	noDatabase = "Database unavailable. Memories on disk are safe."
	tryAgain   = "Try again shortly."
)

// Failure is an error in a form that can be sent to another server. In the process that made it,
// Err returns the original error.
type Failure struct {
	Code    Code   `json:"kind"`
	Message string `json:"message,omitempty"` // the error's text, or the reason of Conflict or Invalid
	Field   string `json:"field,omitempty"`
	Name    string `json:"name,omitempty"`
	ID      string `json:"id,omitempty"`

	cause error
}

// Encode returns err as a failure that can be sent, or nil if err is nil. The first row of the
// table that matches err gives the code; without one, it is Internal. If err wraps a Problem that
// an error caused, Encode returns the failure of that error.
func Encode(err error) *Failure {
	if err == nil {
		return nil
	}
	f := Failure{Code: Internal, Message: err.Error(), cause: err}
	var known *Problem
	if errors.As(err, &known) && known.cause != nil {
		return Encode(known.cause)
	}
	for _, k := range table {
		if f.fill(k, err) {
			break
		}
	}
	return &f
}

// fill sets the code and fields of f and returns true if err is of kind k. Otherwise it changes
// nothing and returns false. Internal matches no error.
func (f *Failure) fill(k kind, err error) bool {
	var taken *memories.NameTakenError
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case k.is != nil && !errors.Is(err, k.is):
		return false
	case k.is != nil:
	case k.code == NameTaken && errors.As(err, &taken):
		f.Name, f.ID, f.Message = taken.Name, taken.ID, taken.Error()
	case k.code == Conflict && errors.As(err, &conflict):
		f.Message = conflict.Reason
	case k.code == Invalid && errors.As(err, &invalid):
		f.Field, f.Message = invalid.Field, invalid.Reason
	default:
		return false
	}
	f.Code = k.code
	return true
}

// Err returns the original error in the process that made f. In another process, it returns an
// error of the same kind with the same fields, for errors.Is and errors.As. For Internal, that is a
// plain error with the message. For Interrupted, it also wraps memories.ErrUnavailable. It returns
// nil if f is nil.
func (f *Failure) Err() error {
	switch {
	case f == nil:
		return nil
	case f.cause != nil:
		return f.cause
	}
	switch f.Code {
	case NameTaken:
		return &memories.NameTakenError{Name: f.Name, ID: f.ID}
	case Conflict:
		return &memories.ConflictError{Reason: f.Message}
	case Invalid:
		return &memories.InvalidError{Field: f.Field, Reason: f.Message}
	case Interrupted:
		return fmt.Errorf("%w: %w", memories.ErrInterrupted, memories.ErrUnavailable)
	}
	for _, k := range table {
		if k.code == f.Code && k.is != nil {
			return k.is
		}
	}
	return errors.New("lease holder: " + f.Message)
}

// Of returns the problem of err, which must not be nil, and does not log it. If err is or wraps a
// Problem, it returns that one itself, not a copy. For an error without a row in the table, Code is
// Internal, and the detail does not contain the error.
func Of(err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	f := Encode(err)
	for _, k := range table {
		if k.code != f.Code {
			continue
		}
		p := New(k.status, k.sentence)
		p.Code, p.Level, p.sentence, p.way, p.cause = k.code, k.level, k.sentence, k.way, err
		switch f.Code {
		case NameTaken, Conflict, Invalid:
			p.sentence = f.Message
		}
		if p.Field = f.Field; p.Field != "" {
			p.sentence = "Nothing was changed: " + f.Field + " " + f.Message + "."
			p.Errors = []Field{{Location: f.Field, Message: f.Message}}
		}
		if k.status < http.StatusInternalServerError {
			p.Level = slog.LevelDebug
		}
		if k.retry > 0 {
			p.RetryAfter(k.retry)
		}
		p.Detail = p.Advise(p.way)
		return p
	}
	panic("problem: the table has no row for " + string(f.Code))
}

// Advise returns the cause and state of the problem as text, followed by way instead of its own way
// out. An empty way adds nothing. It does not change p.
func (p *Problem) Advise(way string) string {
	if way == "" {
		return p.sentence
	}
	return p.sentence + " " + way
}

// Err returns the error for which Of made the problem, or p if New made it.
func (p *Problem) Err() error {
	if p.cause != nil {
		return p.cause
	}
	return p
}
