package memorytool

import (
	"context"
	"errors"
	"io/fs"
)

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
