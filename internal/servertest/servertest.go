// Package servertest builds the server program for tests that run or inspect it.
package servertest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build builds cmd/server at path, with the flags of go build, and returns the output of go build.
// It also reads the metadata of all source files. Otherwise go test would not know that the test
// depends on them, and would return a cached result after a change.
func Build(path string, flags ...string) (output []byte, err error) {
	if err := statSources(); err != nil {
		return nil, err
	}
	build := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "memoir/cmd/server")...)
	output, err = build.CombinedOutput()
	if err != nil {
		return output, fmt.Errorf("go build: %w\n%s", err, output)
	}
	return output, nil
}

// statSources reads the metadata of each file of the module, except in directories that cannot be
// part of the build. A file that disappears is not an error.
func statSources() error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("where the project is: %w", err)
	}
	return filepath.WalkDir(strings.TrimSpace(string(root)), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, err = os.Stat(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a temporary file of another process
		case err != nil || !entry.IsDir():
			return err
		case slices.Contains([]string{"testdata", "docs", "bin", "node_modules"}, entry.Name()), strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		default:
			return nil
		}
	})
}
