package markdown

import "strings"

// A memory may be a megabyte, and the parser takes time that grows with the square of two things: how deep blocks are
// nested, and how many marks of emphasis and brackets one block of lines holds. Below these limits the worst megabyte
// takes about as long as an ordinary one; no text written for readers comes near them.
const (
	deepestNesting = 50
	mostMarks      = 2000
	// mostBlocks bounds what the parser makes of all lines: each that has text counts, and each quote and list item that
	// it opens. A megabyte of the shortest lines takes more than a second, and so many that a browser stalls. It is
	// arbitrary: a megabyte of sentences has 15,000 lines.
	mostBlocks = 25_000
	// mostInlines bounds the marks of links, tags, addresses and code. A megabyte of nothing else takes 0.6 s of CPU time
	// (2 cores of an AMD EPYC), and makes a page of 7 MB. It is arbitrary: a megabyte of sentences with one each has 15,000.
	mostInlines = 40_000
)

// tooComplex reports whether a source exceeds the limits of this file. It reads each byte a few times.
func tooComplex(source string) bool {
	if strings.Count(source, "<")+strings.Count(source, "`")+strings.Count(source, "@")+strings.Count(source, "://") > mostInlines {
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
		if depth > deepestNesting || depth > 0 && indent(line)/leastIndent > deepestNesting || blocks > mostBlocks {
			return true
		}
		for i := range len(line) {
			if strings.IndexByte("*_~[]", line[i]) >= 0 {
				marks++
			}
		}
		if marks > mostMarks {
			return true
		}
	}
	return false
}

// leastIndent is by how many spaces an item of a list is indented at least below the one that it is nested in.
const leastIndent = 2

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// startsBlock reports whether a line is blank or a bullet that ends the paragraph before it. A bullet that is indented
// further may be a mere continuation of that paragraph.
func startsBlock(line string) bool {
	text := strings.TrimLeft(line, " ")
	if strings.TrimSpace(text) == "" {
		return true
	}
	bullet := strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ ")
	return bullet && len(line)-len(text) <= 3 && strings.TrimSpace(text[1:]) != ""
}

// nesting counts the quotes and list items that a line opens.
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
