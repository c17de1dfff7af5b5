package verification

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"memoir/internal/memories"
)

// Citation is a reference in a memory's text to something outside it.
type Citation struct {
	Kind memories.CitationKind
	Text string // as written; for CitesMemory the text between the brackets
	// Path is set for CitesPath and CitesLine. It is clean, with slashes, and absolute or relative
	// to an unknown directory.
	Path string
	Line int // for CitesLine: the last cited line, from 1
	// Name is the last name for CitesFunction, the flag without dashes for CitesFlag, and the
	// target for CitesMemory.
	Name      string
	Qualifier string // for CitesFunction: the name before the last, as pkg in pkg.Name(), or empty
	Quoted    bool   // it is alone in backticks
	// FoundBefore reports whether an earlier check found it, so that it surely belongs to the
	// project. The caller of Check sets it.
	FoundBefore bool
}

const (
	// maxCitations is the maximum number of citations of one memory (arbitrary).
	maxCitations = 200
	// maxCited is the maximum length of a citation, in bytes (arbitrary).
	maxCited = 256
)

// Citations returns the paths, lines, functions, flags and links to memories that a memory's body
// mentions, at most 200, in order and each once. It leaves out doubtful ones: in code blocks,
// addresses, patterns and placeholders, and those in a sentence about something removed, planned or
// forbidden. It takes linear time.
func Citations(body string) []Citation {
	c := collection{seen: map[string]bool{}}
	for _, block := range blocks(body) {
		for _, piece := range pieces(block) {
			if len(c.found) >= maxCitations {
				return c.found
			}
			if piece.code {
				c.code(piece)
			} else {
				c.prose(piece)
			}
		}
	}
	return c.found
}

type collection struct {
	found []Citation
	seen  map[string]bool // by kind and text
}

func (c *collection) add(cited Citation) {
	key := string(cited.Kind) + " " + cited.Text
	if len(cited.Text) > maxCited || c.seen[key] || len(c.found) >= maxCitations {
		return
	}
	c.seen[key] = true
	c.found = append(c.found, cited)
}

// code adds the citations in a text between backticks: a flag, a call, or a single word that is a
// path. From a command it adds each path with a directory and a known extension. It adds nothing
// that the sentence calls absent, and no flag or call that it advises against. It also leaves out
// flags of other programs, and commands with redirections or variables.
func (c *collection) code(p piece) {
	text := strings.TrimSpace(p.text)
	if name, ok := flagName(text); ok {
		if !p.absent && !p.advises && !p.foreign {
			c.add(Citation{Kind: memories.CitesFlag, Text: "--" + name, Name: name, Quoted: true})
		}
		return
	}
	if qualifier, name, ok := functionName(text); ok {
		if !p.absent && !p.advises {
			c.add(Citation{Kind: memories.CitesFunction, Text: text, Qualifier: qualifier, Name: name, Quoted: true})
		}
		return
	}
	alone := !strings.ContainsAny(text, " \t\n")
	if p.absent || !alone && strings.ContainsAny(text, "|<>$;&") {
		return
	}
	for word := range strings.FieldsSeq(text) {
		if cited, ok := pathCited(word); ok && (alone || strings.Contains(cited.Path, "/") && hasExtension(cited.Path)) {
			cited.Quoted = alone
			c.add(cited)
		}
	}
}

// prose adds the links to memories, and the words that are surely paths, in a text outside
// backticks. It adds nothing if the sentence calls its citations absent.
func (c *collection) prose(p piece) {
	text := c.links(p.text, p.absent)
	if p.absent {
		return
	}
	for word := range strings.FieldsFuncSeq(text, betweenWords) {
		word = strings.TrimRight(strings.TrimLeft(word, "*"), "*.:!?")
		if cited, ok := pathCited(word); ok && certainInProse(cited) {
			c.add(cited)
		}
	}
}

// certainInProse reports whether a path without backticks is surely a path. It is if it has a line
// number, a directory and a known extension, or the extension of code. "and/or" is not.
func certainInProse(cited Citation) bool {
	if cited.Kind == memories.CitesLine {
		return true
	}
	if strings.Contains(cited.Path, "/") {
		return hasExtension(cited.Path)
	}
	return isSource(cited.Path)
}

// links returns text with each [[link]] replaced by a space. Unless absent is set, it adds the
// links to memories, without embedded ones such as ![[x]] and labels such as [[x]](url).
func (c *collection) links(text string, absent bool) string {
	var rest strings.Builder
	for {
		before, after, opened := strings.Cut(text, "[[")
		rest.WriteString(before)
		if !opened {
			return rest.String()
		}
		rest.WriteByte(' ')
		inner, beyond, closed := strings.Cut(after[:min(len(after), maxCited)], "]]")
		if !closed {
			text = after
			continue
		}
		text = after[len(inner)+len("]]"):]
		embeds, leads := strings.HasSuffix(before, "!"), strings.HasPrefix(beyond, "(")
		if name, ok := linkName(inner); ok && !absent && !embeds && !leads {
			c.add(Citation{Kind: memories.CitesMemory, Text: strings.TrimSpace(inner), Name: name})
		}
	}
}

// linkName returns the name of the memory to which a link with the text inner leads. It is without
// alias and section, and without directory and extension if the extension is .md. ok is false for
// text that only looks like a link: shell conditions, TOML tables, C++ attributes, other files and
// placeholders.
func linkName(inner string) (name string, ok bool) {
	name = inner
	if i := strings.IndexAny(name, "|#"); i >= 0 {
		name = name[:i]
	}
	name = strings.TrimSpace(name)
	switch {
	case name == "", strings.HasPrefix(name, "-"), strings.ContainsAny(name, "[]<>{}$*\"'`=:;,\\…\n"), strings.Contains(name, "..."):
		return "", false
	case placeholderLinks[strings.ToLower(name)], strings.ContainsFunc(inner, unicode.IsControl), !startsLikeName(name):
		return "", false
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		switch ext := strings.ToLower(name[dot+1:]); {
		case ext == "md":
			name = name[strings.LastIndexByte(name, '/')+1 : dot]
		case isExtension(ext):
			return "", false
		}
	}
	return name, name != ""
}

// longFlag matches a long flag, possibly with a value: --name, --name=value, --name value.
var longFlag = regexp.MustCompile(`(?s)^--([a-z](?:-?[a-z0-9_])+)(?:[= ].*)?$`)

// flagName returns the name of the long flag in text, without dashes and value. ok is false if
// text is not one long flag, possibly with a value, or if the name has less than three characters.
func flagName(text string) (name string, ok bool) {
	match := longFlag.FindStringSubmatch(text)
	if match == nil || len(match[1]) < 3 {
		return "", false
	}
	return match[1], true
}

// functionCall matches name() and pkg.Name(), also with :: or ->. It captures the last two names.
var functionCall = regexp.MustCompile(`^(?:(?:[A-Za-z_]\w*(?:\.|::|->))*([A-Za-z_]\w*)(?:\.|::|->))?([A-Za-z_]\w*)\(\)$`)

// functionName returns the name of the function in a call without arguments, such as Name() or
// pkg.Name(), and the name before it or "". ok is false for any other text.
func functionName(text string) (qualifier, name string, ok bool) {
	match := functionCall.FindStringSubmatch(text)
	if match == nil {
		return "", "", false
	}
	return match[1], match[2], true
}

// pathCited returns the citation of a path, possibly with a line: file.go, dir/, dir/file.go:42,
// file.go:42-50, file.go:42:7, file.go#L42. ok is false for words that are no path.
func pathCited(word string) (Citation, bool) {
	if len(word) > maxCited || !mayBePath(word) {
		return Citation{}, false
	}
	written, lines := word, ""
	if i := strings.IndexByte(word, '#'); i >= 0 {
		word, lines = word[:i], strings.ReplaceAll(word[i+1:], "L", "")
	} else if i := strings.IndexByte(word, ':'); i >= 0 {
		word, lines = word[:i], word[i+1:]
		if lines != "" && !isDigit(lines[0]) {
			return Citation{}, false // a scheme, host or key
		}
	}
	path, ok := cleanPath(word)
	if !ok {
		return Citation{}, false
	}
	cited := Citation{Kind: memories.CitesPath, Text: strings.TrimSuffix(written, ":"), Path: path}
	if line := lastLine(lines); line > 0 {
		if !hasExtension(path) {
			return Citation{}, false // host/path:80
		}
		cited.Kind, cited.Line = memories.CitesLine, line
	}
	return cited, true
}

// lastLine returns the last line of 42, 42-50 or 42:7 (line and column), so 42, 50 and 42. It
// returns 0 for other text.
func lastLine(lines string) int {
	lines = strings.ReplaceAll(lines, "–", "-")
	lines, _, _ = strings.Cut(lines, ":")
	first, last, isRange := strings.Cut(lines, "-")
	n, err := strconv.ParseUint(first, 10, 31)
	if err != nil {
		return 0
	}
	if isRange {
		if m, err := strconv.ParseUint(last, 10, 31); err == nil && m >= n {
			n = m
		}
	}
	return int(n)
}
