package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// An entry is a file, directory or link in a directory.
type entry struct {
	uid    int
	mode   fs.FileMode
	target string // target of a link
}

// A dirHandle is an open directory on the way to a file.
type dirHandle interface {
	// lookUp returns the entry with a name. It does not follow a link.
	lookUp(name string) (entry, error)
	// enter opens the directory that lookUp has just returned.
	enter(name string) (dirHandle, entry, error)
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
	make     func(in dirHandle, name string) error // creates a missing directory; may be nil

	opened []dirHandle // the start directory, and the open directories below it
	paths  []string
	uids   []int
	links  int
}

// step is one element of a path, or marks the end of a link's target.
type step struct {
	name    string
	link    *linkStep
	checked bool // the owner of this directory is checked
}

type linkStep struct {
	owner int
	path  string
}

// stepsOf returns the elements of a path, without empty ones and ".". checked is set in each of
// them.
func stepsOf(p string, checked bool) (steps []step) {
	for name := range strings.SplitSeq(p, "/") {
		if name != "" && name != "." {
			steps = append(steps, step{name: name, checked: checked})
		}
	}
	return steps
}

func (r *resolver) in() dirHandle { return r.opened[len(r.opened)-1] }

func (r *resolver) path() string { return r.paths[len(r.paths)-1] }

func (r *resolver) uid() int { return r.uids[len(r.uids)-1] }

// leave closes the innermost directories, so that the given number of directories stays open.
func (r *resolver) leave(open int) {
	for _, p := range r.opened[open:] {
		p.close()
	}
	r.opened, r.paths, r.uids = r.opened[:open], r.paths[:open], r.uids[:open]
}

// close closes all directories except the first one and the given one, which may be nil.
func (r *resolver) close(except dirHandle) {
	for _, p := range r.opened[1:] {
		if p != except {
			p.close()
		}
	}
}

// walk opens the directories of a path, one below the other. If last is set, it opens the last
// element too and returns ".". Otherwise it returns the last element's name, which need not exist;
// if follow is set, it first follows a link of that name. It creates missing directories if r.make
// is set. The error is ErrLeaves, ErrLoop, an *OwnershipError, or one of the file system.
func (r *resolver) walk(rest []step, last, follow bool) (name string, err error) {
	for len(rest) > 0 {
		s := rest[0]
		rest = rest[1:]
		switch {
		case s.link != nil:
			if !mayLink(r.self, s.link.owner, r.uid()) {
				return "", &OwnershipError{s.link.path, whyLink}
			}
			if err := r.checkOwner(s.checked, r.uid(), r.path()); err != nil {
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
			return s.name, r.checkOwner(r.ofFile && is.mode.IsRegular(), is.uid, at)
		case !is.mode.IsDir():
			return "", syscall.ENOTDIR
		}
		if err := r.enter(s, at); err != nil {
			return "", err
		}
	}
	return ".", nil
}

// endLinks returns an *OwnershipError if one of the links whose targets end in rest must not lead
// to a file of the user uid. Each element of rest must have a link.
func (r *resolver) endLinks(rest []step, uid int) error {
	for _, s := range rest {
		if !mayLink(r.self, s.link.owner, uid) {
			return &OwnershipError{s.link.path, whyLink}
		}
	}
	return nil
}

// follow returns the remaining steps with the target of a link in front of them. It opens nothing;
// for an absolute target it closes all directories but the first. The error is ErrLoop after
// maxLinks links, and ErrLeaves for an absolute target outside the root.
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
	steps = append(steps, step{link: &linkStep{link.uid, at}, checked: s.checked})
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
	return r.checkOwner(s.checked, is.uid, at)
}

func (r *resolver) checkOwner(counts bool, uid int, at string) error {
	if !r.writing || !counts {
		return nil
	}
	return r.owners.add(uid, at)
}

// rootHandle is a directory that was opened through an os.Root.
type rootHandle struct{ root *os.Root }

func (p rootHandle) lookUp(name string) (entry, error) {
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

func (p rootHandle) enter(name string) (dirHandle, entry, error) {
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
	return rootHandle{below}, entry{uid: uid, mode: info.Mode()}, nil
}

func (p rootHandle) close() { p.root.Close() } //nolint:errcheck // nothing was written
