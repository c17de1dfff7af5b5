package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Verification is what came of looking in an agent's project for what a memory cites.
type Verification struct {
	CheckedAt time.Time
	Project   string // the directory that was looked into, absolute
	Citations []memories.CheckedCitation
}

// DoubtfulMemory is a memory with dead references.
type DoubtfulMemory struct {
	ID          string
	Name        string
	Type        memories.Type // empty: it has none
	Description string
	ModifiedAt  time.Time // what its age counts from
	Verification
}

// UnverifiedMemory is a memory whose references are to be checked.
type UnverifiedMemory struct {
	ID         uuid.UUID
	RevisionID uuid.UUID
	Body       string
	Before     []memories.CheckedCitation // what came of the last check, of whatever it said then
}

// VerifiedMemory has the results of checking the references of one memory.
type VerifiedMemory struct {
	ID         uuid.UUID
	RevisionID uuid.UUID // what it said
	Citations  []memories.CheckedCitation
}

// MaxUnverified is how many memories one reading gives.
const MaxUnverified = 2000
