// Package servertest builds the server for tests that run the program itself, or look at what is in it.
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

// Build makes the program of cmd/server at path with go build and flags, and returns what that has said.
//
// A test that runs go build does not depend on the sources as far as go test knows, which would go on to say that it has
// passed, from its cache, when they have changed. They are looked at here, which go test takes notice of.
func Build(path string, flags ...string) (said []byte, err error) {
	if err := lookAtSources(); err != nil {
		return nil, err
	}
	build := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "memoir/cmd/server")...)
	said, err = build.CombinedOutput()
	if err != nil {
		return said, fmt.Errorf("go build: %w\n%s", err, said)
	}
	return said, nil
}

// lookAtSources asks for the size and time of each file of the project that may be built in.
func lookAtSources() error {
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
			return nil // somebody's temporary file
		case err != nil || !entry.IsDir():
			return err
		case slices.Contains([]string{"testdata", "docs", "bin", "node_modules"}, entry.Name()), strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		default:
			return nil
		}
	})
}
