package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ProjectDir returns the absolute path of the directory whose code an agent's memories are about, or "" where that is not known:
//
//   - of a project of Claude Code, its real path, which a transcript told. Where none did, the display name is a directory's
//     name, which is never an absolute path;
//   - of a directory named by hand, the root of the repository that it is in, unless the repository holds nothing else;
//   - of a custom agent in one project, the root of that.
//
// Agents of the hive layout, and custom agents for all projects, work on no one project. A directory that the user's home
// is in, or that is the home itself, is no project either: it is only where somebody once started a session.
func ProjectDir(a Agent) string {
	dir := ""
	switch a.Layout {
	case Claude:
		if dir = a.DisplayName; ScopeOf(a) == ProjectScope || ScopeOf(a) == LocalScope {
			dir = customRoot(a.Dir)
		}
	case Directory:
		dir = repositoryAround(a.Dir)
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || holdsHome(real) {
		return ""
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Clean(dir)
}

// repositoryAround returns the root of the repository that a directory is in, or "". One that is a repository by itself is in none.
func repositoryAround(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for at := real; ; at = filepath.Dir(at) {
		_, err := os.Lstat(filepath.Join(at, gitName))
		switch {
		case err == nil && at == real:
			return ""
		case err == nil:
			return at
		case !errors.Is(err, fs.ErrNotExist), at == filepath.Dir(at): // what cannot be looked into may be the root
			return ""
		}
	}
}

// holdsHome reports whether the user's home directory is dir, or in it.
func holdsHome(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
