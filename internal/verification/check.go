package verification

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/memories"
)

// Project is where citations are looked for.
type Project struct {
	// Root is the project's directory. Nothing outside of it is looked at, whatever a citation or a link says.
	Root *os.Root
	// Own is the absolute path of the agent's memories. Where that is in the project, it is left out of what is searched: a
	// memory is no proof of itself.
	Own string
	// HasMemory reports whether a memory of the agent lives that a link to that name leads to.
	HasMemory func(name string) bool
}

// Limits bound one check. What they leave out is unknown, never gone.
type Limits struct {
	Entries  int           // files and directories that are walked over
	Bytes    int64         // that are read, in all
	FileSize int64         // of the largest file that is searched, in bytes
	Time     time.Duration // that it takes
}

// DefaultLimits are those of a large project on a slow machine: in 2 s some 64 MiB are searched.
func DefaultLimits() Limits {
	return Limits{Entries: 20_000, Bytes: 64 << 20, FileSize: 1 << 20, Time: 2 * time.Second}
}

// Check looks for each citation and returns what came of it, in the same order. One that leads out of the project, to a file of another
// place on the disk, is not looked at, and has no status.
//
// A path is found where it is, and also elsewhere in the project with the same end, because memories name paths from where their
// author stood. A name is found where any file that is searched has it, in any letter case and with or without underscores. What is
// not found is gone only if all was searched and it is this project's for certain: an earlier check has found it, or the citation
// itself says so. Everything that is in doubt is unknown.
func Check(ctx context.Context, project Project, cited []Citation, limits Limits) []memories.CheckedCitation {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	c := check{project: project, limits: limits, ctx: ctx, names: projectNames(project.Root), lines: map[string]lineCount{}}
	s := newSearch(ctx, project, limits)
	for _, one := range cited {
		switch one.Kind {
		case memories.CitesFunction:
			s.wantFunction(one)
		case memories.CitesFlag:
			s.wantFlag(one.Name)
		}
	}
	outcomes := make([]outcome, len(cited))
	for i, one := range cited {
		if one.Kind == memories.CitesPath || one.Kind == memories.CitesLine {
			if outcomes[i] = c.direct(one); outcomes[i].place == absentHere {
				s.wantPath(outcomes[i].path)
			}
		}
	}
	s.walk()
	c.read = s.read
	checked := make([]memories.CheckedCitation, len(cited))
	for i, one := range cited {
		status, message := c.conclude(one, outcomes[i], s)
		checked[i] = memories.CheckedCitation{
			Kind: one.Kind, Text: one.Text, Status: status, Message: message,
			FoundOnce: one.FoundBefore || status == memories.CitationFound,
		}
	}
	return checked
}

// check is the part of a check that looks straight at what is cited.
type check struct {
	ctx     context.Context
	project Project
	limits  Limits
	names   []string // the absolute paths that the project's directory goes by
	read    int64    // bytes
	lines   map[string]lineCount
}

// projectNames returns the path of a project as it was given, and as it is without links.
func projectNames(root *os.Root) []string {
	names := []string{filepath.Clean(root.Name())}
	if real, err := filepath.EvalSymlinks(root.Name()); err == nil && real != names[0] {
		names = append(names, real)
	}
	return names
}

// within returns an absolute path as one relative to the project. ok is false for one that is elsewhere.
func (c *check) within(absolute string) (rel string, ok bool) {
	for _, name := range c.names {
		rest, inside := strings.CutPrefix(absolute, filepath.ToSlash(name))
		if inside && (rest == "" || rest[0] == '/') {
			return path.Clean("./" + rest), true
		}
	}
	return "", false
}

// What a look at the path itself has shown.
type place int

const (
	outside    place = iota // it is elsewhere on the disk, or no path
	present                 // something is there
	absentHere              // nothing is there
	unclear                 // it cannot be told
)

type outcome struct {
	place place
	path  string // relative to the project
	isDir bool
	why   string // of unclear
}

// direct looks at a path where it says it is.
func (c *check) direct(one Citation) outcome {
	rel := one.Path
	if strings.HasPrefix(rel, "/") {
		inside, ok := c.within(rel)
		if !ok {
			return outcome{place: outside}
		}
		rel = inside
	}
	if c.ctx.Err() != nil {
		return outcome{place: unclear, path: rel, why: tooLong}
	}
	o := look(c.project.Root, rel)
	o.path = rel
	return o
}

// The reasons why something is not known, for people.
const (
	tooLong     = "There was no time to look for it everywhere."
	leaves      = "A link on the way leads out of the project, where Memoir does not look."
	leadsTo     = "A link on the way leads to nothing."
	notReadable = "Memoir may not look there."
	builtLater  = "Such files are made by a build, or kept on one machine, so it may only not be here."
	notOurs     = "It was not found, but it may never have been of this project."
	notSearched = "The project is too large to search all of it, or Memoir may not read all of it."
	nothingRead = "The project has no files that could be searched."
)

// conclude says what came of a citation, once everything has been looked at.
func (c *check) conclude(one Citation, o outcome, s *search) (memories.CitationStatus, string) {
	switch one.Kind {
	case memories.CitesMemory:
		if c.project.HasMemory(one.Name) {
			return memories.CitationFound, ""
		}
		return memories.CitationGone, fmt.Sprintf("No memory is called “%s”.", one.Name)
	case memories.CitesFunction:
		return s.concludeFunction(one)
	case memories.CitesFlag:
		return s.concludeFlag(one)
	default:
		return c.concludePath(one, o, s)
	}
}

func (c *check) concludePath(one Citation, o outcome, s *search) (memories.CitationStatus, string) {
	switch o.place {
	case outside:
		return "", ""
	case unclear:
		return memories.CitationUnknown, o.why
	case present:
		if one.Kind == memories.CitesLine && !o.isDir {
			return c.concludeLine(one, []string{o.path})
		}
		return memories.CitationFound, ""
	}
	if elsewhere := s.paths[strings.ToLower(o.path)]; len(elsewhere) > 0 {
		if one.Kind == memories.CitesLine {
			return c.concludeLine(one, elsewhere)
		}
		return memories.CitationFound, ""
	}
	return c.concludeAbsent(one, o, s)
}

// concludeAbsent decides about a path that is nowhere.
func (c *check) concludeAbsent(one Citation, o outcome, s *search) (memories.CitationStatus, string) {
	written := strings.TrimSuffix(one.Text, ":")
	gone := fmt.Sprintf("`%s` is not in the project any more.", written)
	elements := strings.Split(o.path, "/")
	if s.ignored.has(o.path) {
		return memories.CitationUnknown, builtLater
	}
	for _, element := range elements {
		if madeByBuilds[element] || strings.Contains(element, ".local") || strings.HasPrefix(element, ".env") {
			return memories.CitationUnknown, builtLater
		}
	}
	parentIsThere := len(elements) > 1 && c.isDirectory(path.Dir(o.path))
	switch {
	case s.files == 0 && !parentIsThere:
		return memories.CitationUnknown, nothingRead
	case hasExtension(o.path) && parentIsThere:
		return memories.CitationGone, gone // whatever else the project has
	case !s.walkedAll:
		return memories.CitationUnknown, s.why()
	case one.FoundBefore, strings.HasPrefix(one.Path, "/"):
		return memories.CitationGone, gone
	case len(elements) == 1:
		// A name alone may be of anything that a memory tells of. A line of it is of a file that somebody has read, in a project
		// that has such files.
		if one.Kind == memories.CitesLine && isSource(o.path) && s.extensions[extension(o.path)] {
			return memories.CitationGone, gone
		}
	case hasExtension(o.path):
		if c.isDirectory(elements[0]) || s.directories[strings.ToLower(elements[0])] {
			return memories.CitationGone, gone
		}
	case one.Quoted && parentIsThere && (len(elements) > 2 || strings.HasSuffix(one.Text, "/")):
		return memories.CitationGone, gone
	}
	return memories.CitationUnknown, notOurs
}

func (c *check) isDirectory(rel string) bool {
	o := look(c.project.Root, rel)
	return o.place == present && o.isDir
}

// concludeLine says whether one of the files has the line.
func (c *check) concludeLine(one Citation, candidates []string) (memories.CitationStatus, string) {
	most := 0
	for _, candidate := range candidates {
		n := c.countLines(candidate)
		switch {
		case n.count >= one.Line:
			return memories.CitationFound, ""
		case !n.known:
			return memories.CitationUnknown, n.why
		}
		most = max(most, n.count)
	}
	if len(candidates) >= maxPlaces {
		return memories.CitationUnknown, notSearched
	}
	lines := "lines"
	if most == 1 {
		lines = "line"
	}
	return memories.CitationGone, fmt.Sprintf("`%s` is past the end of its file, which has %d %s now.", one.Text, most, lines)
}
