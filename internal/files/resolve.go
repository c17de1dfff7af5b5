package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxLinks is how many links a path may have, as on Linux.
const maxLinks = 40

// Resolve returns a path relative to root with all links followed, including one at its end.
// Absolute links may lead to root's directory or below, which [os.Root] refuses. The error is
// ErrLeaves, ErrLoop, or an *OwnershipError if a link must not be followed. If the target is
// missing, it returns the target's path with an error that matches [fs.ErrNotExist].
func Resolve(root *os.Root, relPath string) (string, error) {
	rest := strings.Split(path.Clean(relPath), "/")
	at := "."
	followed := followedLinks{root: root}
	for links := 0; ; {
		if err := followed.arrive(at, len(rest)); err != nil {
			return "", err
		}
		if len(rest) == 0 {
			return at, nil
		}
		name := rest[0]
		rest = rest[1:]
		if name == "." || name == "" {
			continue
		}
		if name == ".." {
			if at == "." {
				return "", fmt.Errorf("%s: %w", relPath, ErrLeaves)
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, name)
		info, err := root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) && slices.Contains(rest, "..") {
			return "", fmt.Errorf("%s: %w", relPath, syscall.ENOTDIR) // a missing directory has no parent
		}
		if errors.Is(err, fs.ErrNotExist) {
			// The owner of the last existing directory will own the target.
			if err := followed.arrive(at, -1); err != nil {
				return "", err
			}
		}
		if err != nil {
			return path.Join(append([]string{next}, rest...)...), err
		}
		if info.Mode().Type() != fs.ModeSymlink {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: %w", relPath, ErrLoop)
		}
		target, err := root.Readlink(next)
		if err != nil {
			return "", err
		}
		followed.add(info, next, len(rest))
		if filepath.IsAbs(target) {
			if target, err = beneath(root, target); err != nil {
				return "", fmt.Errorf("%s: %w", relPath, err)
			}
			at = "."
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
}

// followedLinks are the links on a path whose targets are not resolved yet.
type followedLinks struct {
	root  *os.Root
	links []followedLink // innermost last
}

type followedLink struct {
	uid  int
	path string
	left int // number of path elements after the link
}

func (f *followedLinks) add(link fs.FileInfo, at string, left int) {
	uid, _ := owner(link)
	f.links = append(f.links, followedLink{uid, at, left})
}

// arrive is called when the path at is reached and left elements remain. It removes from f the
// links whose targets end there, and returns an *OwnershipError if one of them must not be
// followed.
func (f *followedLinks) arrive(at string, left int) error {
	for len(f.links) > 0 && left <= f.links[len(f.links)-1].left {
		link := f.links[len(f.links)-1]
		f.links = f.links[:len(f.links)-1]
		info, err := f.root.Lstat(at)
		if err != nil {
			return err
		}
		if uid, _ := owner(info); !mayLink(os.Geteuid(), link.uid, uid) {
			return &OwnershipError{path.Join(filepath.ToSlash(f.root.Name()), link.path), whyLink}
		}
	}
	return nil
}

// beneath returns the part of an absolute path below root's directory, whose own path may have
// links. It is "" for the directory itself. The error is ErrLeaves if the path is outside it.
func beneath(root *os.Root, target string) (string, error) {
	dirs := []string{root.Name()}
	if real, err := filepath.EvalSymlinks(root.Name()); err == nil {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		rest, inside := strings.CutPrefix(target, dir)
		if inside && (rest == "" || os.IsPathSeparator(rest[0])) {
			return rest, nil
		}
	}
	return "", ErrLeaves
}

// Stat returns information about a file with all links followed. The error matches fs.ErrNotExist
// if it is missing, and is ErrLeaves, ErrLoop or an *OwnershipError if a link must not be followed.
// The owners of links are checked only if one is absolute.
func Stat(root *os.Root, relPath string) (fs.FileInfo, error) {
	if info, err := root.Stat(relPath); err == nil { // has no absolute link
		return info, nil
	}
	target, err := Resolve(root, relPath)
	if err != nil {
		return nil, err
	}
	return root.Lstat(target)
}

// Lstat returns information about a path itself: it follows links in its parents, but not one at
// its end. The error matches fs.ErrNotExist if nothing is there, and is ErrLeaves, ErrLoop or an
// *OwnershipError if a link must not be followed. The owners of links are checked only if one is
// absolute.
func Lstat(root *os.Root, relPath string) (fs.FileInfo, error) {
	if info, err := root.Lstat(relPath); err == nil {
		return info, nil
	}
	dir, err := Resolve(root, path.Dir(relPath))
	if err != nil {
		return nil, err
	}
	return root.Lstat(path.Join(dir, path.Base(relPath)))
}
