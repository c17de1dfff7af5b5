package records

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
)

// ServerRequest is a call to the server that holds an agent's lease.
type ServerRequest struct {
	ID        uuid.UUID
	AgentID   int64
	Call      string
	Arguments []byte // JSON
	Actor     memories.Actor
	Action    Action
}
