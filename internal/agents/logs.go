package agents

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// maxLogDepth is how deep logs are below a logs directory: in the directory of a day, 2026/11/21.
const maxLogDepth = 3

// LogDirs returns the agent's logs directories, relative to Dir. The first, in the memory
// directory, is for new logs; Claude Code uses it too. A hive agent may have another one next to
// memory/.
func (a Agent) LogDirs() []string {
	if a.Rules().HasSessions {
		return []string{memoryDir + "/" + logsDir, logsDir}
	}
	if a.Rules().HasDayLogs {
		return []string{memoryDir}
	}
	return []string{logsDir}
}

var dayLog = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}.*\.md$`)

// isDayLog reports whether the path below the memory directory with these elements is the log of a
// day.
func (a Agent) isDayLog(names []string) bool {
	return a.Rules().HasDayLogs && len(names) == 2 && names[0] == memoryDir && dayLog.MatchString(names[1])
}

// LogDirOf returns the logs directory that is or contains a path relative to Dir, and the path
// below it. For the directory itself, within is ".". Both are "" for a path in no logs directory.
func (a Agent) LogDirOf(relPath string) (dir, within string) {
	if a.Rules().HasDayLogs && !a.isDayLog(strings.Split(relPath, "/")) {
		return "", "" // the directory contains memories too
	}
	for _, dir := range a.LogDirs() {
		if relPath == dir {
			return dir, "."
		}
		if below, ok := strings.CutPrefix(relPath, dir+"/"); ok {
			return dir, below
		}
	}
	return "", ""
}

// LogListing is the result of WalkLogs.
type LogListing struct {
	Files []Entry // sorted by path
	// Exhausted is the error if too few files could be opened, as in Listing.
	Exhausted error

	complete  map[string]bool // directories that were listed completely
	unscanned map[string]bool // not scanned, with everything below
	absent    map[string]bool // logs directories that do not exist
}

// WalkLogs lists the agent's log files: the Markdown files in its logs directories, up to
// maxLogDepth. Of scope, only paths that are in a logs directory or contain one count. If a path
// names an entry of a directory, all files of that directory are listed. Entries that cannot be
// read are listed with a problem. It calls visit with each directory before it is listed. It
// returns no error, but may set Exhausted.
func WalkLogs(root *os.Root, a Agent, scope []string, visit func(relDir string)) LogListing {
	w := logWalker{agent: a, root: root, visit: visit, listing: LogListing{
		complete: map[string]bool{}, unscanned: map[string]bool{}, absent: map[string]bool{},
	}}
	tree := newScope(scope)
	seen := map[string]bool{}
	for _, top := range a.LogDirs() {
		part := tree
		for name := range strings.SplitSeq(top, "/") {
			if part != nil {
				part = part.child(name)
			}
		}
		if part != nil {
			w.top(top, part, seen)
		}
	}
	slices.SortFunc(w.listing.Files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	w.listing.Files = slices.CompactFunc(w.listing.Files, func(a, b Entry) bool { return a.Path == b.Path })
	return w.listing
}

// Gone returns the known paths that do not exist now: their directory was listed completely without
// them. It returns no path below a logs directory that is missing, because a mount may be missing,
// but it returns that directory's own path.
func (l LogListing) Gone(known []string) []string {
	var gone []string
	for _, relPath := range known {
		_, listed := slices.BinarySearchFunc(l.Files, relPath, func(e Entry, path string) int { return strings.Compare(e.Path, path) })
		if !listed && (l.absent[relPath] || !within(l.unscanned, relPath) && within(l.complete, relPath)) {
			gone = append(gone, relPath)
		}
	}
	return gone
}

type logWalker struct {
	agent   Agent
	root    *os.Root
	visit   func(relDir string)
	listing LogListing
}

type logDirectory struct {
	path, real string // path in the walk, and path with links followed
	depth      int    // levels below the logs directory
}

// top walks the logs directory dir, or the directory that a link there leads to, unless seen has
// its real path. A missing directory, or a file in its place, is recorded as absent. A link that
// cannot be followed is listed with its problem; nothing below it counts as scanned.
func (w *logWalker) top(dir string, scope *scopeTree, seen map[string]bool) {
	info, err := w.root.Lstat(dir)
	if err == nil && info.IsDir() {
		w.walkTop(logDirectory{path: dir, real: dir}, info, scope, seen)
		return
	}
	if err == nil && info.Mode().Type() != fs.ModeSymlink || isGone(err) {
		w.listing.absent[dir] = true
		return
	}
	real, err := files.Resolve(w.root, dir)
	if err == nil {
		info, err = w.root.Lstat(real)
	}
	w.noteExhausted(err)
	switch {
	case err == nil && info.IsDir():
		w.walkTop(logDirectory{path: dir, real: real}, info, scope, seen)
	case err != nil:
		w.listing.unscanned[dir] = true
		w.listing.Files = append(w.listing.Files, Entry{Path: dir, Problem: linkProblem(err)})
	}
}

// walkTop walks a logs directory, unless seen has its real path. If the directory was replaced
// during the walk, it records it as not scanned, so that no file below counts as missing.
func (w *logWalker) walkTop(d logDirectory, before fs.FileInfo, scope *scopeTree, seen map[string]bool) {
	if seen[d.real] {
		return
	}
	seen[d.real] = true
	w.directory(d, scope)
	after, err := w.root.Lstat(d.real)
	w.noteExhausted(err)
	if inPlace := isInPlace(w.root, w.noteExhausted); !inPlace || err != nil || !os.SameFile(before, after) {
		w.listing.unscanned[d.path] = true
	}
}

func (w *logWalker) directory(d logDirectory, scope *scopeTree) {
	w.visit(d.path)
	fail := func(name string, err error) {
		w.noteExhausted(err)
		w.listing.unscanned[path.Join(d.path, name)] = true
	}
	err := readDirectory(w.root, d.real, func(it item) { w.entry(d, it, scope) }, fail)
	if err == nil {
		w.listing.complete[d.path] = true
		return
	}
	fail("", err)
	if !isGone(err) { // else it was removed during the walk
		w.listing.Files = append(w.listing.Files, Entry{Path: d.path, Problem: unreadable(err)})
	}
}

func (w *logWalker) noteExhausted(err error) {
	if files.IsExhausted(err) {
		w.listing.Exhausted = err
	}
}

// entry lists an entry of a logs directory: a Markdown file, or an entry that cannot be read with
// its problem. It walks a directory in scope, and records another as not scanned. It ignores hidden
// entries, other files, and links whose target is in the agent's directory.
func (w *logWalker) entry(d logDirectory, it item, scope *scopeTree) {
	if strings.HasPrefix(it.name, ".") {
		return
	}
	at := logDirectory{path.Join(d.path, it.name), path.Join(d.real, it.name), d.depth + 1}
	entry := newEntry(directory{path: d.path}, it.name, it.info)
	listProblem := func(problem *memories.Problem) {
		w.listing.unscanned[at.path] = true
		entry.Problem = problem
		w.listing.Files = append(w.listing.Files, entry)
	}
	switch {
	case it.info.Mode().Type() == fs.ModeSymlink:
		if err := w.linkError(at.real); err != nil {
			w.noteExhausted(err)
			listProblem(linkProblem(err))
		}
	case it.info.IsDir() && isMarkdown(it.name):
		listProblem(notRegular)
	case it.info.IsDir() && !validName(it.name):
		listProblem(nameNotUTF8)
	case it.info.IsDir() && at.depth > maxLogDepth:
		listProblem(directoryTooDeep)
	case it.info.IsDir():
		if inside := scope.child(it.name); inside != nil {
			w.directory(at, inside)
		} else {
			w.listing.unscanned[at.path] = true
		}
	case !isMarkdown(it.name), w.agent.Rules().HasDayLogs && !dayLog.MatchString(it.name):
	case !validName(it.name):
		listProblem(nameNotUTF8)
	case !it.info.Mode().IsRegular():
		listProblem(notRegular)
	default:
		w.listing.Files = append(w.listing.Files, entry)
	}
}

// linkError returns the error of a link that cannot be followed. It returns nil if the target is
// in the agent's directory; the walk lists the target at its own path.
func (w *logWalker) linkError(link string) error {
	target, err := files.Resolve(w.root, link)
	if err == nil {
		_, err = w.root.Lstat(target)
	}
	return err
}
