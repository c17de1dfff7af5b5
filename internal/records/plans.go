package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Plan is a plan to consolidate an agent's memories.
type Plan struct {
	ID       uuid.UUID
	MadeAt   time.Time
	MadeBy   memories.Actor
	Closed   bool   // discarded or replaced
	Memories int    // number of memories examined
	Model    string // empty if none was used
	Note     string // result of the model call, for people
	// InputTokens and OutputTokens are those of the model call.
	InputTokens, OutputTokens int
	// CharsBefore and CharsAfter are the length of the whole CLAUDE.md, in Unicode characters, without
	// and with all steps.
	CharsBefore, CharsAfter int
	Findings                []PlanFinding
	Steps                   []Step // in order
}

// PlanFinding is a finding that only a person can decide about.
type PlanFinding struct {
	Memory string `json:"memory"` // its id; empty for the index
	Name   string `json:"name"`
	Text   string `json:"text"` // a sentence for people
}

// StepState is the state of a step.
type StepState string

// The states of a step.
const (
	StepProposed StepState = "proposed"
	StepChosen   StepState = "chosen" // in progress
	StepApplied  StepState = "applied"
	StepRefused  StepState = "refused" // its memories have changed
	StepUndoing  StepState = "undoing"
	StepUndone   StepState = "undone"
)

// Step is a part of a plan that is applied, and undone, as a whole.
type Step struct {
	ID     uuid.UUID
	PlanID uuid.UUID
	Place  int
	Kind   string // merge, update, delete, reindex
	Source string // found, by rules; or by the model
	Title  string // one line for people
	Reason string
	State  StepState
	// Problem is why it was not applied or undone.
	Problem                 string
	Changes                 []StepChange   // in order
	CharsBefore, CharsAfter int            // of CLAUDE.md, as of the plan, with this step alone
	Actor                   memories.Actor // who chose it; empty before that
	AppliedAt, UndoneAt     time.Time
}

// The kinds of a change.
const (
	ChangeWrite  = "write"
	ChangeDelete = "delete"
	ChangeIndex  = "index"
)

// StepChange is the change of one memory, or of the index, by a step. The database stores its JSON.
type StepChange struct {
	Op     string `json:"op"`
	Memory string `json:"memory,omitempty"` // its id
	// Name is of the memory; for an index it is the path, relative to the primary directory.
	Name string `json:"name"`
	// Seen is the ETag as of the plan; for an index the ETag of the repair.
	Seen   string    `json:"seen"`
	Before *StepText `json:"before"`
	After  *StepText `json:"after"` // nil: it is deleted
	Done   bool      `json:"done"`
	// Doing is committed before the change starts. After a crash, only then the change may have been
	// made.
	Doing bool `json:"doing,omitempty"`
}

// StepText is the text of a memory. For an index, only Body is set.
type StepText struct {
	Type        memories.Type `json:"type,omitempty"`
	Description string        `json:"description,omitempty"`
	Body        string        `json:"body"`
}

// ErrConsolidating means that the agent's consolidation lock is held, on this server or another.
var ErrConsolidating = &memories.ConflictError{Reason: "These memories are being consolidated. Nothing was changed. Try again when that is done."}

// SupersededMemory is a memory whose text an earlier revision of the memory By had.
type SupersededMemory struct {
	ID, By string // memories
	SaidAt time.Time
}
