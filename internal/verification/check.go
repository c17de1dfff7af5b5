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

// Project is where citations are searched.
type Project struct {
	// Root is the project's directory. Nothing outside it is read.
	Root *os.Root
	// Own is the absolute path of the agent's memories. It is excluded from the search, because a
	// memory is no proof of itself.
	Own string
	// HasMemory reports whether the agent has a living memory that a link with that name points to.
	HasMemory func(name string) bool
	// HadMemory reports whether the agent had a memory of that name, which was deleted or renamed.
	HadMemory func(name string) bool
}

// Limits are the limits of one check. A citation beyond them is unknown, not dead.
type Limits struct {
	Entries  int           // maximum number of visited files and directories
	Bytes    int64         // maximum number of read bytes
	FileSize int64         // maximum size of a searched file, in bytes
	Time     time.Duration // maximum duration
}

// DefaultLimits returns the limits of a check: 20,000 entries, 64 MiB, 1 MiB per file, 2 seconds.
// They fit a large project on a slow machine.
func DefaultLimits() Limits {
	return Limits{Entries: 20_000, Bytes: 64 << 20, FileSize: 1 << 20, Time: 2 * time.Second}
}

// Check searches a project for citations and returns a result for each, in the same order. A path
// matches at its place or at the end of any path, and a name in any file, ignoring case,
// underscores and dashes. A missing citation is gone if the search was complete and it surely
// belongs to the project. Else it is unknown, with a message, also if a limit is reached or ctx
// ends. A path outside the project has the status "".
func Check(ctx context.Context, project Project, cited []Citation, limits Limits) []memories.CheckedCitation {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	c := check{project: project, limits: limits, ctx: ctx, names: projectNames(project.Root), lines: map[string]lineCount{}}
	s := newSearch(ctx, project, limits)
	for _, one := range cited {
		switch one.Kind {
		case memories.CitesFunction:
			s.names.add(one.Name)
			s.names.declared[one.Qualifier] = false
		case memories.CitesFlag:
			s.names.add(one.Name)
			s.names.hasFlags = true
		}
	}
	lookups := make([]lookup, len(cited))
	for i, one := range cited {
		if one.Kind == memories.CitesPath || one.Kind == memories.CitesLine {
			if lookups[i] = c.direct(one); lookups[i].existence == absentHere {
				s.wantPath(lookups[i].path)
			}
		}
	}
	s.walk()
	c.read = s.read
	checked := make([]memories.CheckedCitation, len(cited))
	for i, one := range cited {
		status, message := c.conclude(one, lookups[i], s)
		checked[i] = memories.CheckedCitation{
			Kind: one.Kind, Text: one.Text, Status: status, Message: message,
			FoundOnce: one.FoundBefore || status == memories.CitationFound,
		}
	}
	return checked
}

// check holds the state of the direct look-ups.
type check struct {
	ctx     context.Context
	project Project
	limits  Limits
	names   []string // absolute paths of the project's directory
	read    int64    // number of bytes read
	lines   map[string]lineCount
}

// projectNames returns the path with which the project was opened, and its path without links if
// that differs.
func projectNames(root *os.Root) []string {
	names := []string{filepath.Clean(root.Name())}
	if real, err := filepath.EvalSymlinks(root.Name()); err == nil && real != names[0] {
		names = append(names, real)
	}
	return names
}

// within returns an absolute path as a path relative to the project. ok is false if it is outside.
func (c *check) within(absolute string) (rel string, ok bool) {
	for _, name := range c.names {
		rest, inside := strings.CutPrefix(absolute, filepath.ToSlash(name))
		if inside && (rest == "" || rest[0] == '/') {
			return path.Clean("./" + rest), true
		}
	}
	return "", false
}

// existence is the result of a direct look-up of a path.
type existence int

const (
	outside    existence = iota // elsewhere on the disk, or not a path
	present                     // a file or directory exists
	absentHere                  // nothing exists
	unclear                     // unknown
)

type lookup struct {
	existence existence
	path      string // relative to the project
	isDir     bool
	why       string // reason for unclear
}

// direct looks up the citation's path in the project. An absolute path outside the project is
// outside, without a look-up. After the time limit, the result is unclear. The path of the result
// is relative to the project, or "" if outside.
func (c *check) direct(one Citation) lookup {
	rel := one.Path
	if strings.HasPrefix(rel, "/") {
		inside, ok := c.within(rel)
		if !ok {
			return lookup{existence: outside}
		}
		rel = inside
	}
	if c.ctx.Err() != nil {
		return lookup{existence: unclear, path: rel, why: reasonTime}
	}
	o := lookUp(c.project.Root, rel)
	o.path = rel
	return o
}

// The reasons for an unknown status, for users.
const (
	reasonTime        = "The search was stopped for lack of time."
	reasonLeaves      = "A link on the path leads out of the project."
	reasonBrokenLink  = "A link on the path is broken."
	reasonNotReadable = "Memoir has no access there."
	reasonGenerated   = "Such files are made by a build, or exist on one machine only."
	reasonForeign     = "Not found, but it may belong to another project."
	reasonIncomplete  = "The project is too large, or parts of it are unreadable."
	reasonNoFiles     = "The project has no searchable files."
)

// conclude returns the status of a citation and a message for users, from its look-up o and the
// finished search s. A found citation has no message. A path outside the project has the status ""
// and no message. A link without a memory is gone if there was one, else wanted.
func (c *check) conclude(one Citation, o lookup, s *search) (memories.CitationStatus, string) {
	switch one.Kind {
	case memories.CitesMemory:
		if c.project.HasMemory(one.Name) {
			return memories.CitationFound, ""
		}
		if one.FoundBefore || c.project.HadMemory(one.Name) {
			return memories.CitationGone, fmt.Sprintf("The memory “%s” was deleted.", one.Name)
		}
		return memories.CitationWanted, fmt.Sprintf("There is no memory “%s” yet.", one.Name)
	case memories.CitesFunction:
		return s.concludeFunction(one)
	case memories.CitesFlag:
		return s.concludeFlag(one)
	default:
		return c.concludePath(one, o, s)
	}
}

// concludePath returns the status of a cited path or line and a message. A path is found if it
// exists at its place or the search found a path that ends with it. It is "" outside the project,
// and unknown if the look-up was unclear. Otherwise concludeLine decides about lines, and
// concludeAbsent about missing paths.
func (c *check) concludePath(one Citation, o lookup, s *search) (memories.CitationStatus, string) {
	switch o.existence {
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

// concludeAbsent returns the status of a path that was not found, gone or unknown, and a message.
// It is gone if it surely belonged to the project, for example because its directory exists. It is
// unknown if it may be generated, ignored by git or of another project, or if the search was
// incomplete.
func (c *check) concludeAbsent(one Citation, o lookup, s *search) (memories.CitationStatus, string) {
	written := strings.TrimSuffix(one.Text, ":")
	gone := fmt.Sprintf("`%s` is no longer in the project.", written)
	elements := strings.Split(o.path, "/")
	if s.ignored.has(o.path) {
		return memories.CitationUnknown, reasonGenerated
	}
	for _, element := range elements {
		if madeByBuilds[element] || strings.Contains(element, ".local") || strings.HasPrefix(element, ".env") {
			return memories.CitationUnknown, reasonGenerated
		}
	}
	hasParent := len(elements) > 1 && c.isDirectory(path.Dir(o.path))
	switch {
	case s.files == 0 && !hasParent:
		return memories.CitationUnknown, reasonNoFiles
	case hasExtension(o.path) && hasParent:
		return memories.CitationGone, gone // other places in the project do not matter
	case !s.walkedAll:
		return memories.CitationUnknown, s.why()
	case one.FoundBefore, strings.HasPrefix(one.Path, "/"):
		return memories.CitationGone, gone
	case len(elements) == 1:
		// A bare name can belong to anything. A bare name with a line is a file that the author has
		// read, if the project has files with that extension.
		if one.Kind == memories.CitesLine && isSource(o.path) && s.extensions[extension(o.path)] {
			return memories.CitationGone, gone
		}
	case hasExtension(o.path):
		if c.isDirectory(elements[0]) || s.directories[strings.ToLower(elements[0])] {
			return memories.CitationGone, gone
		}
	case one.Quoted && hasParent && (len(elements) > 2 || strings.HasSuffix(one.Text, "/")):
		return memories.CitationGone, gone
	}
	return memories.CitationUnknown, reasonForeign
}

func (c *check) isDirectory(rel string) bool {
	o := lookUp(c.project.Root, rel)
	return o.existence == present && o.isDir
}

// concludeLine returns the status of a cited line in the files candidates, and a message. It is
// found if one of the files has so many lines, and gone if all are shorter. It is unknown if the
// lines of a file cannot be counted, or if there are maxPlaces candidates.
func (c *check) concludeLine(one Citation, candidates []string) (memories.CitationStatus, string) {
	maxLines := 0
	for _, candidate := range candidates {
		n := c.countLines(candidate)
		switch {
		case n.count >= one.Line:
			return memories.CitationFound, ""
		case !n.known:
			return memories.CitationUnknown, n.why
		}
		maxLines = max(maxLines, n.count)
	}
	if len(candidates) >= maxPlaces {
		return memories.CitationUnknown, reasonIncomplete
	}
	lines := "lines"
	if maxLines == 1 {
		lines = "line"
	}
	return memories.CitationGone, fmt.Sprintf("`%s` is past the end of its file, which has %d %s now.", one.Text, maxLines, lines)
}
