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

// As many links in one path as Linux follows.
const maxLinks = 40

// Resolve returns where a path leads when every link on the way, also at its end, is followed: the path of the target,
// relative to root, free of links at this moment. Absolute links count as inside when they lead to root's directory or beneath
// it, which an [os.Root] alone would refuse.
//
// *OwnershipError: a link on the way must not be followed. ErrLeaves, ErrLoop: there is no such place. [fs.ErrNotExist]: there is nothing at the place, which is returned all the same.
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
			return "", fmt.Errorf("%s: %w", relPath, syscall.ENOTDIR) // nothing is above what is not there
		}
		if errors.Is(err, fs.ErrNotExist) {
			// What will be made there belongs to the owner of the last directory that is there.
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

// followedLinks are links on a path whose targets have not been reached yet.
type followedLinks struct {
	root  *os.Root
	links []followedLink // the innermost is the last
}

type followedLink struct {
	uid  int
	path string
	left int // elements of the path behind the link
}

func (f *followedLinks) add(link fs.FileInfo, at string, left int) {
	uid, _ := owner(link)
	f.links = append(f.links, followedLink{uid, at, left})
}

// arrive fails if a link whose target is at a path must not be followed. left is the number of elements
// behind the path.
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

// beneath turns an absolute path into one relative to root.
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

// Stat says what a path leads to when every link is followed as by [Resolve], whose errors it has.
func Stat(root *os.Root, relPath string) (fs.FileInfo, error) {
	if info, err := root.Stat(relPath); err == nil { // no link is absolute
		return info, nil
	}
	target, err := Resolve(root, relPath)
	if err != nil {
		return nil, err
	}
	return root.Lstat(target)
}

// Lstat says what is at a path itself, when every link on the way there is followed as by [Resolve], whose errors it has.
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
