package verification

import (
	"context"
	"time"

	"memoir/internal/records"
)

// Store is the database of a Checker. *postgres.Store implements and documents it.
type Store interface {
	records.Agents

	NamesOf(ctx context.Context, agent records.Agent, each func(name, path string)) error
	Unverified(ctx context.Context, agent records.Agent, project, id string, since time.Time, each func(records.UnverifiedMemory) bool) error
	VerifiedAgents(ctx context.Context) ([]int64, error)

	SaveVerifications(ctx context.Context, agent records.Agent, project string, at time.Time, verified []records.VerifiedMemory) error
	ForgetVerifications(ctx context.Context, agentID int64) error
}
