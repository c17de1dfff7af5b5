package mcp

import (
	"context"
	"time"

	"memoir/internal/records"
)

// Store is the database that the tools and resources read. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.Facts
	records.Verifications

	RunDetached(ctx context.Context, silence time.Duration, change func(context.Context) error) error
}
