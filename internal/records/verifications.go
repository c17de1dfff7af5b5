package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Verification is the result of checking a memory's citations in the agent's project.
type Verification struct {
	CheckedAt time.Time
	Project   string // the searched directory, absolute
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
	Before     []memories.CheckedCitation // results of the last check, maybe of another content
}

// VerifiedMemory contains the results of checking the citations of one memory.
type VerifiedMemory struct {
	ID         uuid.UUID
	RevisionID uuid.UUID // the checked content
	Citations  []memories.CheckedCitation
}

// MaxUnverified is the maximum number of memories per call.
const MaxUnverified = 2000
