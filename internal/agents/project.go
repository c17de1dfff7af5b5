package agents

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"memoir/internal/files"
)

// Project is what somebody works on who works in a directory.
type Project struct {
	Dir  string // the working directory; absolute, links followed, as are the next two
	Tree string // the top of the working tree that Dir is in; Dir itself outside of every repository
	// Root is what the project is known by: Tree, or for a worktree that was added to a repository the top of that
	// repository, so that all of its worktrees are one project. Where a repository has no working tree of its own, or
	// keeps its git directory elsewhere, Root is the git directory.
	Root       string
	Repository bool // false: Dir is in none
}

const (
	gitName = ".git"
	// maxLevels bounds the way up from a working directory; repositories are not found from deeper down.
	maxLevels = 128
	// maxGitFile is how much of a file of git's is read, in bytes: each holds one path on one line.
	maxGitFile = 8 << 10
)

// ProjectAt returns the project of a working directory, which has to be absolute. It goes by what is on disk and runs no git. A
// directory that is gone, or on another machine, is taken by its name. Besides for a path that is not absolute it fails only as
// files.IsExhausted says.
func ProjectAt(cwd string) (Project, error) {
	if !filepath.IsAbs(cwd) {
		return Project{}, fmt.Errorf("the working directory %q is no absolute path", cwd)
	}
	dir := RealDir(cwd)
	tree := dir
	for range maxLevels {
		root, found, err := rootOf(tree)
		if err != nil {
			return Project{}, err
		}
		if found {
			return Project{Dir: dir, Tree: tree, Root: root, Repository: true}, nil
		}
		if tree == filepath.Dir(tree) {
			break
		}
		tree = filepath.Dir(tree)
	}
	return Project{Dir: dir, Tree: dir, Root: dir}, nil
}

// rootOf returns the root of the repository of which a directory is the top of a working tree. It fails as files.IsExhausted says.
func rootOf(tree string) (root string, found bool, err error) {
	info, err := os.Stat(filepath.Join(tree, gitName))
	switch {
	case err != nil:
		return "", false, nil
	case info.IsDir():
		return tree, true, nil
	case !info.Mode().IsRegular():
		return "", false, nil
	}
	common, found := commonDirOf(tree, func(failed error) {
		if files.IsExhausted(failed) {
			err = failed
		}
	})
	switch {
	case err != nil:
		return "", false, err
	case !found:
		return tree, true, nil // a submodule, or a git directory that is kept elsewhere
	case filepath.Base(common) == gitName:
		return filepath.Dir(common), true, nil
	}
	return common, true, nil
}

// commonDirOf returns the git directory that a worktree shares with its repository. Whoever unpacks an archive can be given a
// directory that says of itself that it is a worktree of another project, whose memories would then be handed to it. So the
// repository has to say so too, in its own git directory.
func commonDirOf(tree string, failed func(error)) (common string, found bool) {
	link := filepath.Join(tree, gitName)
	gitDir := pathIn(link, "gitdir: ", failed)
	common = pathIn(filepath.Join(gitDir, "commondir"), "", failed)
	if gitDir == "" || common == "" || filepath.Dir(gitDir) != filepath.Join(common, "worktrees") {
		return "", false
	}
	back := pathIn(filepath.Join(gitDir, "gitdir"), "", failed)
	return common, back == RealDir(link)
}

// pathIn returns the path that stands in a file of git's after a label, links followed; a relative one counts from the file's
// directory. It is empty where the file cannot be read or says something else.
func pathIn(file, label string, failed func(error)) string {
	// Not blocking, because what has the file's name may be a pipe.
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		failed(err)
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return ""
	}
	path, found := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), label)
	if !found || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return RealDir(path)
}

// RealDir returns where a path leads when every link on the way is followed, as far as there is anything.
func RealDir(path string) string {
	path = filepath.Clean(path)
	there, rest := path, ""
	for range maxLevels {
		if real, err := filepath.EvalSymlinks(there); err == nil {
			return filepath.Join(real, rest)
		}
		there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest)
	}
	return path
}
