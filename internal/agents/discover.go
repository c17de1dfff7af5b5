package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"memoir/internal/claudesettings"
	"memoir/internal/files"
)

const (
	projectsDir    = "projects"
	agentMemoryDir = "agent-memory"
	sharedSlug     = "team"
)

// Found is the directory of an agent, before it has a unique slug.
type Found struct {
	Slug        string // requested; AssignSlugs makes it unique
	Layout      Layout
	Dir         string // absolute, as in Agent
	DisplayName string
	// Expected means that Dir does not exist yet: Claude Code has worked on the project and has
	// saved nothing.
	Expected bool
}

// Discover returns the agents of the settings: hive, projects of Claude Code, custom agents, named
// directories, the shared one. It calls visit with each directory's absolute path before it lists
// the directory, possibly more than once. unreadable are directories that could not be read, so
// that the absence of agents below them is not certain. Discover does not report that too few files
// could be opened; DiscoverAll does.
func Discover(s Settings, visit func(dir string)) (found []Found, unreadable []string) {
	result := DiscoverAll(s, nil, visit)
	return result.Found, result.Unreadable
}

// DiscoveryResult is the result of a discovery.
type DiscoveryResult struct {
	Found      []Found
	Unreadable []string
	// Blocked describes each of Unreadable once, for people.
	Blocked []Blocked
	// Sources are the files, directories and links whose change can change the result: settings,
	// projects, transcripts, links that lead to no directory. Their stamps are from before the
	// discovery read them. They need not exist. The caller must poll them, because nothing watches
	// them: most are in repositories, where other changes are frequent.
	Sources map[string]Stamp
	// Links are the links to directories that the discovery followed. The system sends no event
	// when the directory that a link leads to is replaced.
	Links []string
	// Exhausted is the error if too few files could be opened; files.IsExhausted reports true for
	// it. It is nil if the result is complete. Otherwise the caller must repeat the discovery.
	Exhausted error
}

// DiscoverAll returns the agents of the settings and everything that the result depends on. It
// calls visit with each directory's absolute path before it lists the directory, possibly more than
// once. It returns no error: if Exhausted in the result is not nil, the result is incomplete. It
// reads again only transcripts that have changed since they were cached in transcripts. It replaces
// that cache, unless Exhausted is set; nil means no cache.
func DiscoverAll(s Settings, transcripts *Transcripts, visit func(dir string)) DiscoveryResult {
	d := discovery{settings: s, visit: visit, sources: map[string]Stamp{}, known: transcripts.known(), heads: map[string]head{}}
	defer func() {
		if d.exhausted == nil {
			transcripts.replace(d.heads)
		}
	}()
	if s.AgentsDir != "" {
		d.hive(absolute(s.AgentsDir))
	}
	if s.ClaudeDir != "" {
		d.claude(absolute(s.ClaudeDir))
	}
	for _, client := range clients(s) {
		client.discover(&d, client.dir)
	}
	d.memoryBanks()
	for _, named := range s.MemoryDirs {
		layout := Directory
		if filepath.Base(named.Path) == memoryBankDir {
			layout = MemoryBank
		}
		d.namedDir(named, layout)
	}
	if s.TeamDir != "" {
		d.namedDir(NamedDir{Slug: sharedSlug, Path: s.TeamDir}, Shared)
	}
	d.addOutside()
	return DiscoveryResult{d.found, d.unreadable, d.blocked, d.sources, d.links, d.exhausted}
}

// Roots returns the absolute paths of the directories in the settings and of those below them in
// which agents appear. They need not exist.
func Roots(s Settings) []string {
	var roots []string
	if s.AgentsDir != "" {
		roots = append(roots, absolute(s.AgentsDir))
	}
	if s.ClaudeDir != "" {
		dir := absolute(s.ClaudeDir)
		roots = append(roots, dir, filepath.Join(dir, projectsDir), filepath.Join(dir, agentMemoryDir))
	}
	for _, client := range clients(s) {
		roots = append(roots, client.dir)
		for _, dir := range client.places {
			roots = append(roots, filepath.Join(client.dir, dir))
		}
	}
	for _, named := range s.MemoryDirs {
		roots = append(roots, absolute(named.Path))
	}
	if s.TeamDir != "" {
		roots = append(roots, absolute(s.TeamDir))
	}
	return roots
}

type discovery struct {
	settings   Settings
	visit      func(dir string)
	sources    map[string]Stamp
	links      []string
	known      map[string]head // cached heads of transcripts, by path
	heads      map[string]head // heads that this discovery used, by path; the next cache
	projects   []project       // projects of Claude Code
	outside    []Found         // agents that projects and settings name elsewhere
	found      []Found
	unreadable []string
	blocked    []Blocked
	exhausted  error
}

func (d *discovery) hive(agentsDir string) {
	for _, name := range d.subdirectories(agentsDir) {
		dir := filepath.Join(agentsDir, name)
		d.visit(dir)
		if d.isDirectoryOrLink(filepath.Join(dir, memoryDir)) || d.isDirectoryOrLink(filepath.Join(dir, sessionsDir)) {
			d.add(Found{Slug: sanitise(name), Layout: Hive, Dir: dir, DisplayName: printable(name)})
		}
	}
}

func (d *discovery) claude(claudeDir string) {
	d.visit(claudeDir)
	projects := filepath.Join(claudeDir, projectsDir)
	for _, name := range d.subdirectories(projects) {
		project := filepath.Join(projects, name)
		d.visit(project)
		dir := filepath.Join(project, memoryDir)
		path := d.projectName(project)
		d.addProject(name, path)
		if d.leadsToDirectory(dir) {
			d.add(Found{Slug: sanitise(name), Layout: Claude, Dir: dir, DisplayName: path})
		}
	}
	d.expectedMemories(claudeDir)
	d.customAgents(claudeDir)
	d.movedMemories(claudeDir)
}

// expectedMemories adds the agents of the recorded projects whose memory directory does not exist
// yet. All worktrees and directories of a repository have one memory, that of its root.
func (d *discovery) expectedMemories(claudeDir string) {
	known := map[string]bool{}
	for _, f := range d.found {
		known[f.Dir] = true
	}
	for _, p := range d.projects {
		at, err := ProjectAt(p.path)
		if err != nil {
			d.noteFailed(err)
			continue
		}
		root := p
		if RealDir(p.path) != at.Root {
			root = project{projectDirName(at.Root), at.Root}
		}
		if dir := projectMemory(claudeDir, root.name); !known[dir] && d.isExpected(claudeDir, root, dir) {
			known[dir] = true
			d.add(Found{Slug: sanitise(root.name), Layout: Claude, Dir: dir, DisplayName: printable(at.Root), Expected: true})
		}
	}
}

// isExpected reports whether Claude Code would create dir for the memory of a project. It reports
// false if settings or variables name another directory, and for a path that is too long for a
// name: Claude Code's name for it is unknown.
func (d *discovery) isExpected(claudeDir string, p project, dir string) bool {
	if len(p.name) > maxProjectName && p.name == projectDirName(p.path) {
		return false
	}
	used, _ := claudesettings.Directory(d.settings.input(claudeDir, p, d.noteSource, d.noteFailed))
	return used == dir
}

func (d *discovery) namedDir(named NamedDir, layout Layout) {
	dir := absolute(named.Path)
	d.visit(dir)
	if d.isDirectory(dir) {
		d.add(Found{Slug: named.Slug, Layout: layout, Dir: dir, DisplayName: named.Slug})
	}
}

// subdirectories returns the sorted names of the directories in dir that are not hidden, and of
// links to directories. It calls visit with dir first. It records an unreadable dir, and omits and
// records directories whose names cannot be stored. A missing dir has no names.
func (d *discovery) subdirectories(dir string) []string {
	d.visit(dir)
	entries, err := os.ReadDir(dir)
	if err != nil && !isGone(err) {
		d.addUnreadable(dir, err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case !entry.IsDir() && entry.Type() != fs.ModeSymlink:
		case entry.Type() == fs.ModeSymlink && !d.leadsToDirectory(filepath.Join(dir, name)):
		case !validName(name):
			d.block(filepath.Join(dir, name), misnamed(filepath.Join(dir, name)))
		default:
			names = append(names, name)
		}
	}
	return names
}

// isDirectoryOrLink reports whether a path is a directory or a link. A link that leads out of the
// agent's directory also makes an agent, so that the user sees the problem. If the path exists but
// cannot be examined, its parent is recorded as unreadable.
func (d *discovery) isDirectoryOrLink(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		d.noteUnreadable(filepath.Dir(path), err)
		return false
	}
	return info.IsDir() || info.Mode().Type() == fs.ModeSymlink
}

// leadsToDirectory reports whether a path is a directory or a link to one that may be followed. It
// records a link in d.links, or in d.sources if it leads to no directory. A link that must not be
// followed is recorded as unreadable.
func (d *discovery) leadsToDirectory(path string) bool {
	before := StampOf(path)
	leads := d.isDirectory(path)
	switch isLink := IsLink(path); {
	case isLink && leads && files.IsOwnership(files.MayFollow(path)):
		d.addUnreadable(path, files.MayFollow(path))
		return false
	case isLink && leads:
		d.links = append(d.links, path)
	case isLink:
		d.sources[path] = before
	}
	return leads
}

// isDirectory reports whether a path is a directory, with links followed. It records a path that
// exists and cannot be examined as unreadable.
func (d *discovery) isDirectory(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		d.noteUnreadable(path, err)
		return false
	}
	return info.IsDir()
}

// noteUnreadable records dir as unreadable because of err, unless err means that nothing is or can
// be there, or dir was recorded just before.
func (d *discovery) noteUnreadable(dir string, err error) {
	last := len(d.unreadable) - 1
	if isGone(err) || isNoPath(err) || last >= 0 && d.unreadable[last] == dir {
		return
	}
	d.addUnreadable(dir, err)
}

// addUnreadable records a path that exists and could not be read because of err, in d.unreadable
// and d.blocked. It also passes err to noteFailed.
func (d *discovery) addUnreadable(path string, err error) {
	d.noteFailed(err)
	d.block(path, BlockedDir(path, err))
}

// block records a path that exists and is not read. It adds the path to d.unreadable, and its
// description to d.blocked, unless d.blocked has one of the same directory.
func (d *discovery) block(path string, b Blocked) {
	if !slices.ContainsFunc(d.blocked, func(other Blocked) bool { return other.Dir == b.Dir }) {
		d.blocked = append(d.blocked, b)
	}
	d.unreadable = append(d.unreadable, path)
}

// add adds a found agent, and makes its display name printable if that cannot be stored. If its
// path cannot be stored, it records the path as blocked instead.
func (d *discovery) add(f Found) {
	if !validName(f.Dir) {
		d.block(f.Dir, misnamed(f.Dir))
		return
	}
	if !validName(f.DisplayName) {
		f.DisplayName = printable(f.DisplayName)
	}
	d.found = append(d.found, f)
}

// noteFailed records err in d.exhausted if files.IsExhausted reports true for it. It ignores nil
// and all other errors.
func (d *discovery) noteFailed(err error) {
	if files.IsExhausted(err) {
		d.exhausted = err
	}
}

// isGone reports whether err means that nothing exists at a path. It reports false for nil.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isNoPath reports whether err means that nothing can exist at a path: it contains a NUL or has too
// long a name.
func isNoPath(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENAMETOOLONG)
}

// absolute returns a path of the settings as an absolute path, resolved against the working
// directory. If the working directory does not exist, it returns the path only cleaned, at which
// nothing will be found.
func absolute(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	return abs
}

// printable returns name as valid UTF-8, with control characters replaced by spaces.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
}
