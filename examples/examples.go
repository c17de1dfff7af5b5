// Package examples holds three agents to try Memoir with: a code reviewer, an on-call assistant and a data analyst of one made-up
// ferry company, with good memories of each type, sessions that know more or less than the agent, and the kinds of odd files that
// turn up in practice.
//
// It owns these files, their ages, and putting a copy of them somewhere. It never writes over anything, and it does not read
// memories. The first page's one-click samples and `make demo` call it.
package examples

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// ErrNotEmpty says that the directory to copy into has something in it already; nothing was written.
var ErrNotEmpty = errors.New("the directory is not empty")

//go:embed all:agents
var embedded embed.FS

// FS gives the agents, one directory each, laid out as Memoir finds them below --agents-dir.
func FS() fs.FS {
	agents, err := fs.Sub(embedded, "agents")
	if err != nil {
		panic(err) // only an invalid path can fail, and "agents" is none
	}
	return agents
}

// Copy writes the agents into dst, which is made when it is missing. Their modification times are spread over the last weeks, so
// that they look lived in. Each agent turns up whole, with its times, so that whoever watches dst never sees half of one.
//
// A dst with anything in it is left alone, with ErrNotEmpty. An error in the middle leaves the agents before it.
func Copy(dst string) error {
	return copyAt(dst, time.Now())
}

func copyAt(dst string, now time.Time) error {
	if err := makePrivate(dst); err != nil {
		return fmt.Errorf("copy the example agents: %w", err)
	}
	present, err := os.ReadDir(dst)
	if err != nil {
		return fmt.Errorf("copy the example agents: %w", err)
	}
	if len(present) > 0 {
		return fmt.Errorf("copy the example agents to %s: %w", dst, ErrNotEmpty)
	}
	agents, err := fs.ReadDir(FS(), ".")
	if err != nil {
		return fmt.Errorf("copy the example agents: %w", err)
	}
	for _, agent := range agents {
		if err := copyAgent(dst, agent.Name(), now); err != nil {
			return fmt.Errorf("copy the example agent %s: %w", agent.Name(), err)
		}
	}
	return nil
}

// makePrivate makes a directory that is missing, for its owner alone.
func makePrivate(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil // ReadDir says what it is if it is no directory
	}
	return err
}

// copyAgent writes the agent under a hidden name, which is no agent's, and gives it its own when it is complete.
func copyAgent(dst, agent string, now time.Time) error {
	unfinished, err := os.MkdirTemp(dst, ".memoir-example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished) // gone already when all went well
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return err
	}
	if err := copyFiles(unfinished, agent, now); err != nil {
		return err
	}
	if err := takeOwner(unfinished, dst); err != nil {
		return err
	}
	return os.Rename(unfinished, filepath.Join(dst, agent))
}

func copyFiles(dir, agent string, now time.Time) error {
	files, err := fs.Sub(FS(), agent)
	if err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
		modified := now.Add(-ages[path.Join(agent, name)])
		return os.Chtimes(target, modified, modified)
	})
}
