package sync

import (
	"errors"
	"fmt"
	"os"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

// errTooLarge says that a file is over what the caller takes.
var errTooLarge = errors.New("the file is too large")

// readProblem says in plain words why a file could not be read.
func readProblem(err error) *memories.Problem {
	code := memories.CodeUnreadable
	switch {
	case errors.Is(err, files.ErrLeaves):
		code = memories.CodeLinkLeaves
	case errors.Is(err, files.ErrNotRegular):
		code = memories.CodeNotRegular
	}
	problem := memories.ProblemOf(code)
	return &problem
}

// readAll returns the bytes of a file of at most max bytes, or errTooLarge.
func readAll(root *os.Root, path string, max int64) ([]byte, error) {
	raw, err := agents.ReadFile(root, path, max)
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > max {
		return nil, fmt.Errorf("%s: %w", path, errTooLarge)
	}
	return raw, nil
}
