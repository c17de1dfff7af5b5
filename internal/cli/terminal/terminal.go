// Package terminal prints text on terminals: tables, and text of strangers without control characters.
package terminal

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// WriteTable prints rows as a table. Each column is as wide as its widest cell, with two spaces
// between columns and none at the end of a line. rows must not be empty, and rows[0] has all
// columns.
func WriteTable(to io.Writer, rows [][]string) error {
	const gap = 2
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	out := bufio.NewWriter(to)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+gap))
			}
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
	return out.Flush()
}

// columns returns the width of a text in columns of a terminal.
func columns(s string) (n int) {
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// columnsOf returns the width of a character: 2 for wide ones such as ideographs, 0 for combining
// marks and format characters, else 1.
func columnsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// Cut returns s if it fits in room columns of a terminal. Else it returns the longest beginning
// that fits with an ellipsis, and the ellipsis.
func Cut(s string, room int) string {
	if columns(s) <= room {
		return s
	}
	taken := 1 // the ellipsis
	for i, r := range s {
		if taken += columnsOf(r); taken > room {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// Printable returns s with each white space character replaced by a space, and other control
// characters, which a terminal would obey, by U+FFFD.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// PrintableText returns s with control characters replaced by U+FFFD, except line feeds and tabs.
func PrintableText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// AlignRight puts spaces before the cells of the given columns, so that they end at the same place.
func AlignRight(rows [][]string, indices ...int) {
	for _, i := range indices {
		width := 0
		for _, row := range rows {
			width = max(width, columns(row[i]))
		}
		for _, row := range rows {
			row[i] = strings.Repeat(" ", width-columns(row[i])) + row[i]
		}
	}
}
