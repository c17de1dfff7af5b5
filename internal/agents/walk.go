package agents

import (
	"cmp"
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

// MaxDepth is how deep in its memory directory a memory file may be; memory/a.md has depth 1.
const MaxDepth = 4

// Below MaxDepth the walk goes on, to flag each file that is too deep, but not for ever: what is beneath this depth is flagged
// as one directory.
const lookDepth = 2 * MaxDepth

// A directory is read in pieces, so that one of a hundred thousand files does not take all the memory at once.
const readPiece = 1024

// Walk lists an agent's memory files. root is the agent's directory, opened for this walk: a handle that is held longer would
// go on showing a directory that has been replaced.
//
// scope has the paths to look at, slash-separated and relative to the agent's directory: files, directories (then with all
// beneath), or what is no longer there. "." is everything.
//
// visit is called with the path, relative to the agent's directory, of each directory before it is listed or looked into, so
// that the caller can put a watch on it first.
func Walk(root *os.Root, a Agent, scope []string, visit func(relDir string)) Listing {
	tree := newScope(scope)
	w := walker{root: root, agent: a, visit: visit}
	w.listing = Listing{Sessions: -1, covered: make(map[string]bool), passed: make(map[string]bool), unseen: make(map[string]bool), leftOut: make(map[string]bool)}
	for _, p := range scope {
		w.listing.covered[path.Clean(p)] = true
	}

	before, beforeErr := w.durable()
	w.noteExhausted(beforeErr)
	top := directory{path: ".", real: ".", kind: memoryKind, durable: true}
	if a.Layout == Hive {
		top.kind = hiveKind
	}
	w.look(top, tree)
	after, afterErr := w.durable()
	w.noteExhausted(afterErr)

	// Asked in any case: of a root that was removed the sessions seem to be gone too.
	inPlace := w.rootInPlace()
	if beforeErr == nil && afterErr == nil && os.SameFile(before, after) && inPlace && !within(w.listing.unseen, a.PrimaryDir()) {
		w.listing.DurableThere = true
		_, w.listing.DurableInode, w.listing.DurableDevice = Identity(after)
	} else {
		w.listing.unseen[a.PrimaryDir()] = true
	}
	return w.listing.sorted()
}

type walker struct {
	root    *os.Root
	agent   Agent
	visit   func(relDir string)
	listing Listing
}

type kind int

const (
	hiveKind     kind = iota // the directory of a hive agent: only memory/ and sessions/ count
	sessionsKind             // sessions/: each directory in it is a session
	sessionKind              // a session: only its memory/ counts
	memoryKind               // a memory directory, or one beneath it
)

// directory is one directory of the walk.
type directory struct {
	path    string // as the walk came by it
	real    string // where it is when the links on the way are followed
	kind    kind
	session string
	durable bool
	depth   int  // of a memory directory: how far below its top
	linked  bool // a link was followed on the way
	open    openDirectory
}

// item is one entry of a directory.
type item struct {
	name string
	info fs.FileInfo // of the entry itself, links not followed
}

// look goes through one directory: all of it, or what the scope names.
func (w *walker) look(d directory, scope *scopeTree) {
	w.visit(d.path)
	if scope.all {
		d.open = w.flagOpen(d)
	}
	switch {
	case d.kind == hiveKind:
		w.lookFor(d, scope, memoryDir, sessionsDir)
	case d.kind == sessionKind:
		w.lookFor(d, scope, memoryDir)
	case scope.all:
		w.lookAtAll(d)
	default:
		w.lookFor(d, scope, scope.named()...)
	}
}

// lookFor looks at single entries without listing the directory.
func (w *walker) lookFor(d directory, scope *scopeTree, names ...string) {
	among := files.NeighboursIn(w.root)
	defer among.Close()
	for _, name := range names {
		inside := scope.child(name)
		if inside == nil {
			continue
		}
		raw, all := rawNames(name)
		for _, name := range raw {
			w.lookForOne(among, d, name, inside)
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

// lookForOne looks at the entry of a directory that has this name on disk.
func (w *walker) lookForOne(among *files.DirReader, d directory, name string, inside *scopeTree) {
	entryPath := join(d.path, name)
	info, err := among.Lstat(w.real(d, name))
	switch {
	case err == nil:
		w.entry(d, item{name, info}, inside)
	case isGone(err):
		if d.kind == hiveKind && name == memoryDir {
			w.listing.unseen[entryPath] = true // it looks like a mount that is missing, and what is not in it would be deleted
		}
	case d.kind == memoryKind:
		w.fail(entryPath, err)
	default:
		w.failDirectory(d.enter(name, ""), inside, err)
	}
}

func (w *walker) lookAtAll(d directory) {
	if d.kind == sessionsKind {
		w.listing.Sessions = 0
	}
	w.eachOf(d, func(it item) { w.entry(d, it, everything) })
}

// eachOf lists a directory and calls do with each entry.
func (w *walker) eachOf(d directory, do func(item)) {
	// Not blocking, because what is opened may have become a pipe since it was seen to be a directory.
	dir, err := w.root.OpenFile(d.real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		w.failDirectory(d, everything, err)
		return
	}
	defer dir.Close()
	for {
		// The handle was opened in a Root, so each entry comes with its metadata, read through that very handle.
		entries, err := dir.ReadDir(readPiece)
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil {
				w.fail(join(d.path, entry.Name()), err)
				continue
			}
			do(item{entry.Name(), info})
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			w.failDirectory(d, everything, err)
			return
		}
	}
}

// entry looks at one entry of a directory.
func (w *walker) entry(d directory, it item, scope *scopeTree) {
	switch {
	case leftOut(it.name):
	case it.info.Mode().Type() == fs.ModeSymlink:
		w.link(d, it, scope)
	case it.info.IsDir():
		w.subdirectory(d.enter(it.name, w.real(d, it.name)), scope)
	default:
		w.file(d, it, scope)
	}
}

// enter returns the directory name in d. It is at real.
func (d directory) enter(name, real string) directory {
	sub := d
	sub.path, sub.real = join(d.path, name), real
	switch d.kind {
	case hiveKind:
		sub.kind, sub.durable = memoryKind, true
		if name == sessionsDir {
			sub.kind, sub.durable = sessionsKind, false
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
		w.flagUnseen(d, scope, nameNotUTF8())
	case d.depth >= lookDepth:
		w.flagUnseen(d, scope, directoryTooDeep())
	default:
		w.look(d, scope)
	}
}

func (w *walker) file(d directory, it item, scope *scopeTree) {
	name, info := it.name, it.info
	if d.kind != memoryKind {
		if d.kind != sessionsKind {
			// memory or sessions is no directory: nothing can be said about what was in it.
			w.fail(join(d.path, name), nil)
			w.block(join(d.path, name), nil)
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
		entry.Problem = nameNotUTF8()
	case !info.Mode().IsRegular():
		entry.Problem = notRegular()
	case isIndex(name):
		w.listing.Indexes = append(w.listing.Indexes, entry.Path)
		return
	case d.depth >= MaxDepth:
		entry.Problem = fileTooDeep()
	}
	w.list(entry, scope)
}

// list lists an entry, unless the scope is something beneath it: whoever looks there knows nothing of the entry itself.
func (w *walker) list(entry Entry, scope *scopeTree) {
	if scope.all {
		w.listing.Files = append(w.listing.Files, entry)
	}
}

func newEntry(d directory, name string, info fs.FileInfo) Entry {
	entry := Entry{Path: SafePath(join(d.path, name)), Session: d.session, Size: info.Size(), ModTime: since1970(info.ModTime())}
	if change, inode, _ := Identity(info); inode != 0 {
		entry.ChangeTime, entry.Inode = since1970(change), inode
	}
	return entry
}

// since1970 returns a time in nanoseconds. File systems know times that are too far off for that: one before 1678 or after 2261 is taken
// for the nearest that is not.
func since1970(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// flagUnseen lists a directory that is not looked into.
func (w *walker) flagUnseen(d directory, scope *scopeTree, problem *memories.Problem) {
	w.listing.unseen[d.path] = true
	w.list(Entry{Path: SafePath(d.path), Session: SafePath(d.session), Problem: problem}, scope)
}

// failDirectory lists a directory that could not be looked into. One that has gone meanwhile is not worth a word.
func (w *walker) failDirectory(d directory, scope *scopeTree, err error) {
	w.fail(d.path, err)
	if !isGone(err) {
		w.block(d.path, err)
		w.flagUnseen(d, scope, unreadable(err))
	}
}

// fail lists what could not be looked at, for that reason.
func (w *walker) fail(relPath string, err error) {
	w.noteExhausted(err)
	w.listing.unseen[relPath] = true
	w.listing.Failed = append(w.listing.Failed, SafePath(relPath))
}

func (w *walker) noteExhausted(err error) {
	if files.IsExhausted(err) {
		w.listing.Exhausted = err
	}
}

func (w *walker) real(d directory, name string) string { return join(d.real, name) }

// join is path.Join for a clean directory and a plain name, at half the cost: the walk does it for each file.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// durable looks at the durable directory as it is at this moment.
func (w *walker) durable() (fs.FileInfo, error) {
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

// rootInPlace reports whether root is still what is found at its path: the handle of a directory that was removed or replaced
// shows an empty tree, without an error.
func (w *walker) rootInPlace() bool {
	held, heldErr := w.root.Stat(".")
	found, foundErr := os.Stat(w.root.Name())
	w.noteExhausted(heldErr)
	w.noteExhausted(foundErr)
	if heldErr != nil || foundErr != nil || !os.SameFile(held, found) {
		w.listing.unseen["."] = true
		return false
	}
	return true
}

func problemCode(e Entry) string {
	if e.Problem == nil {
		return ""
	}
	return e.Problem.Code
}

func (l Listing) sorted() Listing {
	slices.SortFunc(l.Files, func(a, b Entry) int {
		if order := strings.Compare(a.Path, b.Path); order != 0 {
			return order
		}
		return cmp.Or(cmp.Compare(len(problemCode(a)), len(problemCode(b))), cmp.Compare(a.Inode, b.Inode))
	})
	// An escaped name can be the same as another file's real one; the file that can be read stands for both.
	l.Files = slices.CompactFunc(l.Files, func(a, b Entry) bool { return a.Path == b.Path })
	slices.Sort(l.Indexes)
	slices.Sort(l.Failed)
	return l
}
