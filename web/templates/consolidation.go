package templates

import (
	"time"

	"memoir/web/templates/ui"
)

// ConsolidationStep is the view of one step, which is applied and undone as a whole.
type ConsolidationStep struct {
	ID, Kind, Title, Reason string
	ByModel                 bool
	State                   string
	Problem                 string
	At                      time.Time // when it was applied or undone
	Undo                    *ui.Action
}

var stepKinds = map[string]string{"merge": "merge", "update": "update", "delete": "delete", "reindex": "index"}

var stepTones = map[string]ui.Tone{"merge": ui.Quiet, "update": ui.Quiet, "delete": ui.Danger, "reindex": ui.Quiet}

var stepStates = map[string]string{
	"chosen": "being applied", "applied": "applied", "refused": "not applied", "undoing": "being undone", "undone": "undone",
}
