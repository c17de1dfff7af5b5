package consolidation

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Store is the database of a Consolidator. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.AllMemories
	records.Disagreements
	records.Logs
	records.Verifications
	records.Plans
	records.Jobs

	WithConsolidation(ctx context.Context, agentID int64, do func() error) error
	LookAtConsolidation(ctx context.Context, agentID int64, at, unlessAfter time.Time) (bool, error)
	SaveConsolidation(ctx context.Context, agentID int64, c records.Plan) error
	DiscardConsolidation(ctx context.Context, agentID int64) error
	ChooseSteps(ctx context.Context, agentID int64, ids []uuid.UUID, actor memories.Actor) error
	SaveStep(ctx context.Context, step records.Step) error
}
