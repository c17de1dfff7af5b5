// Package doctor checks the machine that Memoir runs on: directories, disk and limits. It changes
// nothing. cmd/server adds the checks of the database and of the server's work, and package cli those
// of Claude Code.
package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"memoir/internal/files"
)

// State is the result of a check.
type State string

// The states of a check.
const (
	OK      State = "ok"
	Note    State = "note"    // works, and a person may want to know
	Problem State = "problem" // something is wrong
)

// Check is one thing that was checked.
type Check struct {
	Check string `json:"check" doc:"What was checked, in a word or two."`
	State State  `json:"state" enum:"ok,note,problem"`
	Text  string `json:"text" doc:"What was found."`
	Fix   string `json:"fix" doc:"What to do; empty if nothing."`
}

// HasProblem reports whether a check found a problem.
func HasProblem(checks []Check) bool {
	for _, c := range checks {
		if c.State == Problem {
			return true
		}
	}
	return false
}

const (
	// minFree is the free space below which a disk counts as full, in bytes. Arbitrary: a copy of the
	// database before an upgrade needs as much as the database.
	minFree = 1 << 30
	// fewWatches is a limit of watched directories that a large agents directory reaches. It is the
	// default of older kernels.
	fewWatches = 8192
)

// DataDir checks the directory of the private Postgres and of the owner's token.
func DataDir(dir string) Check {
	c := Check{Check: "data directory"}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.State, c.Text = Note, dir+" does not exist yet. Memoir makes it at its first start."
	case err != nil:
		c.State, c.Text, c.Fix = Problem, err.Error(), "Run Memoir as the user who owns it, or choose another --data-dir."
	case !info.IsDir():
		c.State, c.Text, c.Fix = Problem, dir+" is a file.", "Choose another --data-dir."
	case files.IsOpenToAll(info):
		c.State, c.Text, c.Fix = Problem, "All users may write in "+dir+".", "chmod o-w "+dir
	default:
		c.State, c.Text = OK, dir
	}
	return c
}

// Disk checks the free space of the file system of a directory or of its nearest existing parent.
func Disk(dir string) Check {
	c := Check{Check: "disk space", State: OK}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	free, known := freeBytes(dir)
	switch {
	case !known:
		c.State, c.Text = Note, "The free space of "+dir+" is unknown."
	case free < minFree:
		c.State, c.Text, c.Fix = Problem, fmt.Sprintf("%d MiB free in %s.", free>>20, dir), "Make room, before Postgres stops."
	default:
		c.Text = fmt.Sprintf("%d GiB free in %s", free>>30, dir)
	}
	return c
}

// Directory checks a directory with memories. name is what it is for.
func Directory(name, dir string) Check {
	c := Check{Check: name}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New(dir + " is a file")
	}
	if err == nil {
		var entries *os.File
		if entries, err = os.Open(dir); err == nil {
			entries.Close() //nolint:errcheck // only read
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.State, c.Text = Note, dir+" does not exist. Memoir waits for it."
	case err != nil:
		c.State, c.Text, c.Fix = Problem, err.Error(), "Let the user who runs Memoir read it."
	default:
		c.State, c.Text = OK, dir
		root, err := files.OpenRoot(dir)
		if err != nil {
			c.State, c.Text, c.Fix = Problem, err.Error(), "Give the link and its target the same owner."
			return c
		}
		defer root.Close() //nolint:errcheck // only read
		if open := files.OpenToAll(root); open != "" {
			c.State, c.Text = Problem, "All users may write in "+open+", so memories below it are read and never written."
			c.Fix = "chmod o-w " + open + ", or set the sticky bit: chmod +t " + open
		}
	}
	return c
}

// Watches checks the system's limit of watched directories. It returns nothing on systems without
// inotify.
func Watches() []Check {
	raw, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return nil
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return nil
	}
	c := Check{Check: "watch limit", State: OK, Text: fmt.Sprintf("%d directories can be watched", limit)}
	if limit <= fewWatches {
		c.State, c.Text = Note, fmt.Sprintf("Only %d directories can be watched. Beyond that, Memoir looks every second.", limit)
		c.Fix = "sysctl fs.inotify.max_user_watches=524288"
	}
	return []Check{c}
}
