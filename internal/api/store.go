package api

import (
	"context"
	"time"

	"memoir/internal/extraction"
	"memoir/internal/records"
)

// Store is the database of the API. *postgres.Store implements it and documents the methods.
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
	extraction.Store // for extraction.Idle

	Ping(ctx context.Context) error
	RunDetached(ctx context.Context, timeout time.Duration, change func(context.Context) error) error
}
