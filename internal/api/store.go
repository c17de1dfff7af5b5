package api

import (
	"context"
	"time"

	"memoir/internal/extraction"
	"memoir/internal/records"
)

// Store is the database that the API reads. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.Facts
	records.Disagreements
	records.Activity
	records.Logs
	records.Recalls
	records.Verifications
	records.Jobs
	extraction.Store // for an Extractor without a model

	Ping(ctx context.Context) error
	RunDetached(ctx context.Context, silence time.Duration, change func(context.Context) error) error
}
