package agents

import (
	"errors"
	"fmt"
	"io/fs"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// Problems of entries. Nothing may change them, because all entries share them.
var (
	notRegular       = problem(memories.CodeNotRegular, "This is not a regular file, so it was not read. Replace it with a plain text file.")
	linkLeaves       = problem(memories.CodeLinkLeaves, "This link leads out of the agent's directory, so it is not followed. Copy what it leads to to this place.")
	linkOwner        = problem(memories.CodeLinkOwner, memories.ProblemOf(memories.CodeLinkOwner).Message)
	linkBroken       = problem(memories.CodeLinkBroken, "This link leads to nothing, or in a circle. Remove it, or put back what it led to.")
	linkNested       = problem(memories.CodeLinkNested, "This link is inside a directory that was itself reached by a link, so it is not followed. Let one link lead straight to the place.")
	fileTooDeep      = problem(memories.CodeTooDeep, fmt.Sprintf("This file is more than %d levels deep in the memory directory, so it was not read. Move it up.", MaxDepth))
	directoryTooDeep = problem(memories.CodeTooDeep, fmt.Sprintf("This directory is more than %d levels deep in the memory directory, so nothing in it was read. Move its memory files up.", MaxDepth))
	nameNotUTF8      = problem(memories.CodeFileNameNotUTF8, "The name is not valid UTF-8, so this was not read. Rename it.")
	notMarkdown      = problem(memories.CodeNotMarkdown, memories.ProblemOf(memories.CodeNotMarkdown).Message)
)

func problem(code, message string) *memories.Problem {
	return &memories.Problem{Code: code, Message: message}
}

// openToAll returns the problem of a directory that is not written because all users may write to
// dir.
func openToAll(dir string) *memories.Problem {
	return problem(memories.CodeOpenToAll, fmt.Sprintf("All users may write to %s, so Memoir changes nothing here. Remove that permission (chmod o-w).", dir))
}

func unreadable(err error) *memories.Problem {
	return problem(memories.CodeUnreadable, fmt.Sprintf("This could not be looked at (%s). Check its permissions.", reason(err)))
}

func linkProblem(err error) *memories.Problem {
	switch {
	case files.IsOwnership(err):
		return linkOwner
	case errors.Is(err, files.ErrLeaves):
		return linkLeaves
	case errors.Is(err, files.ErrLoop), isGone(err):
		return linkBroken
	}
	return unreadable(err)
}

// reason returns the text of an error without the path, which the page already shows.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
