package sync

import (
	"strings"
	"unicode"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

// flagName flags a file that has control characters in its path. The file is a memory all the same.
func (s *scannedFile) flagName() {
	if !s.file.Unreadable && strings.ContainsFunc(s.path, unicode.IsControl) {
		s.file.Problems = append(s.file.Problems, memories.ProblemOf(memories.CodeFileNameControl))
	}
}

// errMisnamed returns the conflict for a change to a file whose name on disk cannot be stored; nil for any other file.
func (h *hold) errMisnamed(relPath string) error {
	if h.root == nil || !agents.IsMisnamed(h.root, relPath) {
		return nil
	}
	return &memories.ConflictError{Reason: "The name of " + relPath + " on disk is not valid UTF-8. Nothing was changed. Rename the file, or remove it by hand."}
}
