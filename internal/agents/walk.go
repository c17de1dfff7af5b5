package agents

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// MaxDepth is how many levels below its memory directory a memory file may be; memory/a.md has
// depth 1. It is arbitrary.
const MaxDepth = 4

// maxWalkDepth is the depth at which the walk stops. It lists each file below MaxDepth as too deep,
// and a directory at this depth as one entry.
const maxWalkDepth = 2 * MaxDepth

// readBatch is how many entries of a directory are read at once. It limits memory for directories
// of 100,000 files.
const readBatch = 1024

// Walk lists an agent's memory files. root is the agent's directory; the caller must open it for
// this walk, because an older handle may belong to a replaced directory. scope has the paths to
// scan, relative to root, with everything below them; "." is all. They need not exist. Walk calls
// visit with each directory's relative path before reading it. It returns no error: see Failed and
// Exhausted of the Listing for paths that could not be read.
func Walk(root *os.Root, a Agent, scope []string, visit func(relDir string)) Listing {
	tree := newScope(scope)
	w := walker{root: root, agent: a, visit: visit}
	w.listing = Listing{Sessions: -1, covered: make(map[string]bool), skippedLinks: make(map[string]bool), unscanned: make(map[string]bool), omitted: make(map[string]bool)}
	for _, p := range scope {
		w.listing.covered[path.Clean(p)] = true
	}

	before, beforeErr := w.primaryInfo()
	w.noteExhausted(beforeErr)
	top := directory{path: ".", real: ".", kind: memoryKind, isPrimary: true}
	if a.Rules().HasSessions {
		top.kind = hiveKind
	}
	w.scan(top, tree)
	after, afterErr := w.primaryInfo()
	w.noteExhausted(afterErr)

	// Called in any case: a removed root also looks as if all sessions were removed.
	inPlace := isInPlace(root, w.noteExhausted)
	if !inPlace {
		w.listing.unscanned["."] = true
	}
	if beforeErr == nil && afterErr == nil && os.SameFile(before, after) && inPlace && !within(w.listing.unscanned, a.PrimaryDir()) {
		w.listing.HasPrimary = true
		_, w.listing.PrimaryInode, w.listing.PrimaryDevice = Identity(after)
	} else {
		w.listing.unscanned[a.PrimaryDir()] = true
	}
	return w.listing.sorted()
}

type walker struct {
	root    *os.Root
	agent   Agent
	visit   func(relDir string)
	listing Listing
	notes   *noteReader // nil before the first note
}

type kind int

const (
	hiveKind     kind = iota // a hive agent's directory: only memory/ and sessions/ matter
	sessionsKind             // sessions/: each directory in it is a session
	sessionKind              // a session: only its memory/ matters
	memoryKind               // a memory directory, or a directory below it
)

type directory struct {
	path      string // path in the walk
	real      string // path with links followed
	kind      kind
	session   string
	isPrimary bool
	depth     int  // levels below the top of the memory directory
	linked    bool // reached through a link
	open      openDirectory
}

type item struct {
	name string
	info fs.FileInfo // of the entry itself, with links not followed
}

// scan calls visit and scans one directory: all of it, or the entries in the scope. Of a hive
// agent's directory it scans only memory/ and sessions/, and of a session only memory/.
func (w *walker) scan(d directory, scope *scopeTree) {
	w.visit(d.path)
	if scope.all {
		d.open = w.flagOpen(d)
	}
	switch {
	case d.kind == hiveKind:
		w.scanNamed(d, scope, memoryDir, sessionsDir)
	case d.kind == sessionKind:
		w.scanNamed(d, scope, memoryDir)
	case scope.all:
		w.scanAll(d)
	default:
		w.scanNamed(d, scope, scope.named()...)
	}
}

// scanNamed scans the entries with these names that are in the scope, without listing the
// directory. It lists the directory only for a name that SafePath shortened.
func (w *walker) scanNamed(d directory, scope *scopeTree, names ...string) {
	for _, name := range names {
		inside := scope.child(name)
		if inside == nil {
			continue
		}
		raw, all := rawNames(name)
		for _, name := range raw {
			w.scanOne(d, name, inside)
		}
		if all {
			w.eachOf(d, func(it item) {
				if it.name != name && safeName(it.name) == name {
					w.entry(d, it, inside)
				}
			})
		}
	}
}

// scanOne scans the entry of d with this name on disk. It ignores a missing one, except memory/ of
// a hive agent, which counts as not scanned. An entry that cannot be read is recorded as failed.
func (w *walker) scanOne(d directory, name string, inside *scopeTree) {
	entryPath := path.Join(d.path, name)
	info, err := w.root.Lstat(path.Join(d.real, name))
	switch {
	case err == nil:
		w.entry(d, item{name, info}, inside)
	case isGone(err):
		if d.kind == hiveKind && name == memoryDir {
			w.listing.unscanned[entryPath] = true // a mount may be missing: its memories must not be deleted
		}
	case d.kind == memoryKind:
		w.fail(entryPath, err)
	default:
		w.failDirectory(d.enter(name, ""), inside, err)
	}
}

func (w *walker) scanAll(d directory) {
	if d.kind == sessionsKind {
		w.listing.Sessions = 0
	}
	w.eachOf(d, func(it item) { w.entry(d, it, everything) })
}

// eachOf lists a directory and calls do with each entry. It passes an entry that cannot be examined
// to fail, and a directory that cannot be read to failDirectory.
func (w *walker) eachOf(d directory, do func(item)) {
	fail := func(name string, err error) { w.fail(path.Join(d.path, name), err) }
	if err := readDirectory(w.root, d.real, do, fail); err != nil {
		w.failDirectory(d, everything, err)
	}
}

// readDirectory calls do with each entry of a directory, or fail if the entry cannot be read. It
// returns the error that made the listing incomplete, or nil.
func readDirectory(root *os.Root, dir string, do func(item), fail func(name string, err error)) error {
	// O_NONBLOCK, because the directory may have been replaced by a pipe.
	handle, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer handle.Close()
	for {
		// The handle was opened in a Root, so entry.Info cannot follow a link out of it.
		entries, err := handle.ReadDir(readBatch)
		for _, entry := range entries {
			if info, err := entry.Info(); err != nil {
				fail(entry.Name(), err)
			} else {
				do(item{entry.Name(), info})
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *walker) entry(d directory, it item, scope *scopeTree) {
	switch {
	case isIgnored(it.name), d.kind == memoryKind && !w.isRead(d, it.name):
	case it.info.Mode().Type() == fs.ModeSymlink:
		w.link(d, it, scope)
	case it.info.IsDir():
		w.subdirectory(d.enter(it.name, path.Join(d.real, it.name)), scope)
	default:
		w.file(d, it, scope)
	}
}

// enter returns the subdirectory of d with this name, and with real as its path on disk. Its kind,
// session and depth follow from those of d. It opens nothing.
func (d directory) enter(name, real string) directory {
	sub := d
	sub.path, sub.real = path.Join(d.path, name), real
	switch d.kind {
	case hiveKind:
		sub.kind, sub.isPrimary = memoryKind, true
		if name == sessionsDir {
			sub.kind, sub.isPrimary = sessionsKind, false
		}
	case sessionsKind:
		sub.kind, sub.session = sessionKind, name
	case sessionKind:
		sub.kind = memoryKind
	case memoryKind:
		sub.depth++
	}
	return sub
}

func (w *walker) subdirectory(d directory, scope *scopeTree) {
	if d.kind == sessionKind && w.listing.Sessions >= 0 {
		w.listing.Sessions++
	}
	switch {
	case !validName(d.path):
		w.flagUnscanned(d, scope, nameNotUTF8)
	case d.depth >= maxWalkDepth:
		w.flagUnscanned(d, scope, directoryTooDeep)
	default:
		w.scan(d, scope)
	}
}

func (w *walker) file(d directory, it item, scope *scopeTree) {
	name, info := it.name, it.info
	if d.kind != memoryKind {
		if d.kind != sessionsKind {
			// memory or sessions is not a directory, so its contents are unknown.
			w.fail(path.Join(d.path, name), nil)
			w.block(path.Join(d.path, name), nil)
		}
		return
	}
	if !isMarkdown(name) {
		w.other(d, it, scope)
		return
	}
	entry := newEntry(d, name, info)
	switch {
	case !validName(name):
		entry.Problem = nameNotUTF8
	case !info.Mode().IsRegular():
		entry.Problem = notRegular
	case w.agent.IsNote(entry.Path):
		if !w.isOpenNote(d, entry, it) {
			return
		}
	case d.depth == 0 && w.agent.splits(name):
		w.parts(d, entry, name, scope)
		return
	case isIndex(name):
		w.listing.Indexes = append(w.listing.Indexes, entry.Path)
		return
	case d.depth >= MaxDepth:
		entry.Problem = fileTooDeep
	}
	w.list(entry, scope)
}

// isOpenNote reports whether a note is a memory. It records others as omitted: their memory ends
// although the file stays.
func (w *walker) isOpenNote(d directory, entry Entry, it item) bool {
	raw, err := ReadFile(w.root, path.Join(d.real, it.name), memories.MaxFileSize)
	if err != nil {
		return true // the scan says why
	}
	if w.notes == nil {
		w.notes = newNoteReader(w.agent, w.root)
	}
	if w.notes.isMemory(entry.Path, raw, it.info.ModTime()) {
		return true
	}
	w.listing.omitted[entry.Path] = true
	return false
}

// isRead reports whether the entry of d with this name belongs to the memory.
func (w *walker) isRead(d directory, name string) bool {
	_, _, names := w.agent.locate(path.Join(d.path, name))
	return w.agent.isRead(names)
}

// list lists an entry, if the scope includes the entry itself and not only something below it.
func (w *walker) list(entry Entry, scope *scopeTree) {
	if scope.all {
		w.listing.Files = append(w.listing.Files, entry)
	}
}

// newEntry returns the entry of a file in d, without a problem.
func newEntry(d directory, name string, info fs.FileInfo) Entry {
	entry := Entry{Path: SafePath(path.Join(d.path, name)), Session: d.session, Size: info.Size(), ModTime: since1970(info.ModTime())}
	if change, inode, _ := Identity(info); inode != 0 {
		entry.ChangeTime, entry.Inode = since1970(change), inode
	}
	return entry
}

// since1970 returns t in nanoseconds since 1970, limited to the range of int64 (years 1678 to
// 2261).
func since1970(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// flagUnscanned records a directory as not scanned and, if the scope includes it itself, lists it
// with this problem.
func (w *walker) flagUnscanned(d directory, scope *scopeTree, problem *memories.Problem) {
	w.listing.unscanned[d.path] = true
	w.list(Entry{Path: SafePath(d.path), Session: SafePath(d.session), Problem: problem}, scope)
}

// failDirectory records in listing.Failed that a directory could not be read because of err. Unless
// it was removed during the walk, failDirectory also describes it in listing.Blocked. It then lists
// it with a problem if the scope includes the directory itself.
func (w *walker) failDirectory(d directory, scope *scopeTree, err error) {
	w.fail(d.path, err)
	if !isGone(err) {
		w.block(d.path, err)
		w.flagUnscanned(d, scope, unreadable(err))
	}
}

// fail adds a path that could not be read because of err to listing.Failed and to the paths that
// count as not scanned.
func (w *walker) fail(relPath string, err error) {
	w.noteExhausted(err)
	w.listing.unscanned[relPath] = true
	w.listing.Failed = append(w.listing.Failed, SafePath(relPath))
}

func (w *walker) noteExhausted(err error) {
	if files.IsExhausted(err) {
		w.listing.Exhausted = err
	}
}

// primaryInfo returns the current metadata of the primary directory, with links followed. It fails
// if nothing is there, or with syscall.ENOTDIR if that is not a directory.
func (w *walker) primaryInfo() (fs.FileInfo, error) {
	dir, err := files.Resolve(w.root, w.agent.PrimaryDir())
	if err != nil {
		return nil, err
	}
	info, err := w.root.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	return info, nil
}

// isInPlace reports whether root is still the directory at its path. A handle of a removed or
// replaced directory shows an empty tree without an error. It calls note once, with the error that
// prevented the comparison, or nil.
func isInPlace(root *os.Root, note func(error)) bool {
	opened, err := root.Stat(".")
	found, foundErr := os.Stat(root.Name())
	note(errors.Join(err, foundErr))
	return err == nil && foundErr == nil && os.SameFile(opened, found)
}

// problemCode returns the code of the entry's problem, or "".
func problemCode(e Entry) string {
	if e.Problem == nil {
		return ""
	}
	return e.Problem.Code
}

func (l Listing) sorted() Listing {
	slices.SortFunc(l.Files, func(a, b Entry) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path),
			cmp.Compare(len(problemCode(a)), len(problemCode(b))),
			cmp.Compare(a.Inode, b.Inode),
		)
	})
	// An escaped name can equal another file's real name. The readable file is kept.
	l.Files = slices.CompactFunc(l.Files, func(a, b Entry) bool { return a.Path == b.Path })
	slices.Sort(l.Indexes)
	slices.Sort(l.Failed)
	return l
}
