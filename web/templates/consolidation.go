package templates

import (
	"fmt"
	"time"

	"memoir/internal/diff"
)

// Consolidation is an agent's Consolidation tab: what could be tidied up, and what was.
type Consolidation struct {
	Frame
	Agent    Agent
	Off      bool // nothing is tidied up, also when asked
	Auto     bool // a few steps are applied without being asked
	HasModel bool
	SwitchOn string // how to have a model asked where none is
	Gates    []ConsolidationGate
	Planning bool
	Applying bool
	Failed   string // why the last plan that was asked for came to nothing; empty: it did not
	Plan     *ConsolidationPlan
	Applied  []ConsolidationStep // newest first
}

// ConsolidationGate is something that has to hold before a plan is made without being asked.
type ConsolidationGate struct {
	Title string
	Open  bool
	Why   string
}

// ConsolidationPlan is what could be done.
type ConsolidationPlan struct {
	MadeAt      time.Time
	By          string
	Memories    int
	Model       string // that was asked; empty: none
	Tokens      int    // that asking took
	Note        string
	CharsBefore int // of CLAUDE.md
	CharsAfter  int // with all steps
	Steps       []ConsolidationStep
	Findings    []ConsolidationFinding
	Discard     Action
}

// ConsolidationFinding is what only a person can decide about.
type ConsolidationFinding struct {
	Name, Path, Text string // Path is the memory's page
}

// ConsolidationStep is one thing that can be done, and undone, as a whole.
type ConsolidationStep struct {
	ID, Kind, Title, Reason string
	ByModel                 bool
	State                   string
	Problem                 string
	CharsBefore, CharsAfter int
	Changes                 []ConsolidationChange
	At                      time.Time // when it was applied, or undone
	Undo                    *Action
}

// ConsolidationChange is what becomes of one memory, or of the index.
type ConsolidationChange struct {
	Name, Path string // Path is the memory's page; empty: it is the index
	Deleted    bool
	Said       string // what else than the text changes, for people
	Diff       diff.Diff
}

// FieldStep names a step by its id. It may be there many times.
const FieldStep = "step"

// ConsolidationPath returns the path of an agent's Consolidation tab, or of something below it: apply, discard, steps/{id}/undo.
func ConsolidationPath(slug string, rest ...string) string {
	return AgentPath(slug, append([]string{consolidationTab}, rest...)...)
}

func (v Consolidation) makePlan() Action {
	if v.Plan != nil {
		return Action{Label: "Make a new plan", Path: ConsolidationPath(v.Agent.Slug)}
	}
	return Action{Label: "Make a plan", Path: ConsolidationPath(v.Agent.Slug), Style: Primary}
}

// open are the steps of the plan that can still be applied.
func (p ConsolidationPlan) open() []ConsolidationStep {
	var open []ConsolidationStep
	for _, s := range p.Steps {
		if s.State == "proposed" {
			open = append(open, s)
		}
	}
	return open
}

// done are those that cannot.
func (p ConsolidationPlan) done() []ConsolidationStep {
	var done []ConsolidationStep
	for _, s := range p.Steps {
		if s.State != "proposed" {
			done = append(done, s)
		}
	}
	return done
}

func (s ConsolidationStep) anchor() string { return "step-" + s.ID }

// effect says what a step does to CLAUDE.md.
func (s ConsolidationStep) effect() string {
	switch less := s.CharsBefore - s.CharsAfter; {
	case less > 0:
		return fmt.Sprintf("CLAUDE.md: %s characters less", number(less))
	case less < 0:
		return fmt.Sprintf("CLAUDE.md: %s characters more", number(-less))
	}
	return "CLAUDE.md stays as long as it is"
}

var stepKinds = map[string]string{"merge": "merge", "update": "update", "delete": "delete", "reindex": "index"}

var stepTones = map[string]Tone{"merge": Quiet, "update": Quiet, "delete": Danger, "reindex": Quiet}

var stepStates = map[string]string{
	"chosen": "being applied", "applied": "applied", "refused": "not applied", "undoing": "being undone", "undone": "undone",
}
