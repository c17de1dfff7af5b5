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
	SettledRecalls(ctx context.Context, agentID int64, session string, since time.Time) ([]uuid.UUID, error)
	Delivered(ctx context.Context, agentID int64, session string) (records.SessionDelivery, error)

	SaveRecall(ctx context.Context, r records.Recall) error
	Deliver(ctx context.Context, r records.Recall, choose func(records.SessionDelivery) ([]records.DeliveredMemory, error)) error
	Undeliver(ctx context.Context, recalls []records.Recall) error
	RefreshSession(ctx context.Context, agentID int64, session string, at time.Time) error
	DeleteOldRecalls(ctx context.Context, before time.Time) error
}
