package frontmatter

import (
	"strings"

	"memoir/internal/memories/memtext"
)

// page is a memory file split into its parts. The joined parts are the file, or for another shape
// than inPlace, the file with its frontmatter moved to the top.
type page struct {
	bom    string
	opener string // first line of the frontmatter, with its line end; empty without frontmatter
	front  string
	closer string
	body   string
	eol    string // line end of the first line; used for new lines
	shape  shape
}

// cutPage splits a file at its frontmatter, also at one in an unusual place or format. It merges
// further frontmatter blocks and corrects the spelling of keys. Without frontmatter, the whole file
// is the body.
func cutPage(raw string) page {
	p := cutTop(raw)
	if p.hasFrontmatter() && (!isFrontmatter(p.front) || isClosedByDots(p)) {
		p.body, p.opener, p.front, p.closer = p.opener+p.front+p.closer+p.body, "", "", ""
	}
	if !p.hasFrontmatter() {
		if found, ok := findFrontmatter(p); ok {
			p = found
		}
	}
	if p.hasFrontmatter() && len(p.front) <= maxFrontmatter {
		p = mergeSecond(lowerKeys(p))
	}
	return p
}

func isClosedByDots(p page) bool {
	if !strings.Contains(p.front, "...") {
		return false
	}
	_, _, ok := cutDots(p.opener + p.front + p.closer)
	return ok
}

// cutTop splits a file at a frontmatter at its start, between two lines ---. If one of the lines is
// missing, the whole file is the body.
func cutTop(raw string) page {
	p := page{body: raw, eol: "\n"}
	if rest, found := strings.CutPrefix(raw, memtext.ByteOrderMark); found {
		p.bom, p.body = memtext.ByteOrderMark, rest
	}
	opener, front := memtext.CutLine(p.body)
	if ending := memtext.LineEnding(opener); ending != "" {
		p.eol = ending
	}
	if !isFence(opener) {
		return p
	}
	if front, closer, body, ok := cutAt(front, isFence); ok {
		p.opener, p.front, p.closer, p.body = opener, front, closer, body
	}
	return p
}

// Split returns the frontmatter at the start of a text, including the lines ---, and the rest. Both
// omit a byte order mark. If the first line is not ---, or no later one is, head is empty and body
// is the text. Split does not check that the frontmatter is YAML.
func Split(raw string) (head, body string) {
	p := cutTop(raw)
	return p.opener + p.front + p.closer, p.body
}

// cutAt splits a text at its first line for which is reports true, and returns that line. Without
// such a line, before is the whole text and ok is false.
func cutAt(text string, is func(line string) bool) (before, line, after string, ok bool) {
	for rest := text; rest != ""; rest = after {
		line, after = memtext.CutLine(rest)
		if is(line) {
			return text[:len(text)-len(rest)], line, after, true
		}
	}
	return text, "", "", false
}

func (p page) hasFrontmatter() bool { return p.opener != "" }

func isFence(line string) bool {
	return strings.TrimRight(line, " \t\r\n") == "---"
}
