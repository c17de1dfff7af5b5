package markdown

import "strings"

// Limits for the Markdown parser. Its cost grows with the square of the nesting depth, and of the
// number of emphasis marks and brackets in one block. They are arbitrary: written texts stay far
// below. At the limits a memory of 1 MiB costs about as much as an ordinary one.
const (
	maxNesting = 50
	maxMarks   = 2000
	// maxBlocks limits lines with text, plus the quotes and list items that they open. 1 MiB of the
	// shortest lines takes more than 1 s and stalls a browser. It is arbitrary: 1 MiB of sentences
	// has 15,000 lines.
	maxBlocks = 25_000
	// maxInlines limits the marks of links, tags, addresses and code. 1 MiB of them takes 0.6 s of
	// CPU time (2 cores of an AMD EPYC) and gives a page of 7 MB. It is arbitrary.
	maxInlines = 40_000
)

// tooComplex reports whether a source exceeds maxNesting, maxMarks, maxBlocks or maxInlines.
func tooComplex(source string) bool {
	inlines := 0
	for _, mark := range []string{"<", "`", "@", "://"} {
		inlines += strings.Count(source, mark)
	}
	if inlines > maxInlines {
		return true
	}
	marks, blocks := 0, 0
	for line := range strings.Lines(source) {
		if startsBlock(line) {
			marks = 0
		}
		depth := nesting(line)
		if strings.TrimSpace(line) != "" {
			blocks += 1 + depth
		}
		if depth > maxNesting || depth > 0 && indent(line)/minIndent > maxNesting || blocks > maxBlocks {
			return true
		}
		for i := range len(line) {
			if strings.IndexByte("*_~[]", line[i]) >= 0 {
				marks++
			}
		}
		if marks > maxMarks {
			return true
		}
	}
	return false
}

// minIndent is how many spaces a nested list item is indented at least.
const minIndent = 2

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// startsBlock reports whether a line ends the paragraph above. It does if it is blank, or a bullet
// with text that is indented by at most three spaces.
func startsBlock(line string) bool {
	text := strings.TrimLeft(line, " ")
	if strings.TrimSpace(text) == "" {
		return true
	}
	bullet := strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ ")
	return bullet && len(line)-len(text) <= 3 && strings.TrimSpace(text[1:]) != ""
}

// nesting returns an upper bound for the number of quotes and list items that a line opens. It is
// the number of their marks at the start of the line, also where they mean nothing in Markdown.
func nesting(line string) int {
	depth := 0
	for i := range len(line) {
		switch line[i] {
		case ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		case '>':
			depth++
		case '-', '+', '*', '.', ')':
			if i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t') {
				depth++
			}
		default:
			return depth
		}
	}
	return depth
}
