package agents

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// Entry is one memory file, or something in a place of one that a person should know about.
type Entry struct {
	Path       string // slash-separated, relative to the agent's directory; valid UTF-8
	Session    string // empty: in the durable directory
	Size       int64  // bytes
	ModTime    int64  // nanoseconds since 1970
	ChangeTime int64  // of its metadata, nanoseconds since 1970; 0 where the system does not tell, as is the next
	Inode      uint64
	Problem    *memories.Problem // not nil: it is no file that can be read
}

// Listing is what one walk saw.
type Listing struct {
	Files   []Entry  // sorted by path
	Indexes []string // the paths of the MEMORY.md files, sorted
	Others  []Other  // files that may be text, in no order; not among Files
	// Links are the paths of the links that the walk came by, listed or not: what they mean changes with their target.
	Links []string
	// Failed are the directories and files that could not be looked at, sorted. Nothing is known about what lies beneath.
	// The directories are among Files too, to be shown.
	Failed []string
	// Blocked are the directories among Failed, with the reasons.
	Blocked []Blocked
	// Sessions is how many session directories there are, or -1 when this walk did not list them all.
	Sessions int
	// DurableThere: the durable directory was there, readable, and the same one from the walk's beginning to its end.
	DurableThere bool
	// DurableDevice and DurableInode tell the durable directory from another in its place. On another device something was mounted or
	// unmounted there; on the same one another directory was put there. Both are zero where the system has none.
	DurableDevice, DurableInode uint64
	// Exhausted is why the walk has seen too little to go by: the system had nothing left to open something with, for which files.IsExhausted
	// holds. It is to be done again.
	Exhausted error

	covered map[string]bool // looked at, with all that is beneath
	passed  map[string]bool // links to directories that are walked by themselves: what is beneath is there, and not here
	leftOut map[string]bool // not listed by choice
	unseen  map[string]bool // not looked at after all, with all that is beneath
}

// Covers reports whether the walk looked at the place of a path, completely and with success: a file that was there before and
// is not among Files has then left its place.
func (l Listing) Covers(relPath string) bool {
	relPath = path.Clean(relPath)
	isUnseen := func(raw string) bool { return within(l.unseen, raw) }
	return within(l.covered, relPath) && !slices.ContainsFunc(rawPaths(relPath), isUnseen)
}

// Gone returns those of the known paths that have left their place: covered, not listed, and on a second look through root not
// a file either. The second look is for saves by renaming, which some file systems do not list while the directory is being read. It
// fails as files.IsExhausted says.
func (l Listing) Gone(root *os.Root, known []string) ([]string, error) {
	var gone []string
	for _, relPath := range known {
		if l.lists(path.Clean(relPath)) || !l.Covers(relPath) {
			continue
		}
		is := l.leftOut[relPath] || l.isElsewhere(root, relPath)
		if !is {
			var err error
			if is, err = noFile(root, relPath); files.IsExhausted(err) {
				return nil, err
			}
			is = is || l.isSpelledOtherwise(root, relPath)
		}
		if is {
			gone = append(gone, relPath)
		}
	}
	return gone, nil
}

func (l Listing) lists(relPath string) bool {
	_, index := slices.BinarySearch(l.Indexes, relPath)
	return index || l.HasFile(relPath)
}

// HasFile reports whether a path is among Files.
func (l Listing) HasFile(relPath string) bool {
	_, is := slices.BinarySearchFunc(l.Files, relPath, func(e Entry, path string) int { return strings.Compare(e.Path, path) })
	return is
}

// isSpelledOtherwise reports whether the file at a path is listed under another spelling of that: a file system that does not tell letter
// case apart finds a file by the name that it had, too.
func (l Listing) isSpelledOtherwise(root *os.Root, relPath string) bool {
	info, err := files.Lstat(root, relPath)
	if err != nil {
		return false
	}
	_, inode, _ := Identity(info)
	return inode != 0 && slices.ContainsFunc(l.Files, func(e Entry) bool {
		return e.Inode == inode && e.Path != relPath && strings.EqualFold(norm.NFC.String(e.Path), norm.NFC.String(relPath))
	})
}

// isElsewhere reports whether a path leads through a link that was passed over, and is still one: what it leads to has a place of
// its own.
func (l Listing) isElsewhere(root *os.Root, relPath string) bool {
	for dir := path.Dir(relPath); dir != "."; dir = path.Dir(dir) {
		if l.passed[dir] {
			info, err := files.Lstat(root, dir)
			return err == nil && info.Mode().Type() == fs.ModeSymlink
		}
	}
	return false
}

func noFile(root *os.Root, relPath string) (bool, error) {
	for _, raw := range rawPaths(relPath) {
		info, err := files.Lstat(root, raw)
		if err != nil && !isGone(err) {
			return false, err
		}
		if err == nil && !info.IsDir() && info.Mode().Type() != fs.ModeSymlink {
			return false, nil
		}
	}
	return true, nil
}

// within reports whether a path or one of its ancestors is in the set.
func within(set map[string]bool, relPath string) bool {
	for !set[relPath] {
		parent := path.Dir(relPath)
		if parent == relPath {
			return false
		}
		relPath = parent
	}
	return true
}

// reason returns the innermost text of an error: paths in front of it would repeat what the page shows already.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
