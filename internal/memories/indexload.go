package memories

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// What an agent loads of its MEMORY.md, as Claude Code has it: more than this is cut. Lengths are UTF-16 code units,
// the characters of JavaScript.
const (
	maxIndexLines = 200
	maxIndexUnits = 25_000
)

// LoadIndex returns a MEMORY.md as an agent loads it: without frontmatter and block comments, trimmed, cut to 200 lines
// and 25,000 UTF-16 code units at the end of a line, with a warning behind it when something was cut.
func LoadIndex(raw []byte) string {
	text, _, _ := sanitise(cutPage(string(raw)).body)
	text = trimAsJavaScript(withoutBlockComments(lineEnds.Replace(text)))
	lines, units := strings.Count(text, "\n")+1, utf16Length(text)
	if lines <= maxIndexLines && units <= maxIndexUnits {
		return text
	}
	loaded := text
	if lines > maxIndexLines {
		loaded = strings.Join(strings.SplitN(text, "\n", maxIndexLines+1)[:maxIndexLines], "\n")
	}
	if utf16Length(loaded) > maxIndexUnits {
		loaded = cutAtLineEnd(loaded)
	}
	return loaded + "\n\n> WARNING: MEMORY.md is " + excess(lines, units) + ". Only part of it was loaded. " +
		"Keep index entries to one line under ~200 chars; move detail into topic files."
}

// excess says by what an index is too large.
func excess(lines, units int) string {
	switch {
	case units <= maxIndexUnits:
		return fmt.Sprintf("%d lines (limit: %d)", lines, maxIndexLines)
	case lines <= maxIndexLines:
		return fmt.Sprintf("%s (limit: %s) — index entries are too long", kilobytes(units), kilobytes(maxIndexUnits))
	default:
		return fmt.Sprintf("%d lines and %s", lines, kilobytes(units))
	}
}

// kilobytes writes a size with one decimal, and with none where that is 0: 24.4KB, 28KB, 1.5MB.
func kilobytes(n int) string {
	size, unit := float64(n)/1024, "KB"
	if size >= 1024 {
		size, unit = size/1024, "MB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0") + unit
}

// cutAtLineEnd cuts a text to maxIndexUnits at the last line end within, or in the line where there is none.
func cutAtLineEnd(text string) string {
	units, lineEnd, hard := 0, 0, 0
	for i, r := range text {
		if units > maxIndexUnits {
			break
		}
		if r == '\n' {
			lineEnd = i
		}
		if units += utf16.RuneLen(r); units <= maxIndexUnits {
			hard = i + utf8.RuneLen(r)
		}
	}
	if lineEnd > 0 {
		return text[:lineEnd]
	}
	return text[:hard]
}

func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// trimAsJavaScript trims what String.prototype.trim does, which counts the byte order mark as white space.
func trimAsJavaScript(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) })
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// withoutBlockComments drops the comments that begin a block of their own. Those within a paragraph or in code stay, as
// does one that never closes.
func withoutBlockComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var edits []replacement
	for n := parseBlocks(text).FirstChild(); n != nil; n = n.NextSibling() {
		block, ok := n.(*ast.HTMLBlock)
		if !ok || block.HTMLBlockType != ast.HTMLBlockType2 {
			continue
		}
		from, to := block.Lines().At(0).Start, block.Lines().At(block.Lines().Len()-1).Stop
		if block.HasClosure() {
			to = block.ClosureLine.Stop
		}
		rest := comment.ReplaceAllString(text[from:to], "")
		if strings.TrimSpace(rest) == "" {
			rest = ""
		}
		edits = append(edits, replacement{from, to, rest})
	}
	return replace(text, edits)
}
