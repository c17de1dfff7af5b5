package agents

import (
	"errors"
	"fmt"
	"io/fs"

	"memoir/internal/files"
	"memoir/internal/memories"
)

func notRegular() *memories.Problem {
	return &memories.Problem{Code: memories.CodeNotRegular, Message: "This is not a regular file, so it was not read. Replace it with a plain text file."}
}

func linkLeaves() *memories.Problem {
	return &memories.Problem{Code: memories.CodeLinkLeaves, Message: "This link leads out of the agent's directory, so it is not followed. Copy what it leads to to this place."}
}

func linkOwner() *memories.Problem {
	problem := memories.ProblemOf(memories.CodeLinkOwner)
	return &problem
}

// openToAll returns the problem of a directory that is not written because all users may write to
// dir.
func openToAll(dir string) *memories.Problem {
	return &memories.Problem{Code: memories.CodeOpenToAll, Message: fmt.Sprintf("All users may write to %s, so Memoir changes nothing here. Remove that permission (chmod o-w).", dir)}
}

func linkBroken() *memories.Problem {
	return &memories.Problem{Code: memories.CodeLinkBroken, Message: "This link leads to nothing, or in a circle. Remove it, or put back what it led to."}
}

func linkNested() *memories.Problem {
	return &memories.Problem{Code: memories.CodeLinkNested, Message: "This link is inside a directory that was itself reached by a link, so it is not followed. Let one link lead straight to the place."}
}

func fileTooDeep() *memories.Problem {
	return &memories.Problem{Code: memories.CodeTooDeep, Message: fmt.Sprintf("This file is more than %d levels deep in the memory directory, so it was not read. Move it up.", MaxDepth)}
}

func directoryTooDeep() *memories.Problem {
	return &memories.Problem{Code: memories.CodeTooDeep, Message: fmt.Sprintf("This directory is more than %d levels deep in the memory directory, so nothing in it was read. Move its memory files up.", MaxDepth)}
}

func unreadable(err error) *memories.Problem {
	return &memories.Problem{Code: memories.CodeUnreadable, Message: fmt.Sprintf("This could not be looked at (%s). Check its permissions.", reason(err))}
}

func nameNotUTF8() *memories.Problem {
	return &memories.Problem{Code: memories.CodeFileNameNotUTF8, Message: "The name is not valid UTF-8, so this was not read. Rename it."}
}

func notMarkdown() *memories.Problem {
	problem := memories.ProblemOf(memories.CodeNotMarkdown)
	return &problem
}

func linkProblem(err error) *memories.Problem {
	switch {
	case files.IsOwnership(err):
		return linkOwner()
	case errors.Is(err, files.ErrLeaves):
		return linkLeaves()
	case errors.Is(err, files.ErrLoop), isGone(err):
		return linkBroken()
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
