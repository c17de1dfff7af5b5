// Package memorytool runs the commands of the Messages API's memory tool,
// {"type":"memory_20250818","name":"memory"}, on one agent's files. It answers with the sentences
// that the tool's documentation prescribes.
//
// It owns the meaning of each command, the paths that a model may use, and every text. It reads and
// writes files only through [Files], and does not decide what a file means as a memory. Package api
// calls it; a program that runs conversations can use it without HTTP.
package memorytool

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"memoir/internal/problem"
)

// Files is an agent's memory directory. Paths are slash-separated and relative to the directory,
// which is "."; they have no element that is "..", empty or hidden. Methods may return the errors
// that they name, *memories.ConflictError, *memories.NameTakenError, or any other error.
type Files interface {
	// Read returns the bytes of a file. It returns fs.ErrNotExist if the file is missing, and
	// syscall.EISDIR for a directory.
	Read(ctx context.Context, path string) ([]byte, error)
	// List returns everything below a directory, each directory before its contents. It returns
	// fs.ErrNotExist if dir is missing.
	List(ctx context.Context, dir string) ([]Entry, error)
	// Create writes a new file and creates missing directories. It returns fs.ErrExist if the path
	// exists, and fs.ErrInvalid if no file can be created there.
	Create(ctx context.Context, path string, text []byte) error
	// Replace replaces the content was of a file by is. It returns memories.ErrChanged if the file has
	// other content, and otherwise the errors of Read.
	Replace(ctx context.Context, path string, was, is []byte) error
	// Remove removes a file, or a directory with its contents. It returns fs.ErrNotExist if path is
	// missing.
	Remove(ctx context.Context, path string) error
	// Rename moves a file or a directory. It returns fs.ErrNotExist if from is missing, and the errors
	// of Create for to.
	Rename(ctx context.Context, from, to string) error
}

// Entry is a file or a directory in the result of Files.List.
type Entry struct {
	Path      string // slash-separated, relative to the listed directory
	Size      int64  // in bytes; not used for a directory
	Directory bool
}

// Result is the content of a tool_result block.
type Result struct {
	Content string
	IsError bool
}

// Command is one of the six commands. Input.Parse returns it, and Run runs it.
type Command interface {
	run(ctx context.Context, files Files) (string, error)
}

// Run runs a command and returns the text for the model. An error that the model can act on becomes
// a Result with IsError, and Run returns nil. This includes *memories.ConflictError and
// *memories.NameTakenError of files. Run returns any other error of files with the zero Result.
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

// asText returns bytes with U+FFFD in place of invalid UTF-8, which JSON cannot transport.
func asText(bytes string) string { return strings.ToValidUTF8(bytes, string(utf8.RuneError)) }

// refusal is an error text for the model.
type refusal string

func (r refusal) Error() string { return string(r) }
