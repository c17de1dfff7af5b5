package memories

import (
	"errors"
)

// ErrUnavailable means that the database cannot be reached. Nothing was done, and the caller may
// try again.
var ErrUnavailable = errors.New("the database cannot be reached")

// ErrInterrupted means that the connection to the database, or to the server that looks after the
// agent, was lost during a change. The change may have been made, or may be made later. Every such
// error is an ErrUnavailable too.
var ErrInterrupted = errors.New("connection lost during the change")
