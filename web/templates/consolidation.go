package templates

import "time"

// ConsolidationStep is the view of one step, which is applied and undone as a whole.
type ConsolidationStep struct {
	ID, Kind, Title, Reason string
	ByModel                 bool
	State                   string
	Problem                 string
	At                      time.Time // when it was applied or undone
	Undo                    *Action
}

var stepKinds = map[string]string{"merge": "merge", "update": "update", "delete": "delete", "reindex": "index"}

var stepTones = map[string]Tone{"merge": Quiet, "update": Quiet, "delete": Danger, "reindex": Quiet}

var stepStates = map[string]string{
	"chosen": "being applied", "applied": "applied", "refused": "not applied", "undoing": "being undone", "undone": "undone",
}
