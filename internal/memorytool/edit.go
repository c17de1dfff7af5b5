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

// editAttempts is how often an edit is begun anew when somebody else writes the file meanwhile.
const editAttempts = 5

// create makes a new file.
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

// strReplace puts a text in the place of another one, which is in a file once.
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

// lineNumbers writes the numbers of the lines that offsets, in their order, are in: each once.
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

// insert puts a text below a line; below line 0 is at the beginning.
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

// edited writes what edit makes of a file, beginning anew when somebody else writes it meanwhile, and returns what edit tells. nothing
// is told when there is no such file.
func edited(ctx context.Context, files Files, path string, nothing refusal, edit func(text string) (after, told string, err error)) (string, error) {
	at, ok := inside(path)
	if !ok {
		return "", nothing
	}
	for range editAttempts {
		raw, err := files.Read(ctx, at)
		if isNoFile(err) {
			return "", nothing
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
			return "", nothing
		case !errors.Is(err, memories.ErrChanged):
			return "", err
		}
	}
	return "", refusal("Error: Somebody else keeps writing " + path + ", so it was not edited. View it and try again.")
}

// isNoFile says whether an error means that there is no file to be edited. A directory is none.
func isNoFile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR)
}
