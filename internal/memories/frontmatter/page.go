package frontmatter

import (
	"memoir/internal/memories/memtext"
)

import "strings"

// page is a memory file cut into its parts. Joined in order they are the file, byte for byte, if the
// frontmatter is in its place; else they are the file with the frontmatter moved there.
type page struct {
	bom    string
	opener string // the line that opens the frontmatter, with its end; empty: the file has none
	front  string
	closer string
	body   string
	eol    string // what new lines end with: what the first line ends with
	shape  shape
}

// cutPage finds the frontmatter: in its place, else in one of the places and formats of a shape.
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

// cutTop finds the frontmatter in its place: it opens with a line --- at the very start and closes
// with the next line ---. One that never closes counts as none.
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

// Split returns the frontmatter at the start of a text, with the lines around it, and the rest. It
// does not return a byte order mark. head is empty if the text does not start with a frontmatter.
func Split(raw string) (head, body string) {
	p := cutTop(raw)
	return p.opener + p.front + p.closer, p.body
}

// cutAt splits a text at its first line of a kind.
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
