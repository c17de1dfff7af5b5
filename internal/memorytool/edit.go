package memorytool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"memoir/internal/memories"
)

// editAttempts is the number of times that an edit is tried if other processes write the file.
// Arbitrary.
const editAttempts = 5

// create is the command that creates a file.
type create struct{ path, text string }

func (c create) run(ctx context.Context, files Files) (string, error) {
	at, ok := inside(c.path)
	if !ok {
		return "", noValidPath(c.path)
	}
	switch err := files.Create(ctx, at, []byte(c.text)); {
	case errors.Is(err, fs.ErrExist):
		return "", refusal("Error: File " + c.path + " already exists")
	case errors.Is(err, fs.ErrInvalid):
		return "", noValidPath(c.path)
	case err != nil:
		return "", err
	}
	return "File created successfully at: " + c.path + noMemoryNote(at), nil
}

// strReplace is the command that replaces a text that occurs exactly once in a file.
type strReplace struct{ path, old, new string }

func (c strReplace) run(ctx context.Context, files Files) (string, error) {
	return edited(ctx, files, c.path, noValidPath(c.path), c.edit)
}

func (c strReplace) edit(text string) (after, told string, err error) {
	found := occurrences(text, c.old)
	switch len(found) {
	case 0:
		return "", "", refusal(fmt.Sprintf("No replacement was performed, old_str `%s` did not appear verbatim in %s.", c.old, c.path))
	case 1:
		from := found[0]
		after = text[:from] + c.new + text[from+len(c.old):]
		return after, "The memory file has been edited." + snippet(after, from, from+len(c.new)), nil
	}
	return "", "", refusal(fmt.Sprintf("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", c.old, lineNumbers(text, found)))
}

// lineNumbers returns the distinct numbers, counted from 1, of the lines at the given offsets of
// text, separated by commas. The offsets must be sorted.
func lineNumbers(text string, offsets []int) string {
	var numbers []string
	line, at := 1, 0
	for _, offset := range offsets {
		line += strings.Count(text[at:offset], "\n")
		at = offset
		numbers = append(numbers, strconv.Itoa(line))
	}
	return strings.Join(slices.Compact(numbers), ", ")
}

// insert is the command that inserts a text below a line. Line 0 means the beginning of the file.
type insert struct {
	path string
	line int
	text string
}

func (c insert) run(ctx context.Context, files Files) (string, error) {
	return edited(ctx, files, c.path, noSuchPath(c.path), c.edit)
}

func (c insert) edit(text string) (after, told string, err error) {
	if n := len(linesOf(text)); c.line < 0 || c.line > n {
		return "", "", refusal(fmt.Sprintf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", c.line, n))
	}
	return withInserted(text, c.line, c.text), "The file " + c.path + " has been edited.", nil
}

// remove is the command that removes a file, or a directory with its contents.
type remove struct{ path string }

func (c remove) run(ctx context.Context, files Files) (string, error) {
	at, ok := inside(c.path)
	if !ok {
		return "", noSuchPath(c.path)
	}
	if at == "." {
		return "", refusal("Error: The path " + top + " is the memory directory itself and cannot be deleted")
	}
	switch err := files.Remove(ctx, at); {
	case errors.Is(err, fs.ErrNotExist):
		return "", noSuchPath(c.path)
	case err != nil:
		return "", err
	}
	return "Successfully deleted " + c.path, nil
}

// rename is the command that moves a file or a directory.
type rename struct{ from, to string }

func (c rename) run(ctx context.Context, files Files) (string, error) {
	from, ok := inside(c.from)
	if !ok {
		return "", noSuchPath(c.from)
	}
	if from == "." {
		return "", refusal("Error: The path " + top + " is the memory directory itself and cannot be renamed")
	}
	to, ok := inside(c.to)
	if !ok {
		return "", noValidPath(c.to)
	}
	switch err := files.Rename(ctx, from, to); {
	case errors.Is(err, fs.ErrNotExist):
		return "", noSuchPath(c.from)
	case errors.Is(err, fs.ErrExist):
		return "", refusal("Error: The destination " + c.to + " already exists")
	case errors.Is(err, fs.ErrInvalid):
		return "", noValidPath(c.to)
	case err != nil:
		return "", err
	}
	note := ""
	if isMarkdown(from) {
		note = noMemoryNote(to)
	}
	return "Successfully renamed " + c.from + " to " + c.to + note, nil
}

// edited replaces the content of the file at path by the first result of edit, and returns the
// second, a text for the model. It writes nothing if edit changes nothing, or returns an error,
// which edited returns. It returns missing for a missing file, a directory or a refused path. If
// the file changes in between, it tries again; after editAttempts times it returns a refusal.
func edited(ctx context.Context, files Files, path string, missing refusal, edit func(text string) (after, told string, err error)) (string, error) {
	at, ok := inside(path)
	if !ok {
		return "", missing
	}
	for range editAttempts {
		raw, err := files.Read(ctx, at)
		if isNoFile(err) {
			return "", missing
		}
		if err != nil {
			return "", err
		}
		after, told, err := edit(string(raw))
		if err != nil {
			return "", err
		}
		if after == string(raw) {
			return told, nil
		}
		switch err := files.Replace(ctx, at, raw, []byte(after)); {
		case err == nil:
			return told, nil
		case isNoFile(err):
			return "", missing
		case !errors.Is(err, memories.ErrChanged):
			return "", err
		}
	}
	return "", refusal("Error: Another program keeps writing " + path + ". Nothing was changed. View it and try again.")
}

// isNoFile reports whether err means that the path is missing (fs.ErrNotExist) or a directory
// (syscall.EISDIR).
func isNoFile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR)
}
