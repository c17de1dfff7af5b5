package memorytool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// view is the command that shows a directory or a file.
type view struct {
	path  string
	lines *lineRange // nil for all
}

// lineRange is a range of lines, counted from 1. If last is -1, it ends with the file.
type lineRange struct{ first, last int }

// of returns the first and last line that the range has in a file of n lines. A nil range is the
// whole file. A last line of -1 or beyond the end means the last line of the file. ok is false if
// the range does not begin in the file, or ends before it begins. For an empty file, it may begin
// at 1.
func (r *lineRange) of(n int) (first, last int, ok bool) {
	if r == nil {
		return 1, n, true
	}
	first, last = r.first, min(r.last, n)
	if r.last == -1 {
		last = n
	}
	return first, last, first >= 1 && first <= max(n, 1) && last >= min(first, n)
}

func (c view) run(ctx context.Context, files Files) (string, error) {
	at, ok := inside(c.path)
	if !ok {
		return "", c.missing()
	}
	raw, err := files.Read(ctx, at)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return c.directory(ctx, files, at)
	case errors.Is(err, fs.ErrNotExist):
		return "", c.missing()
	case err != nil:
		return "", err
	}
	return c.file(string(raw))
}

func (c view) missing() refusal {
	return refusal("The path " + c.path + " does not exist. Please provide a valid path.")
}

func (c view) directory(ctx context.Context, files Files, at string) (string, error) {
	below, err := files.List(ctx, at)
	if errors.Is(err, fs.ErrNotExist) {
		return "", c.missing() // removed after Read
	}
	if err != nil {
		return "", err
	}
	return "Here're the files and directories up to 2 levels deep in " + c.path + ", excluding hidden items and node_modules:" + listing(c.path, below), nil
}

func (c view) file(text string) (string, error) {
	lines := linesOf(text)
	if len(lines) > maxLines {
		return "", refusal("File " + c.path + " exceeds maximum line limit of 999,999 lines.")
	}
	first, last, ok := c.lines.of(len(lines))
	if !ok {
		return "", refusal(fmt.Sprintf("Error: Invalid `view_range` parameter: [%d, %d]. It should be within the range of lines of the file: [1, %d]", c.lines.first, c.lines.last, len(lines)))
	}
	return "Here's the content of " + c.path + " with line numbers:" + numbered(lines[first-1:last], first), nil
}
