package memories

import "strings"

const byteOrderMark = "\uFEFF"

// page is a memory file cut into its parts. Joined in order they are the file, byte for byte.
type page struct {
	bom    string
	opener string // the line that opens the frontmatter, with its end; empty: the file has none
	front  string
	closer string
	body   string
	eol    string // what new lines end with: what the first line ends with
}

// cutPage finds the frontmatter: it opens with a line --- at the very start and closes with the next line ---. One
// that never closes counts as none.
func cutPage(raw string) page {
	p := page{body: raw, eol: "\n"}
	if rest, found := strings.CutPrefix(raw, byteOrderMark); found {
		p.bom, p.body = byteOrderMark, rest
	}
	opener, front := cutLine(p.body)
	if ending := lineEnding(opener); ending != "" {
		p.eol = ending
	}
	if !isFence(opener) {
		return p
	}
	for rest := front; rest != ""; {
		line, after := cutLine(rest)
		if isFence(line) {
			p.opener, p.closer, p.body = opener, line, after
			p.front = front[:len(front)-len(rest)]
			return p
		}
		rest = after
	}
	return p
}

func (p page) hasFrontmatter() bool { return p.opener != "" }

func isFence(line string) bool {
	return strings.TrimRight(line, " \t\r\n") == "---"
}

// cutLine returns the first line with its end (LF, CRLF or a lone CR) and what follows.
func cutLine(s string) (line, rest string) {
	i := strings.IndexAny(s, "\r\n")
	if i < 0 {
		return s, ""
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		i++
	}
	return s[:i+1], s[i+1:]
}

func lineEnding(line string) string {
	return line[len(strings.TrimRight(line, "\r\n")):]
}

// linesOf returns the lines of s, each with its end.
func linesOf(s string) []string {
	var lines []string
	for s != "" {
		var line string
		line, s = cutLine(s)
		lines = append(lines, line)
	}
	return lines
}
