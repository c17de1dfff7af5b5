package templates

import (
	"fmt"
	"slices"
	"time"

	"memoir/internal/diff"
)

// Consolidation is the view of an agent's Consolidation tab.
type Consolidation struct {
	Frame
	Agent    Agent
	Off      bool // consolidation is off, also on request
	Auto     bool // a few steps are applied automatically
	HasModel bool
	SwitchOn string // how to configure a model if there is no model
	Gates    []ConsolidationGate
	Planning bool
	Applying bool
	Failed   string // why the last requested plan failed; empty if it did not
	Plan     *ConsolidationPlan
	Applied  []ConsolidationStep // newest first
}

// ConsolidationGate is the view of one condition for an automatic plan.
type ConsolidationGate struct {
	Title string
	Open  bool
	Why   string
}

// ConsolidationPlan is the view of a plan.
type ConsolidationPlan struct {
	MadeAt      time.Time
	By          string
	Memories    int
	Model       string // empty if no model was used
	Tokens      int    // tokens that the model used
	Note        string
	CharsBefore int // of CLAUDE.md
	CharsAfter  int // of CLAUDE.md with all steps applied
	Steps       []ConsolidationStep
	Findings    []ConsolidationFinding
	Discard     Action
}

// ConsolidationFinding is the view of a problem that only a person can decide.
type ConsolidationFinding struct {
	Name, Path, Text string // Path is the memory's page
}

// ConsolidationStep is the view of one step, which is applied and undone as a whole.
type ConsolidationStep struct {
	ID, Kind, Title, Reason string
	ByModel                 bool
	State                   string
	Problem                 string
	CharsBefore, CharsAfter int
	Changes                 []ConsolidationChange
	At                      time.Time // when it was applied or undone
	Undo                    *Action
}

// ConsolidationChange is the view of one changed memory, or of the changed index.
type ConsolidationChange struct {
	Name, Path string // Path is the memory's page; empty for the index
	Deleted    bool
	Said       string // changes besides the text, for users
	Diff       diff.Diff
}

// FieldStep is a step's id. It can be repeated.
const FieldStep = "step"

// ConsolidationPath returns the path of an agent's Consolidation tab, or of an action below it that
// rest names: apply, discard, or steps, id, undo.
func ConsolidationPath(slug string, rest ...string) string {
	return AgentPath(slug, append([]string{consolidationTab}, rest...)...)
}

func (v Consolidation) makePlan() Action {
	if v.Plan != nil {
		return Action{Label: "Make a new plan", Path: ConsolidationPath(v.Agent.Slug)}
	}
	return Action{Label: "Make a plan", Path: ConsolidationPath(v.Agent.Slug), Style: Primary}
}

// open returns the steps whose state is proposed, which can still be applied.
func (p ConsolidationPlan) open() []ConsolidationStep {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s ConsolidationStep) bool { return s.State != "proposed" })
}

// done returns the steps whose state is not proposed. They are being applied, or have been applied,
// refused or undone.
func (p ConsolidationPlan) done() []ConsolidationStep {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s ConsolidationStep) bool { return s.State == "proposed" })
}

func (s ConsolidationStep) anchor() string { return "step-" + s.ID }

// effect returns in words how many characters longer or shorter the step makes CLAUDE.md, or that
// the length stays.
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
