// Package memorytool carries out the commands of the Messages API's memory tool, {"type":"memory_20250818","name":"memory"}, on the
// files of one agent, and answers with the very sentences that models have been taught to expect of it.
//
// It owns what a command means, which paths a model may name, and every text. It touches no disk: that is what [Files] is for, and
// everything else is a function from texts to texts. It never decides what a file means as a memory. The API calls it; whatever else
// runs a conversation can, without HTTP.
package memorytool

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"memoir/internal/problem"
)

// Files are one agent's files. Paths are slash-separated and relative to its memory directory, which is "."; none leads up, or has a
// name that is hidden. The errors are those of [Run], and what the methods name.
type Files interface {
	// Read returns the bytes of a file. It fails with fs.ErrNotExist, and with syscall.EISDIR for a directory.
	Read(ctx context.Context, path string) ([]byte, error)
	// List returns all that is below a directory, each directory before what is in it. It fails with fs.ErrNotExist.
	List(ctx context.Context, dir string) ([]Entry, error)
	// Create writes a new file, and makes the directories that it needs. It fails with fs.ErrExist, and with fs.ErrInvalid where
	// nothing can be made.
	Create(ctx context.Context, path string, text []byte) error
	// Replace writes over a file that still says what it said. It fails with memories.ErrChanged where it does not, and as Read does.
	Replace(ctx context.Context, path string, was, is []byte) error
	// Remove removes a file, or a directory with all that is in it. It fails with fs.ErrNotExist.
	Remove(ctx context.Context, path string) error
	// Rename gives a file or a directory another path. It fails with fs.ErrNotExist about the old one, and as Create does about the new.
	Rename(ctx context.Context, from, to string) error
}

// Entry is a file or a directory below one that was listed.
type Entry struct {
	Path      string // slash-separated, relative to the directory that was listed
	Size      int64  // bytes; not of a directory
	Directory bool
}

// Result is what goes into the tool_result block.
type Result struct {
	Content string
	IsError bool
}

// Command is one of the six commands, as Input.Parse returns it.
type Command interface {
	run(ctx context.Context, files Files) (string, error)
}

// Run carries out a command. What the model can do something about is a Result with IsError: a *memories.ConflictError of the files is
// among that. It fails with any other error of the files, which is none of the model's business.
func Run(ctx context.Context, files Files, command Command) (Result, error) {
	text, err := command.run(ctx, files)
	if err == nil {
		return Result{asText(text), false}, nil
	}
	var refused refusal
	if errors.As(err, &refused) {
		return Result{asText(string(refused)), true}, nil
	}
	if p := problem.Of(err); p.Code == problem.Conflict || p.Code == problem.NameTaken {
		return Result{asText("Error: " + p.Detail), true}, nil
	}
	return Result{}, err
}

// asText makes of the bytes of a file what a message can carry: what is no UTF-8 is shown as the replacement character.
func asText(bytes string) string { return strings.ToValidUTF8(bytes, string(utf8.RuneError)) }

// refusal is what the model is told in place of a success.
type refusal string

func (r refusal) Error() string { return string(r) }
