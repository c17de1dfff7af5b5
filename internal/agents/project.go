package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/files"
)

// Project is the project of a working directory.
type Project struct {
	Dir  string // the working directory; Dir, Tree and Root are absolute, with links followed
	Tree string // the top of Dir's working tree; Dir itself outside repositories
	// Root identifies the project. It is Tree, or for an added worktree the top of its repository,
	// so that all worktrees are one project. For a bare repository, or one with its git directory
	// outside, Root of an added worktree is the git directory.
	Root       string
	Repository bool // Dir is in a repository
}

const (
	gitName = ".git"
	// maxLevels limits how many parents of a working directory are searched for a repository. It is
	// arbitrary.
	maxLevels = 128
	// maxGitFile is how many bytes of a file of git are read. Each holds one path on one line.
	maxGitFile = 8 << 10
)

// ProjectAt returns the project of a working directory. Outside a repository, Tree and Root are the
// directory itself. ProjectAt reads the disk and runs no git. A directory that does not exist is
// taken as it is named. ProjectAt fails if cwd is not absolute, or with an error for which
// files.IsExhausted reports true.
func ProjectAt(cwd string) (Project, error) {
	if !filepath.IsAbs(cwd) {
		return Project{}, fmt.Errorf("working directory %q is not absolute", cwd)
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

// rootOf returns the root of the repository if tree is the top of one of its working trees. found
// is false otherwise, and if .git cannot be examined. For an added worktree it is the root of the
// main one, or the git directory if that is not called .git. It fails only with an error for which
// files.IsExhausted reports true.
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
		return tree, true, nil // a submodule, or a git directory elsewhere
	case filepath.Base(common) == gitName:
		return filepath.Dir(common), true, nil
	}
	return common, true, nil
}

// commonDirOf returns the git directory that an added worktree shares with its repository. found is
// false unless the repository names the worktree too. Otherwise a directory from an archive could
// claim to be a worktree of another project and receive its memories. failed is called with errors
// of opening files.
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

// pathIn returns the path after label in a file of git, with links followed. A relative path is
// relative to the file's directory. It returns "" if the file has no such label. If the file cannot
// be read, it calls failed with the error and returns "".
func pathIn(file, label string, failed func(error)) string {
	text, err := readRegular(file, maxGitFile)
	if err != nil {
		failed(err)
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

// RealDir returns path with all links followed. Trailing elements that do not exist or cannot be
// examined stay as they are.
func RealDir(path string) string {
	path = filepath.Clean(path)
	existing, rest := path, ""
	for range maxLevels {
		if real, err := filepath.EvalSymlinks(existing); err == nil {
			return filepath.Join(real, rest)
		}
		existing, rest = filepath.Dir(existing), filepath.Join(filepath.Base(existing), rest)
	}
	return path
}
