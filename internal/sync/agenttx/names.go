package agenttx

import (
	"memoir/internal/agents"
	"memoir/internal/memories"
)

// errMisnamed returns the conflict for a change to a file whose name on disk cannot be stored; nil for any other file.
func (tx *Tx) MisnamedError(relPath string) error {
	if tx.Root == nil || !agents.IsMisnamed(tx.Root, relPath) {
		return nil
	}
	return &memories.ConflictError{Reason: "The name of " + relPath + " on disk is not valid UTF-8. Nothing was changed. Rename the file, or remove it by hand."}
}
