package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// OwnershipError means that a file is not written or a link is not followed. The reason is an
// owner, or a directory that all users may write.
type OwnershipError struct {
	Path string // absolute path of the directory, file or link that is the reason
	why  string
}

func (e *OwnershipError) Error() string { return fmt.Sprintf(e.why, e.Path) }

// Reasons of an OwnershipError. Each is part of a sentence and contains the path.
const (
	whyOthersWrite = "all users may write to %s (it has no sticky bit)"
	whyOtherOwner  = "%s belongs to another user than the one that Memoir runs as"
	whyMixedOwners = "%s belongs to another user than the directories above it"
	whyLink        = "the link %s belongs to another user than its target"
	whyReplaced    = "%s was moved or replaced at the same time"
)

// IsOwnership reports whether err is or wraps an *OwnershipError.
func IsOwnership(err error) bool {
	var owned *OwnershipError
	return errors.As(err, &owned)
}

// noOwner is the user ID on systems without file owners.
const noOwner = -1

// Guard decides where Memoir may write. It refuses directories that all users may write without the
// sticky bit, and everything below. Only root may write another user's files, and only if all
// directories from the configured one down have the same owner or root. It checks open directories
// and returns them, so that replacing a directory or link has no effect. It is safe for concurrent
// use.
type Guard struct {
	tops []string // the configured directories
	self int      // user ID of this process, or noOwner
}

// NewGuard returns a guard for files below the configured directories tops.
func NewGuard(tops ...string) *Guard {
	g := &Guard{self: os.Geteuid()}
	for _, top := range tops {
		if abs, err := filepath.Abs(top); err == nil {
			g.tops = append(g.tops, abs)
		}
	}
	return g
}

// owners are the owners of the checked directories.
type owners struct {
	self  int
	found int // the only owner other than root; noOwner before the first
}

// add records the owner of a directory. It returns an *OwnershipError if this process must not
// write the user's files, or not together with those of the owner recorded before. Root's
// directories are always allowed.
func (o *owners) add(uid int, at string) error {
	switch {
	case o.self == noOwner || uid == noOwner || uid == 0:
	case o.self != 0 && uid != o.self:
		return &OwnershipError{at, whyOtherOwner}
	case o.found != noOwner && o.found != uid:
		return &OwnershipError{at, whyMixedOwners}
	default:
		o.found = uid
	}
	return nil
}

// mayLink reports whether a link may be followed: its owner is root, the user of this process
// (self), or the owner of its target. It is true on a system without owners.
func mayLink(self, linkOwner, targetOwner int) bool {
	return self == noOwner || linkOwner == 0 || linkOwner == self || linkOwner == targetOwner
}

func isOpenToAll(mode fs.FileMode) bool {
	return mode.IsDir() && mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0
}

// above opens the directories on the path of root, from the root of the file system on. It checks
// links, and if writing, owners and permissions. It returns the owners of the checked directories,
// and leaves none of them open. The error is an *OwnershipError if a check fails or if the path
// does not lead to root now.
func (g *Guard) above(root *os.Root, writing bool) (owners, error) {
	none := owners{self: g.self, found: noOwner}
	name := root.Name()
	if !filepath.IsAbs(name) {
		var err error
		if name, err = filepath.Abs(name); err != nil {
			return none, err
		}
	}
	top, is, err := openTop()
	if err != nil {
		return none, err
	}
	defer top.close()
	r := resolver{
		self: g.self, owners: none, writing: writing, absolute: func(target string) (string, error) { return target, nil },
		isTop: true, opened: []dirHandle{top}, paths: []string{""}, uids: []int{is.uid},
	}
	defer func() { r.close(nil) }()
	steps := stepsOf(filepath.ToSlash(filepath.Clean(name)), false)
	for i := g.firstChecked(name, len(steps)); i < len(steps); i++ {
		steps[i].checked = true
	}
	_, err = r.walk(steps, true, true)
	same := false
	if err == nil {
		same, err = isSame(r.in(), root)
	}
	if err == nil && !same || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrChanged) {
		err = &OwnershipError{name, whyReplaced}
	}
	return r.owners, err
}

// firstChecked returns the index of the first path element whose owner is checked: the outermost
// configured directory, else the last element.
func (g *Guard) firstChecked(name string, elements int) int {
	from := elements - 1
	for _, top := range g.tops {
		if rest, below := strings.CutPrefix(name, top); below && (rest == "" || os.IsPathSeparator(rest[0])) {
			from = min(from, len(stepsOf(filepath.ToSlash(top), false))-1)
		}
	}
	return max(from, 0)
}

// Check returns nil if a file may be written at a path, or if its directory is missing. Otherwise
// it returns an *OwnershipError, or an error of the file system. For a link, the target is checked.
// It changes nothing.
func (g *Guard) Check(root *os.Root, relPath string) error {
	return g.check(root, relPath, pathMode{follow: true})
}

// CheckRemoval returns nil if the file at a path may be removed, or if it is missing. Otherwise it
// returns an *OwnershipError, or an error of the file system. The file's owner does not matter,
// because a directory's owner may remove any file in it. A link is not followed. It changes
// nothing.
func (g *Guard) CheckRemoval(root *os.Root, relPath string) error {
	return g.check(root, relPath, pathMode{})
}

func (g *Guard) check(root *os.Root, relPath string, how pathMode) error {
	at, err := g.enter(root, relPath, how)
	if err != nil {
		return ignoreMissing(err)
	}
	at.close()
	return nil
}

// pathMode is how a path is followed.
type pathMode struct {
	into   bool // enter the directory at the path
	follow bool // follow a link at the path, and check the owner of the file
	mk     bool // create missing directories
}

// openedDir is an open directory and the name of a file in it.
type openedDir struct {
	dir  *os.Root
	name string // "." for the directory itself
	own  bool   // close must close dir
}

func (e openedDir) close() {
	if e.own {
		e.dir.Close() //nolint:errcheck // nothing was written through this handle
	}
}

// enter checks a path and opens the directory of the file there, or with how.into the directory at
// the path. The file need not exist. A missing directory is created with how.mk; otherwise the
// error matches fs.ErrNotExist. The error is an *OwnershipError if the guard refuses the path, and
// ErrLeaves or ErrLoop for such links. The caller must close the result.
func (g *Guard) enter(root *os.Root, relPath string, how pathMode) (openedDir, error) {
	found := owners{self: g.self, found: noOwner}
	if g.self != noOwner {
		var err error
		if found, err = g.above(root, true); err != nil {
			return openedDir{}, err
		}
	}
	info, err := root.Stat(".")
	if err != nil {
		return openedDir{}, err
	}
	uid, _ := owner(info)
	bottom := rootHandle{root}
	r := resolver{
		self: g.self, owners: found, writing: g.self != noOwner, ofFile: how.follow,
		absolute: func(target string) (string, error) { return beneath(root, target) },
		opened:   []dirHandle{bottom}, paths: []string{strings.TrimSuffix(filepath.ToSlash(root.Name()), "/")}, uids: []int{uid},
	}
	if how.mk {
		r.make = func(in dirHandle, name string) error {
			dir := in.(rootHandle).root
			if err := makeDirectory(dir, ".", name); err != nil {
				return err
			}
			return syncDirectory(dir, ".")
		}
	}
	name, err := r.walk(stepsOf(path.Clean(relPath), true), how.into, how.follow)
	if err != nil {
		r.close(nil)
		return openedDir{}, err
	}
	last := r.in()
	r.close(last)
	return openedDir{dir: last.(rootHandle).root, name: name, own: last != dirHandle(bottom)}, nil
}
