package records

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// AskedAsPhrases reads the phrases as which memories are asked.
type AskedAsPhrases interface {
	AskedAs(ctx context.Context, id string) (memories.AskedAs, error)
}

// TextToAsk is a memory for which the model is to write phrases.
type TextToAsk struct {
	ID uuid.UUID
	memories.Content
	Fingerprint memories.Fingerprint
}

// Phrases are the model's for a content of a memory; empty if it found none.
type Phrases struct {
	MemoryID    uuid.UUID
	Fingerprint memories.Fingerprint
	Phrases     []string
}
