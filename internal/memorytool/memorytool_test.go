package memorytool_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memorytool"
)

// directory implements memorytool.Files on disk, without the engine.
type directory struct {
	*testing.T
	root *os.Root
	// before is called before a file is replaced. It may be nil.
	before func(path string)
}

func setup(t *testing.T) *directory {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &directory{T: t, root: root}
}

func (d *directory) Read(_ context.Context, path string) ([]byte, error) {
	if info, err := d.root.Stat(path); err == nil && info.IsDir() {
		return nil, syscall.EISDIR
	}
	return d.root.ReadFile(path)
}

func (d *directory) List(_ context.Context, dir string) (found []memorytool.Entry, err error) {
	err = fs.WalkDir(d.root.FS(), dir, func(p string, entry fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		found = append(found, memorytool.Entry{Path: filepath.ToSlash(rel), Size: info.Size(), Directory: info.IsDir()})
		return err
	})
	return found, err
}

func (d *directory) Create(_ context.Context, file string, text []byte) error {
	if _, err := d.root.Stat(file); err == nil {
		return fs.ErrExist
	}
	if d.root.MkdirAll(path.Dir(file), 0o755) != nil {
		return fs.ErrInvalid
	}
	return d.root.WriteFile(file, text, 0o644)
}

func (d *directory) Replace(_ context.Context, path string, was, is []byte) error {
	if d.before != nil {
		d.before(path)
	}
	found, err := d.root.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(found, was) {
		return memories.ErrChanged
	}
	return d.root.WriteFile(path, is, 0o644)
}

func (d *directory) Remove(_ context.Context, path string) error {
	if _, err := d.root.Lstat(path); err != nil {
		return err
	}
	return d.root.RemoveAll(path)
}

func (d *directory) Rename(_ context.Context, from, to string) error {
	if _, err := d.root.Stat(to); err == nil {
		return fs.ErrExist
	}
	return d.root.Rename(from, to)
}

func (d *directory) write(file, text string) {
	d.Helper()
	if err := d.root.MkdirAll(path.Dir(file), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := d.root.WriteFile(file, []byte(text), 0o644); err != nil {
		d.Fatal(err)
	}
}

func (d *directory) says(file, text string) {
	d.Helper()
	raw, err := d.root.ReadFile(file)
	if err != nil || string(raw) != text {
		d.Errorf("%s says %q (%v), want %q", file, raw, err, text)
	}
}

// run runs an input.
func (d *directory) run(in memorytool.Input) memorytool.Result {
	d.Helper()
	result, err := memorytool.Run(d.Context(), d, in.Parse())
	if err != nil {
		d.Fatal(err)
	}
	return result
}

// answers checks the result of an input.
func (d *directory) answers(in memorytool.Input, content string, isError bool) {
	d.Helper()
	if got, want := d.run(in), (memorytool.Result{Content: content, IsError: isError}); got != want {
		d.Errorf("%s answers (error: %t)\n%q, want (error: %t)\n%q", in.Command, got.IsError, got.Content, want.IsError, want.Content)
	}
}

func viewOf(path string, lines ...int) memorytool.Input {
	return memorytool.Input{Command: "view", Path: &path, ViewRange: lines}
}

func createOf(path, text string) memorytool.Input {
	return memorytool.Input{Command: "create", Path: &path, FileText: &text}
}

func replaceOf(path, old, is string) memorytool.Input {
	return memorytool.Input{Command: "str_replace", Path: &path, OldStr: &old, NewStr: &is}
}

func insertOf(path string, line int, text string) memorytool.Input {
	return memorytool.Input{Command: "insert", Path: &path, InsertLine: &line, InsertText: &text}
}

func deleteOf(path string) memorytool.Input {
	return memorytool.Input{Command: "delete", Path: &path}
}

func renameOf(from, to string) memorytool.Input {
	return memorytool.Input{Command: "rename", OldPath: &from, NewPath: &to}
}

// Each row is a row of the tool's documentation.
func TestRun_Answers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in      memorytool.Input
		want    string
		isError bool
	}{
		"view of a directory":            {viewOf("/memories"), "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n1.5K\t/memories\n12B\t/memories/notes.md\n1.5K\t/memories/sub\n1.5K\t/memories/sub/long.md", false},
		"view of a directory below":      {viewOf("/memories/sub"), "Here're the files and directories up to 2 levels deep in /memories/sub, excluding hidden items and node_modules:\n1.5K\t/memories/sub\n1.5K\t/memories/sub/long.md", false},
		"view of a file":                 {viewOf("/memories/notes.md"), "Here's the content of /memories/notes.md with line numbers:\n     1\tone\n     2\ttwo\n     3\ttwo", false},
		"view of some lines":             {viewOf("/memories/notes.md", 2, 2), "Here's the content of /memories/notes.md with line numbers:\n     2\ttwo", false},
		"view of nothing":                {viewOf("/memories/none.md"), "The path /memories/none.md does not exist. Please provide a valid path.", true},
		"create":                         {createOf("/memories/new.md", "text"), "File created successfully at: /memories/new.md", false},
		"create below a new directory":   {createOf("/memories/a/b/new.md", ""), "File created successfully at: /memories/a/b/new.md", false},
		"create over a file":             {createOf("/memories/notes.md", "text"), "Error: File /memories/notes.md already exists", true},
		"create over a directory":        {createOf("/memories/sub", "text"), "Error: File /memories/sub already exists", true},
		"create over the root":           {createOf("/memories", "text"), "Error: File /memories already exists", true},
		"create below a file":            {createOf("/memories/notes.md/new.md", "text"), "Error: The path /memories/notes.md/new.md does not exist. Please provide a valid path.", true},
		"str_replace":                    {replaceOf("/memories/notes.md", "one", "1"), "The memory file has been edited.\n     1\t1\n     2\ttwo\n     3\ttwo", false},
		"str_replace in nothing":         {replaceOf("/memories/none.md", "a", "b"), "Error: The path /memories/none.md does not exist. Please provide a valid path.", true},
		"str_replace in a directory":     {replaceOf("/memories/sub", "a", "b"), "Error: The path /memories/sub does not exist. Please provide a valid path.", true},
		"str_replace of what is not in":  {replaceOf("/memories/notes.md", "One", "1"), "No replacement was performed, old_str `One` did not appear verbatim in /memories/notes.md.", true},
		"str_replace of an empty text":   {replaceOf("/memories/notes.md", "", "1"), "No replacement was performed, old_str `` did not appear verbatim in /memories/notes.md.", true},
		"str_replace of what is in more": {replaceOf("/memories/notes.md", "two", "2"), "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 3. Please ensure it is unique", true},
		"insert":                         {insertOf("/memories/notes.md", 1, "more\n"), "The file /memories/notes.md has been edited.", false},
		"insert into nothing":            {insertOf("/memories/none.md", 0, "more"), "Error: The path /memories/none.md does not exist", true},
		"insert into a directory":        {insertOf("/memories", 0, "more"), "Error: The path /memories does not exist", true},
		"insert past the end":            {insertOf("/memories/notes.md", 4, "more"), "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]", true},
		"insert before the beginning":    {insertOf("/memories/notes.md", -1, "more"), "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 3]", true},
		"delete of a file":               {deleteOf("/memories/notes.md"), "Successfully deleted /memories/notes.md", false},
		"delete of a directory":          {deleteOf("/memories/sub"), "Successfully deleted /memories/sub", false},
		"delete of nothing":              {deleteOf("/memories/none.md"), "Error: The path /memories/none.md does not exist", true},
		"delete of the root":             {deleteOf("/memories"), "Error: The path /memories is the memory directory itself and cannot be deleted", true},
		"rename":                         {renameOf("/memories/notes.md", "/memories/sub/notes.md"), "Successfully renamed /memories/notes.md to /memories/sub/notes.md", false},
		"rename of nothing":              {renameOf("/memories/none.md", "/memories/a.md"), "Error: The path /memories/none.md does not exist", true},
		"rename over a file":             {renameOf("/memories/sub", "/memories/notes.md"), "Error: The destination /memories/notes.md already exists", true},
		"rename over the root":           {renameOf("/memories/sub", "/memories"), "Error: The destination /memories already exists", true},
		"rename of the root":             {renameOf("/memories", "/memories/a"), "Error: The path /memories is the memory directory itself and cannot be renamed", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.write("notes.md", "one\ntwo\ntwo\n")
			d.write("sub/long.md", strings.Repeat("x", 1500))
			d.answers(c.in, c.want, c.isError)
		})
	}
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.write("a.md", "one\n")
	for _, c := range []struct {
		fails error
		want  string
	}{
		{&memories.ConflictError{Reason: "The disk is full."}, "Error: The disk is full."},
		{errors.New("out of order"), ""},
	} {
		result, err := memorytool.Run(t.Context(), failing{d, c.fails}, replaceOf("/memories/a.md", "one", "two").Parse())
		if told := err == nil; told != (c.want != "") || result.Content != c.want || result.IsError != told {
			t.Errorf("%v comes to %+v, %v", c.fails, result, err)
		}
	}
}

// failing is a directory with a Replace that returns err.
type failing struct {
	*directory
	err error
}

func (f failing) Replace(context.Context, string, []byte, []byte) error { return f.err }
