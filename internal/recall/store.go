package recall

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// Store is the database of a Recaller. *postgres.Store implements and documents it.
type Store interface {
	records.RecallCandidates

	RecallByID(ctx context.Context, agentID int64, id string) (records.Recall, error)
	RecallsToHandOut(ctx context.Context, agentID int64, session string, since time.Time) ([]uuid.UUID, error)
	Given(ctx context.Context, agentID int64, session string) (records.Given, error)

	SaveRecall(ctx context.Context, r records.Recall) error
	HandOut(ctx context.Context, r records.Recall, choose func(records.Given) ([]records.DeliveredMemory, error)) error
	TakeBack(ctx context.Context, recalls []records.Recall) error
	Refresh(ctx context.Context, agentID int64, session string, at time.Time) error
	ForgetRecalls(ctx context.Context, before time.Time) error
}
