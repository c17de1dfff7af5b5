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

	"memoir/internal/files"
)

const (
	projectsDir    = "projects"
	agentMemoryDir = "agent-memory"
	sharedSlug     = "team"
)

// Found is a directory that is an agent.
type Found struct {
	Slug        string // wished for; AssignSlugs makes it unique
	Layout      Layout
	Dir         string // absolute; as in Agent
	DisplayName string
}

// Discover looks for agents where the settings say: hive, then claude (projects, then custom agents), then by hand in the
// order given, then the one that is shared by all; each sorted by name.
//
// visit is called with the absolute path of each directory before it is listed, so that the caller can put a watch on it first
// and miss nothing. visit may be called with one directory more than once.
//
// unreadable are directories that are there but could not be looked into: agents beneath them are not found, which does not
// mean that they are gone. A directory whose name is not UTF-8 is among them, for its path cannot be shown or stored.
func Discover(s Settings, visit func(dir string)) (found []Found, unreadable []string) {
	survey := DiscoverAll(s, nil, visit)
	return survey.Found, survey.Unreadable
}

// DiscoveryResult is the result of a discovery.
type DiscoveryResult struct {
	Found      []Found
	Unreadable []string
	// Blocked are those of Unreadable, each once, for people.
	Blocked []Blocked
	// Sources are the files and directories of projects and of Claude Code's settings that say which agents there are, those that may yet
	// tell a project's real path, and links that lead to no directory, as they were before they were read. They need not exist. Where one changes, agents are to be looked for anew; nobody
	// watches them, for most are in repositories, in which there is much going on that is of no interest here.
	Sources map[string]Stamp
	// Links are the links to directories that agents, or what is of them, were looked for in. No event tells either that one of them leads
	// elsewhere.
	Links []string
	// Exhausted is why the look has seen too little to go by: the system had nothing left to open something with, for which
	// files.IsExhausted holds. It is to be done again.
	Exhausted error
}

// DiscoverAll returns the agents that exist, and everything that the answer depends on. It reads the
// transcripts that transcripts does not know; nil knows none.
func DiscoverAll(s Settings, transcripts *Transcripts, visit func(dir string)) DiscoveryResult {
	d := discovery{settings: s, visit: visit, sources: map[string]Stamp{}, known: transcripts.known(), heads: map[string]head{}}
	defer func() {
		if d.exhausted == nil {
			transcripts.keep(d.heads)
		}
	}()
	if s.AgentsDir != "" {
		d.hive(absolute(s.AgentsDir))
	}
	if s.ClaudeDir != "" {
		d.claude(absolute(s.ClaudeDir))
	}
	for _, named := range s.MemoryDirs {
		d.namedDir(named, Directory)
	}
	if s.TeamDir != "" {
		d.namedDir(NamedDir{Slug: sharedSlug, Path: s.TeamDir}, Shared)
	}
	d.addElsewhere()
	return DiscoveryResult{d.found, d.unreadable, d.blocked, d.sources, d.links, d.exhausted}
}

// Roots are the directories that the settings name, absolute, and those in them in which agents appear. They need not exist.
func Roots(s Settings) []string {
	var roots []string
	if s.AgentsDir != "" {
		roots = append(roots, absolute(s.AgentsDir))
	}
	if s.ClaudeDir != "" {
		dir := absolute(s.ClaudeDir)
		roots = append(roots, dir, filepath.Join(dir, projectsDir), filepath.Join(dir, agentMemoryDir))
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
	known      map[string]head // of transcripts, by path
	heads      map[string]head // those of them that this look has come by, as they are
	projects   []project       // of Claude Code
	elsewhere  []Found         // what projects and settings name, outside of Claude Code's directory
	found      []Found
	unreadable []string
	blocked    []Blocked
	exhausted  error
}

func (d *discovery) hive(agentsDir string) {
	for _, name := range d.subdirectories(agentsDir) {
		dir := filepath.Join(agentsDir, name)
		d.visit(dir)
		if d.isThere(filepath.Join(dir, memoryDir)) || d.isThere(filepath.Join(dir, sessionsDir)) {
			d.keep(Found{Slug: sanitise(name), Layout: Hive, Dir: dir, DisplayName: printable(name)})
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
			d.keep(Found{Slug: sanitise(name), Layout: Claude, Dir: dir, DisplayName: path})
		}
	}
	d.customAgents(claudeDir)
	d.movedMemories(claudeDir)
}

func (d *discovery) namedDir(named NamedDir, layout Layout) {
	dir := absolute(named.Path)
	d.visit(dir)
	if d.isDirectory(dir) {
		d.keep(Found{Slug: named.Slug, Layout: layout, Dir: dir, DisplayName: named.Slug})
	}
}

// subdirectories returns the names of the directories, links to directories among them, that are not hidden, sorted.
func (d *discovery) subdirectories(dir string) []string {
	d.visit(dir)
	entries, err := os.ReadDir(dir)
	if err != nil && !isGone(err) {
		d.failed(dir, err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case !entry.IsDir() && entry.Type() != fs.ModeSymlink:
		case entry.Type() == fs.ModeSymlink && !d.leadsToDirectory(filepath.Join(dir, name)):
		case !validName(name):
			d.block(filepath.Join(dir, name), misnamed)
		default:
			names = append(names, name)
		}
	}
	return names
}

// isThere reports whether a path names a directory, or a link, wherever that leads: a link that leaves the agent's directory
// makes it an agent too, one that has something to say.
func (d *discovery) isThere(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		d.noteUnreadable(filepath.Dir(path), err)
		return false
	}
	return info.IsDir() || info.Mode().Type() == fs.ModeSymlink
}

// leadsToDirectory is isDirectory for what may be a link, whose target may go or come.
func (d *discovery) leadsToDirectory(path string) bool {
	before := StampOf(path)
	leads := d.isDirectory(path)
	switch isLink := IsLink(path); {
	case isLink && leads && files.IsOwnership(files.MayFollow(path)):
		d.failed(path, files.MayFollow(path))
		return false
	case isLink && leads:
		d.links = append(d.links, path)
	case isLink:
		d.sources[path] = before
	}
	return leads
}

func (d *discovery) isDirectory(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		d.noteUnreadable(path, err)
		return false
	}
	return info.IsDir()
}

func (d *discovery) noteUnreadable(dir string, err error) {
	last := len(d.unreadable) - 1
	if isGone(err) || isNoPath(err) || last >= 0 && d.unreadable[last] == dir {
		return
	}
	d.failed(dir, err)
}

// failed lists what is there and could not be looked into, for that reason.
func (d *discovery) failed(path string, err error) {
	d.noteFailed(err)
	d.block(path, func(dir string) Blocked { return blockedBy(dir, err) })
}

// block lists what is there and is not looked into.
func (d *discovery) block(path string, describe func(dir string) Blocked) {
	b := describe(path)
	if !slices.ContainsFunc(d.blocked, func(other Blocked) bool { return other.Dir == b.Dir }) {
		d.blocked = append(d.blocked, b)
	}
	d.unreadable = append(d.unreadable, path)
}

// keep takes in what was found. What has a path that cannot be stored is listed instead.
func (d *discovery) keep(f Found) {
	if !validName(f.Dir) {
		d.block(f.Dir, misnamed)
		return
	}
	if !validName(f.DisplayName) {
		f.DisplayName = printable(f.DisplayName)
	}
	d.found = append(d.found, f)
}

// noteFailed notes that something could not be opened, which may be for no reason of its own.
func (d *discovery) noteFailed(err error) {
	if files.IsExhausted(err) {
		d.exhausted = err
	}
}

// isGone reports whether an error says that there is nothing at a path, as opposed to that it could not be looked at.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isNoPath reports whether an error says that nothing can be at a path: it has a NUL in it, or too long a name.
func isNoPath(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENAMETOOLONG)
}

// absolute resolves a path of the settings against the working directory. Where that is gone, the path stays as it is, and
// nothing will be found there.
func absolute(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	return abs
}

// printable makes a name fit for people and for storage: valid UTF-8, and no control characters.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
}
