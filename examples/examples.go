// Package examples holds three sample agents of a fictional ferry company: a code reviewer, an
// on-call assistant and a data analyst. They have memories of each type, sessions, and typical odd
// files.
//
// It owns these files and their ages, and copies them. It never overwrites a file and does not read
// memories. The first page's samples and `make demo` call it.
package examples

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"
)

// ErrNotEmpty means that the target directory is not empty. Nothing was written.
var ErrNotEmpty = errors.New("the directory is not empty")

//go:embed all:agents
var embedded embed.FS

// FS returns the files of the sample agents, one directory for each agent, in the layout of
// --agents-dir.
func FS() fs.FS {
	agents, err := fs.Sub(embedded, "agents")
	if err != nil {
		panic(err) // "agents" is a valid path
	}
	return agents
}

// Copy writes the agents into dst, with modification times in the last months. It creates a missing
// dst, with access only for its owner. Each agent appears as a whole, so that a watcher never sees
// part of it. It returns ErrNotEmpty, and writes nothing, if dst is not empty. After another error,
// dst has the agents copied before.
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

// makePrivate creates a directory that only its owner can access. It creates missing parents with
// the usual mode. It does nothing and returns nil if there is a directory or file at the path.
func makePrivate(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil // the caller's ReadDir fails if it is not a directory
	}
	return err
}

// copyAgent writes an agent's files into a hidden directory in dst, gives them the owner of dst,
// and renames the directory to the agent's name. So no watcher takes a part of them for an agent.
// After an error it removes the hidden directory.
func copyAgent(dst, agent string, now time.Time) error {
	unfinished, err := os.MkdirTemp(dst, ".memoir-example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished) // a no-op after success
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

// takeOwner gives dir and its contents the owner and group of the directory like, because agents
// may run as another user. It does nothing if this process's user owns like.
func takeOwner(dir, like string) error {
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	if int(owner.Uid) == os.Geteuid() {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}
