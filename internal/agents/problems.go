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
	notRegular       = problem(memories.CodeNotRegular, "Not a regular file. It was not read. Replace it with a text file.")
	linkLeaves       = problem(memories.CodeLinkLeaves, memories.ProblemOf(memories.CodeLinkLeaves).Message)
	linkOwner        = problem(memories.CodeLinkOwner, memories.ProblemOf(memories.CodeLinkOwner).Message)
	linkBroken       = problem(memories.CodeLinkBroken, memories.ProblemOf(memories.CodeLinkBroken).Message)
	linkNested       = problem(memories.CodeLinkNested, memories.ProblemOf(memories.CodeLinkNested).Message)
	fileTooDeep      = problem(memories.CodeTooDeep, fmt.Sprintf("The file is more than %d directories deep. It was not read. Move it up.", MaxDepth))
	directoryTooDeep = problem(memories.CodeTooDeep, fmt.Sprintf("The directory is more than %d directories deep. Its files were not read. Move them up.", MaxDepth))
	nameNotUTF8      = problem(memories.CodeFileNameNotUTF8, "The name is not valid UTF-8. It was not read. Rename it.")
	notMarkdown      = problem(memories.CodeNotMarkdown, memories.ProblemOf(memories.CodeNotMarkdown).Message)
)

func problem(code, message string) *memories.Problem {
	return &memories.Problem{Code: code, Message: message}
}

// openToAll returns the problem of a directory that is not written because all users may write to
// dir.
func openToAll(dir string) *memories.Problem {
	return problem(memories.CodeOpenToAll, fmt.Sprintf("All users may write to %s. Memoir changes nothing here. Remove that permission (chmod o-w).", dir))
}

func unreadable(err error) *memories.Problem {
	return problem(memories.CodeUnreadable, fmt.Sprintf("Cannot be read (%s). Check the permissions.", reason(err)))
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
