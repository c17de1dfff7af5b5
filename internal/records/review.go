package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// ReviewDecision is what a person decided about an item of the review.
type ReviewDecision struct {
	Item     string // the item's id
	Kind     string
	Decision string // as the API spells it
	At       time.Time
	By       memories.Actor
	// Until is the end of a decision that only holds for a time. The zero time means for good.
	Until time.Time
}

// Holds reports whether the decision holds at a time.
func (d ReviewDecision) Holds(at time.Time) bool { return d.Until.IsZero() || at.Before(d.Until) }

// The decisions about quarantined memories that a scan obeys.
const DecisionAllow = "allow" // agents may receive the content

// TextToExamine is the content of a memory, with its current problems.
type TextToExamine struct {
	ID                      uuid.UUID
	Name, Description, Body string
	Fingerprint             memories.Fingerprint
	Problems                []memories.Problem
}
