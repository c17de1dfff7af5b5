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
	"sync/atomic"
	"syscall"
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

// IsOwnership reports whether err is an *OwnershipError.
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
	// vetted is the result for the last root. It references the root, so that another root cannot
	// have the same address. Batches use one root many times.
	vetted atomic.Pointer[vetted]
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

// vetted is the result of checking the parents of an open directory.
type vetted struct {
	root   *os.Root
	owners owners
	err    error
}

// owners are the owners of the checked directories.
type owners struct {
	self  int
	found int // the only owner other than root; noOwner before the first
}

// add returns an *OwnershipError if files of this user must not be written together with the
// others.
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

// mayLink reports whether a link may be followed, given the owners of the process, link and target.
func mayLink(self, linkOwner, targetOwner int) bool {
	return self == noOwner || linkOwner == 0 || linkOwner == self || linkOwner == targetOwner
}

func isOpenToAll(mode fs.FileMode) bool {
	return mode.IsDir() && mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0
}

// An entry is a file, directory or link in a directory.
type entry struct {
	uid    int
	mode   fs.FileMode
	target string // target of a link
}

// A place is an open directory on the way to a file.
type place interface {
	// lookUp returns the entry with a name. It does not follow a link.
	lookUp(name string) (entry, error)
	// enter opens the directory that lookUp has just returned.
	enter(name string) (place, entry, error)
	close()
}

// resolver follows a path through open directories.
type resolver struct {
	self     int
	owners   owners
	isTop    bool // opened[0] is the root of the file system
	writing  bool // owners and permissions are checked, not only links
	ofFile   bool // the owner of the file at the end is checked too
	absolute func(target string) (string, error)
	make     func(in place, name string) error // creates a missing directory; may be nil

	opened []place // the start directory, and the open directories below it
	paths  []string
	uids   []int
	links  int
}

// step is one element of a path, or marks the end of a link's target.
type step struct {
	name  string
	link  *linkStep
	count bool // the owner of this directory is checked
}

type linkStep struct {
	owner int
	path  string
}

func stepsOf(p string, count bool) (steps []step) {
	for name := range strings.SplitSeq(p, "/") {
		if name != "" && name != "." {
			steps = append(steps, step{name: name, count: count})
		}
	}
	return steps
}

func (r *resolver) in() place    { return r.opened[len(r.opened)-1] }
func (r *resolver) path() string { return r.paths[len(r.paths)-1] }
func (r *resolver) uid() int     { return r.uids[len(r.uids)-1] }

// leave closes directories until this many are open.
func (r *resolver) leave(open int) {
	for _, p := range r.opened[open:] {
		p.close()
	}
	r.opened, r.paths, r.uids = r.opened[:open], r.paths[:open], r.uids[:open]
}

// close closes all directories except the first and kept.
func (r *resolver) close(kept place) {
	for _, p := range r.opened[1:] {
		if p != kept {
			p.close()
		}
	}
}

// walk enters the directories of a path. If last is set, it enters the last element too and returns
// ".". Otherwise it returns the last element's name; if follow is set, it follows a link of that
// name first.
func (r *resolver) walk(rest []step, last, follow bool) (name string, err error) {
	for len(rest) > 0 {
		s := rest[0]
		rest = rest[1:]
		switch {
		case s.link != nil:
			if !mayLink(r.self, s.link.owner, r.uid()) {
				return "", &OwnershipError{s.link.path, whyLink}
			}
			if err := r.count(s.count, r.uid(), r.path()); err != nil {
				return "", err
			}
			continue
		case s.name == "..":
			if len(r.opened) == 1 && !r.isTop {
				return "", ErrLeaves
			}
			r.leave(max(len(r.opened)-1, 1))
			continue
		}
		at := r.path() + "/" + s.name
		isLast := !last && !slices.ContainsFunc(rest, func(s step) bool { return s.link == nil })
		is, err := r.in().lookUp(s.name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isLast:
			// The owner of the directory will own the new file.
			return s.name, r.endLinks(rest, r.uid())
		case errors.Is(err, fs.ErrNotExist) && r.make != nil && !slices.ContainsFunc(rest, func(s step) bool { return s.name == ".." }):
			if err := r.make(r.in(), s.name); err != nil {
				return "", err
			}
			rest = slices.Insert(rest, 0, s)
			continue
		case err != nil:
			return "", err
		case is.mode.Type() == fs.ModeSymlink && (!isLast || follow):
			if rest, err = r.follow(is, at, s, rest); err != nil {
				return "", err
			}
			continue
		case isLast:
			if err := r.endLinks(rest, is.uid); err != nil {
				return "", err
			}
			return s.name, r.count(r.ofFile && is.mode.IsRegular(), is.uid, at)
		case !is.mode.IsDir():
			return "", syscall.ENOTDIR
		}
		if err := r.enter(s, at); err != nil {
			return "", err
		}
	}
	return ".", nil
}

// endLinks checks the links that end at a target owned by uid.
func (r *resolver) endLinks(rest []step, uid int) error {
	for _, s := range rest {
		if !mayLink(r.self, s.link.owner, uid) {
			return &OwnershipError{s.link.path, whyLink}
		}
	}
	return nil
}

// follow replaces a link's name by its target.
func (r *resolver) follow(link entry, at string, s step, rest []step) ([]step, error) {
	if r.links++; r.links > maxLinks {
		return nil, ErrLoop
	}
	target := link.target
	if filepath.IsAbs(target) {
		var err error
		if target, err = r.absolute(target); err != nil {
			return nil, err
		}
		r.leave(1)
	}
	steps := stepsOf(filepath.ToSlash(target), false) // owners up to the target are not checked
	steps = append(steps, step{link: &linkStep{link.uid, at}, count: s.count})
	return append(steps, rest...), nil
}

func (r *resolver) enter(s step, at string) error {
	below, is, err := r.in().enter(s.name)
	if err != nil {
		return err
	}
	r.opened, r.paths, r.uids = append(r.opened, below), append(r.paths, at), append(r.uids, is.uid)
	if r.writing && isOpenToAll(is.mode) {
		return &OwnershipError{at, whyOthersWrite}
	}
	return r.count(s.count, is.uid, at)
}

func (r *resolver) count(counts bool, uid int, at string) error {
	if !r.writing || !counts {
		return nil
	}
	return r.owners.add(uid, at)
}

// vet returns the result of checking root's directory and its parents.
func (g *Guard) vet(root *os.Root) vetted {
	if found := g.vetted.Load(); found != nil && found.root == root {
		return *found
	}
	v := vetted{root: root, owners: owners{self: g.self, found: noOwner}}
	if g.self != noOwner {
		v.owners, v.err = g.above(root, true)
	}
	g.vetted.Store(&v)
	return v
}

// above checks an open directory and its parents from the root of the file system on. The error may
// be an *OwnershipError.
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
		isTop: true, opened: []place{top}, paths: []string{""}, uids: []int{is.uid},
	}
	defer func() { r.close(nil) }()
	steps := stepsOf(filepath.ToSlash(filepath.Clean(name)), false)
	for i := g.countedFrom(name, len(steps)); i < len(steps); i++ {
		steps[i].count = true
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

// countedFrom returns the index of the first path element whose owner is checked: the outermost
// configured directory, else the last element.
func (g *Guard) countedFrom(name string, elements int) int {
	from := elements - 1
	for _, top := range g.tops {
		if rest, below := strings.CutPrefix(name, top); below && (rest == "" || os.IsPathSeparator(rest[0])) {
			from = min(from, len(stepsOf(filepath.ToSlash(top), false))-1)
		}
	}
	return max(from, 0)
}

// Check returns an error if a file may not be written at a path: an *OwnershipError, or a file
// system error. A missing file is not an error. For a link, the target is checked.
func (g *Guard) Check(root *os.Root, relPath string) error {
	return g.check(root, relPath, way{follow: true})
}

// CheckRemoval is Check for removing a file. The file's owner does not matter, because a
// directory's owner may remove any file in it. A link is not followed.
func (g *Guard) CheckRemoval(root *os.Root, relPath string) error {
	return g.check(root, relPath, way{})
}

func (g *Guard) check(root *os.Root, relPath string, how way) error {
	at, err := g.enter(root, relPath, how)
	if err != nil {
		return unlessGone(err)
	}
	at.close()
	return nil
}

// way is how a path is followed.
type way struct {
	into   bool // enter the directory at the path
	follow bool // follow a link at the path, and check the owner of the file
	mk     bool // create missing directories
}

// entered is an open directory and the name of a file in it.
type entered struct {
	dir  *os.Root
	name string // "." for the directory itself
	own  bool   // close must close dir
}

func (e entered) close() {
	if e.own {
		e.dir.Close() //nolint:errcheck // nothing was written through this handle
	}
}

// enter checks a path and opens its directory if the file may be written.
func (g *Guard) enter(root *os.Root, relPath string, how way) (entered, error) {
	v := g.vet(root)
	if v.err != nil {
		return entered{}, v.err
	}
	info, err := root.Stat(".")
	if err != nil {
		return entered{}, err
	}
	uid, _ := owner(info)
	bottom := rootPlace{root}
	r := resolver{
		self: g.self, owners: v.owners, writing: g.self != noOwner, ofFile: how.follow,
		absolute: func(target string) (string, error) { return beneath(root, target) },
		opened:   []place{bottom}, paths: []string{strings.TrimSuffix(filepath.ToSlash(root.Name()), "/")}, uids: []int{uid},
	}
	if how.mk {
		r.make = func(in place, name string) error {
			dir := in.(rootPlace).root
			if err := makeDirectory(dir, ".", name); err != nil {
				return err
			}
			return syncDirectory(dir, ".")
		}
	}
	name, err := r.walk(stepsOf(path.Clean(relPath), true), how.into, how.follow)
	if err != nil {
		r.close(nil)
		return entered{}, err
	}
	kept := r.in()
	r.close(kept)
	return entered{dir: kept.(rootPlace).root, name: name, own: kept != place(bottom)}, nil
}

// rootPlace is a directory that was opened through an os.Root.
type rootPlace struct{ root *os.Root }

func (p rootPlace) lookUp(name string) (entry, error) {
	info, err := p.root.Lstat(name)
	if err != nil {
		return entry{}, err
	}
	uid, _ := owner(info)
	is := entry{uid: uid, mode: info.Mode()}
	if info.Mode().Type() != fs.ModeSymlink {
		return is, nil
	}
	if is.target, err = p.root.Readlink(name); err != nil {
		return entry{}, err
	}
	// The owner is valid only for the link that was read.
	if again, err := p.root.Lstat(name); err != nil || !os.SameFile(info, again) || !again.ModTime().Equal(info.ModTime()) {
		return entry{}, errors.Join(ErrChanged, err)
	}
	return is, nil
}

func (p rootPlace) enter(name string) (place, entry, error) {
	before, err := p.root.Lstat(name)
	if err != nil {
		return nil, entry{}, err
	}
	below, err := p.root.OpenRoot(name)
	if err != nil {
		return nil, entry{}, err
	}
	info, err := below.Stat(".")
	if err == nil && !os.SameFile(before, info) {
		err = ErrChanged // a link has replaced it
	}
	if err != nil {
		below.Close() //nolint:errcheck // nothing was written
		return nil, entry{}, err
	}
	uid, _ := owner(info)
	return rootPlace{below}, entry{uid: uid, mode: info.Mode()}, nil
}

func (p rootPlace) close() { p.root.Close() } //nolint:errcheck // nothing was written
