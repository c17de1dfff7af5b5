package agents_test

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/files"
)

func TestReadFile_Limit(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.put("a.md", strings.Repeat("x", 100))
	for limit, want := range map[int64]int{1000: 100, 100: 100, 99: 100, 50: 51, 0: 1} {
		data, err := agents.ReadFile(d.open(), "a.md", limit)
		if err != nil || len(data) != want {
			t.Errorf("limit %d: %d bytes (error %v), want %d", limit, len(data), err, want)
		}
	}
}

func TestReadFile_PipesAndLinks(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("directory.md")
	if err := syscall.Mkfifo(d.at("pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.link("/etc/passwd", "out.md")
	for path, want := range map[string]error{
		"pipe.md":      files.ErrNotRegular,
		"directory.md": files.ErrNotRegular,
		"out.md":       files.ErrLeaves,
		"../out.md":    files.ErrLeaves,
		"gone.md":      fs.ErrNotExist,
	} {
		if _, err := agents.ReadFile(d.open(), path, 1000); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
}
