package sync

import (
	"errors"
	"runtime/debug"
)

// errFault says that Memoir itself has a fault, which one agent has met with. That ends what was being done with the agent, and nothing
// else: what is mirrored for all others must not depend on what one of them has on disk.
var errFault = errors.New("there is a fault in Memoir itself; the server's log says which")

// faulty is the error of a panic while somebody worked on an agent.
func (e *Engine) faulty(slug string, cause any) error {
	e.log.Error("there is a fault in Memoir itself; what was being done with the agent has ended, and is tried again at the next scan",
		"agent", slug, "panic", cause, "stack", string(debug.Stack()))
	return errFault
}
