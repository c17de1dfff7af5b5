package agents

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// Entry is a memory file, or another entry that a person should know about.
type Entry struct {
	Path       string            // slash-separated, relative to the agent's directory; valid UTF-8
	Session    string            // empty: in the primary directory
	Size       int64             // bytes
	ModTime    int64             // nanoseconds since 1970
	ChangeTime int64             // of content or metadata, in nanoseconds since 1970; 0 if unknown
	Inode      uint64            // 0 if unknown
	Problem    *memories.Problem // nil: a regular file that can be read
}

// Listing is the result of a walk.
type Listing struct {
	Files   []Entry  // sorted by path
	Indexes []string // the paths of the MEMORY.md files, sorted
	Others  []Other  // files that may be text, unsorted; not among Files
	// Links are the paths of all links that the walk found. The caller must scan them again when
	// their targets change.
	Links []string
	// Failed are the sorted paths that could not be read. Their contents are unknown. Directories
	// of Failed are also among Files, with a problem.
	Failed []string
	// Blocked describes the directories among Failed.
	Blocked []Blocked
	// Sessions is the number of session directories, or -1 if the walk did not list all.
	Sessions int
	// HasPrimary means that the primary directory existed, was readable and was not replaced
	// during the walk.
	HasPrimary bool
	// PrimaryDevice and PrimaryInode identify the primary directory. Another device means that a
	// file system was mounted or unmounted; another inode means a replaced directory. They are zero
	// if unknown.
	PrimaryDevice, PrimaryInode uint64
	// Exhausted is the error if too few files could be opened; files.IsExhausted reports true for
	// it. The caller must then repeat the walk, because the listing is incomplete.
	Exhausted error

	covered      map[string]bool // scanned completely, with everything below
	skippedLinks map[string]bool // links to directories that are listed at their own paths
	omitted      map[string]bool // files omitted on purpose, see AddOthers
	unscanned    map[string]bool // not scanned, with everything below
}

// Covers reports whether the walk scanned the place of a path completely. The path must be in the
// scope. The path and its parents must not have failed or been left out. If Covers reports true,
// the walk listed a memory file that was at the path, under this or another path.
func (l Listing) Covers(relPath string) bool {
	relPath = path.Clean(relPath)
	isUnseen := func(raw string) bool { return within(l.unscanned, raw) }
	return within(l.covered, relPath) && !slices.ContainsFunc(rawPaths(relPath), isUnseen)
}

// Gone returns the known paths that the walk covered, did not list, and at which root has no file
// now. The check through root is needed because some file systems do not list a file that is being
// replaced. It also returns covered paths whose file is listed under another path: behind a skipped
// link or in another spelling. Paths omitted by AddOthers are returned too. It fails only with an
// error for which files.IsExhausted reports true.
func (l Listing) Gone(root *os.Root, known []string) ([]string, error) {
	var gone []string
	for _, relPath := range known {
		if l.lists(path.Clean(relPath)) || !l.Covers(relPath) {
			continue
		}
		is := l.omitted[relPath] || l.isBehindSkippedLink(root, relPath)
		if !is {
			var err error
			if is, err = noFile(root, relPath); files.IsExhausted(err) {
				return nil, err
			}
			is = is || l.hasOtherSpelling(root, relPath)
		}
		if is {
			gone = append(gone, relPath)
		}
	}
	return gone, nil
}

// lists reports whether a path is among Files or Indexes.
func (l Listing) lists(relPath string) bool {
	_, index := slices.BinarySearch(l.Indexes, relPath)
	return index || l.HasFile(relPath)
}

// HasFile reports whether a path is among Files, also as an entry with a problem. Indexes do not
// count.
func (l Listing) HasFile(relPath string) bool {
	_, is := slices.BinarySearchFunc(l.Files, relPath, func(e Entry, path string) int { return strings.Compare(e.Path, path) })
	return is
}

// hasOtherSpelling reports whether the file at a path is among Files under a path that differs only
// in letter case or Unicode form. File systems that ignore these find a renamed file also by its
// former name.
func (l Listing) hasOtherSpelling(root *os.Root, relPath string) bool {
	info, err := files.Lstat(root, relPath)
	if err != nil {
		return false
	}
	_, inode, _ := Identity(info)
	return inode != 0 && slices.ContainsFunc(l.Files, func(e Entry) bool {
		return e.Inode == inode && e.Path != relPath && strings.EqualFold(norm.NFC.String(e.Path), norm.NFC.String(relPath))
	})
}

// isBehindSkippedLink reports whether a parent of a path is a link that the walk skipped, because
// its target is listed at its own path. It reports false if that parent is no link now.
func (l Listing) isBehindSkippedLink(root *os.Root, relPath string) bool {
	for dir := path.Dir(relPath); dir != "."; dir = path.Dir(dir) {
		if l.skippedLinks[dir] {
			info, err := files.Lstat(root, dir)
			return err == nil && info.Mode().Type() == fs.ModeSymlink
		}
	}
	return false
}

// noFile reports whether no file is at a path: nothing, a directory or a link. For an escaped name,
// it checks all paths on disk that the name may stand for. It fails if a path cannot be examined.
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
