package records

import (
	"crypto/sha256"

	"github.com/google/uuid"
)

// EmbeddingModel is a model that makes vectors of texts.
type EmbeddingModel struct {
	ID         int64
	Name       string
	Dimensions int
}

// TextHash identifies a text that was sent to an embedding model: its SHA-256.
type TextHash [sha256.Size]byte

// UnembeddedMemory is a memory whose vectors are missing or out of date.
type UnembeddedMemory struct {
	ID, RevisionID          uuid.UUID
	Name, Description, Body string // Body is cut
}

// EmbeddedMemory has the texts of a memory, in order. Without texts, it was not sent because of a
// secret.
type EmbeddedMemory struct {
	ID, RevisionID uuid.UUID
	Name           string
	Texts          []TextHash
}

// EmbeddingVersion changes with an agent's memories and with their vectors.
type EmbeddingVersion struct{ Memories, Vectors int64 }

// EmbeddingCounts counts an agent's memories.
type EmbeddingCounts struct {
	Memories int // that may be embedded
	Embedded int
	Withheld int // not sent because of a secret
}

// NearMemory is a memory whose meaning is near the meaning of a query.
type NearMemory struct {
	ID         uuid.UUID
	Similarity float64 // cosine of the angle between the vectors, at most 1
}

// NearMemories are the memories whose meaning is nearest to a query, nearest first. Mean and
// Deviation are those of the similarities of all compared memories.
type NearMemories struct {
	Memories        []NearMemory
	Mean, Deviation float64
	Compared        int
}
