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

// OwnershipError means that something is not written, or a link not followed, because of who owns
// it or who may write it.
type OwnershipError struct {
	Path string // absolute, of the directory, file or link that is the reason
	why  string
}

func (e *OwnershipError) Error() string { return fmt.Sprintf(e.why, e.Path) }

// The reasons. Each is part of a sentence and names the path.
const (
	whyOthersWrite = "all users may write to %s (it has no sticky bit)"
	whyOtherOwner  = "%s belongs to another user than the one that Memoir runs as"
	whyMixedOwners = "%s belongs to another user than the directories above it"
	whyLink        = "the link %s belongs to another user than its target"
	whyReplaced    = "%s was moved or replaced at the same time"
)

// IsOwnership reports whether an error is about who owns a file or who may write it.
func IsOwnership(err error) bool {
	var owned *OwnershipError
	return errors.As(err, &owned)
}

// noOwner stands for the owner of a file on a system where files have none.
const noOwner = -1

// Guard decides where Memoir writes. It is safe for concurrent use.
//
// It refuses a directory that all users may write without the sticky bit, and all below. It allows
// another user's files to be written only by root, and only if every directory from the one in the
// settings down to the file, and the file, belong to one user or to root. It follows a link if root
// or the own user owns it, or if its owner owns the target.
//
// It decides on opened directories, and returns the one that it has decided on: if a directory or a
// link on the way is replaced, what is written is not affected.
type Guard struct {
	tops []string // the directories of the settings
	self int      // this process's user; noOwner where files have none
	// vetted is the directory that was asked for last, which stays referenced so that no other one
	// is taken for it. A batch asks for the same one each time.
	vetted atomic.Pointer[vetted]
}

// NewGuard returns a guard. tops are the directories in the settings; below them, owners count.
func NewGuard(tops ...string) *Guard {
	g := &Guard{self: os.Geteuid()}
	for _, top := range tops {
		if abs, err := filepath.Abs(top); err == nil {
			g.tops = append(g.tops, abs)
		}
	}
	return g
}

// vetted is the result of checking the directories above an opened one.
type vetted struct {
	root   *os.Root
	owners owners
	err    error
}

// owners are the users whose directories were passed.
type owners struct {
	self  int
	found int // the one user besides root; noOwner if there is none yet
}

// add fails if a file of this user must not be written along with the others.
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

// mayLink reports whether a link of one user may lead to a target of another.
func mayLink(self, linkOwner, targetOwner int) bool {
	return self == noOwner || linkOwner == 0 || linkOwner == self || linkOwner == targetOwner
}

func isOpenToAll(mode fs.FileMode) bool {
	return mode.IsDir() && mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0
}

// An entry describes a file, directory or link in a directory.
type entry struct {
	uid    int
	mode   fs.FileMode
	target string // of a link
}

// A place is an opened directory on the way to a file.
type place interface {
	// lookUp returns what a name stands for; links are not followed.
	lookUp(name string) (entry, error)
	// enter opens the directory that lookUp has just returned.
	enter(name string) (place, entry, error)
	close()
}

// resolver follows a path through opened directories.
type resolver struct {
	self     int
	owners   owners
	isTop    bool // the bottom is the top of the file system
	writing  bool // owners and permissions count, not only links
	ofFile   bool // the owner of the file counts
	absolute func(target string) (string, error)
	make     func(in place, name string) error // makes a missing directory; it may be nil

	opened []place // the bottom, and the directories that are open above it
	paths  []string
	uids   []int
	links  int
}

// step is one name of a path, or the end of a link.
type step struct {
	name  string
	link  *linkStep
	count bool // the owner of the directory counts
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

// leave goes back to the directory at which so many are open.
func (r *resolver) leave(open int) {
	for _, p := range r.opened[open:] {
		p.close()
	}
	r.opened, r.paths, r.uids = r.opened[:open], r.paths[:open], r.uids[:open]
}

// close closes what has been opened, except the bottom, and except the directory that is kept.
func (r *resolver) close(kept place) {
	for _, p := range r.opened[1:] {
		if p != kept {
			p.close()
		}
	}
}

// walk enters the directories of a path. With last, it also enters the last one, and returns ".".
// Otherwise it stops in front of the last name, and returns it; with follow, a link of that name is
// followed.
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
			// What is made here belongs to the owner of the directory.
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

// endLinks checks the links whose steps are left. Their target belongs to uid.
func (r *resolver) endLinks(rest []step, uid int) error {
	for _, s := range rest {
		if !mayLink(r.self, s.link.owner, uid) {
			return &OwnershipError{s.link.path, whyLink}
		}
	}
	return nil
}

// follow puts the target of a link in the place of its name.
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
	steps := stepsOf(filepath.ToSlash(target), false) // the directories on the way to the target do not count
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

// vet finds out what there is above an opened directory, and about the directory itself.
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

// above goes from the top of the file system to an opened directory. It fails with *OwnershipError.
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

// countedFrom returns the first element of a path that counts: the outermost of the directories in
// the settings, else the path's own directory.
func (g *Guard) countedFrom(name string, elements int) int {
	from := elements - 1
	for _, top := range g.tops {
		if rest, below := strings.CutPrefix(name, top); below && (rest == "" || os.IsPathSeparator(rest[0])) {
			from = min(from, len(stepsOf(filepath.ToSlash(top), false))-1)
		}
	}
	return max(from, 0)
}

// Check returns why nothing may be written at a path: an *OwnershipError, or what else prevents it.
// It is nil for a path at which nothing is yet. A link at the path counts for its target.
func (g *Guard) Check(root *os.Root, relPath string) error {
	return g.check(root, relPath, way{follow: true})
}

// CheckRemoval is Check for a file that is to be removed. Its own owner does not count: a
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
	into   bool // the directory at the path is entered
	follow bool // a link at the path is followed, and the owner of the file counts
	mk     bool // missing directories are made
}

// entered is the directory that something is done in, and the name of that in it.
type entered struct {
	dir  *os.Root
	name string // "." for a directory that was entered
	own  bool   // the directory was opened for this
}

func (e entered) close() {
	if e.own {
		e.dir.Close() //nolint:errcheck // nothing is written through the handle itself
	}
}

// enter opens the directory of a path, where something may be written.
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
	// Whose link it is counts only if it is the one that was read.
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
		err = ErrChanged // a link has taken its place
	}
	if err != nil {
		below.Close() //nolint:errcheck // nothing was written
		return nil, entry{}, err
	}
	uid, _ := owner(info)
	return rootPlace{below}, entry{uid: uid, mode: info.Mode()}, nil
}

func (p rootPlace) close() { p.root.Close() } //nolint:errcheck // nothing is written through the handle itself
