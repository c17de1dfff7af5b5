package pages

import (
	"context"
	"time"

	"memoir/internal/extraction"
	"memoir/internal/records"
)

// Store is the database of the pages. *postgres.Store implements and documents it.
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

	Attend(ctx context.Context, silence time.Duration, change func(context.Context) error) error
}
