package memories

import (
	"errors"
)

// ErrUnavailable means that the database cannot be reached. Nothing was changed, and the caller may
// retry.
var ErrUnavailable = errors.New("the database cannot be reached")

// ErrInterrupted means that a connection was lost during a change: to the database, or to the
// server that holds the agent's lease. The change may have been made, or may be made later. For
// every such error, errors.Is also reports ErrUnavailable.
var ErrInterrupted = errors.New("connection lost during the change")
