package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/wire"
)

// The widths of a name and a description in a table, in columns of a terminal. Arbitrary.
const (
	nameColumns        = 40
	descriptionColumns = 72
)

// writeList prints memories as a table with a header: name, type, age and description. Long names
// and descriptions are cut. Without memories it prints "no memories".
func writeList(to io.Writer, list wire.MemoryList) error {
	if len(list.Memories) == 0 {
		_, err := fmt.Fprintln(to, "no memories")
		return err
	}
	rows := [][]string{{"NAME", "TYPE", "AGE", "DESCRIPTION"}}
	for _, m := range list.Memories {
		kind := string(orNone(m.Type))
		if kind == "" {
			kind = "none"
		}
		rows = append(rows, []string{cut(printable(m.Name), nameColumns), kind, ageOf(m).String(), cut(printable(orNone(m.Description)), descriptionColumns)})
	}
	return writeTable(to, rows)
}

// writeMemory prints the facts about a memory that are not empty, one a line, and then its body.
// These are name, type, description, age, session, files, problems and a warning about the age. A
// state is printed if it is not active.
func writeMemory(to io.Writer, m wire.Memory) error {
	rows := [][]string{{"name", printable(m.Name)}}
	fact := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, printable(value)})
		}
	}
	fact("type", string(orNone(m.Type)))
	fact("description", orNone(m.Description))
	fact("age", ageOf(m).String())
	if m.State != string(memories.Active) {
		fact("state", strings.ReplaceAll(m.State, "_", " "))
	}
	fact("session", orNone(m.Session))
	for _, f := range m.Files {
		fact("file", f.Path)
	}
	for _, p := range m.Problems {
		fact("problem", p.Message)
	}
	if m.ClaudeMD != nil {
		fact("CLAUDE.md", m.ClaudeMD.Problem)
	}
	fact("note", ageOf(m).Warning())
	if err := writeTable(to, rows); err != nil {
		return err
	}
	if body := orNone(m.Body); body != "" {
		_, err := fmt.Fprintf(to, "\n%s\n", printableText(body))
		return err
	}
	return nil
}

// writeDeletion prints the name of the deleted memory and whether it can be restored. It lists the
// removed files, the changed indexes, and a problem with CLAUDE.md if there is one.
func writeDeletion(to io.Writer, d deletion) error {
	out := bufio.NewWriter(to)
	fate := "this is permanent: without a server there is no trash"
	if d.trash {
		fate = "it is in the trash"
	}
	fmt.Fprintf(out, "deleted %s; %s\n", printable(d.value.Name), fate)
	for _, file := range d.files {
		fmt.Fprintf(out, "  removed %s\n", printable(file))
	}
	for _, index := range d.indexes {
		fmt.Fprintf(out, "  removed its lines from %s\n", printable(index))
	}
	if d.value.ClaudeMD != nil {
		fmt.Fprintf(out, "  CLAUDE.md: %s\n", printable(d.value.ClaudeMD.Problem))
	}
	return out.Flush()
}

// writeRecalled prints each recalled memory: name and type, why it was chosen, and its body without
// the frontmatter. Without memories, it prints why none was recalled.
func writeRecalled(to io.Writer, r recalled) error {
	out := bufio.NewWriter(to)
	if len(r.Memories) == 0 {
		fmt.Fprintln(out, nothingRecalled(orNone(r.Skipped)))
	}
	for i, m := range r.Memories {
		if i > 0 {
			fmt.Fprintln(out)
		}
		weak := ""
		if m.Weak {
			weak = ", weak match"
		}
		fmt.Fprintf(out, "%s (%s%s)\n", printable(m.Name), orNone(m.Type), weak)
		for _, why := range m.Why {
			fmt.Fprintf(out, "  why: %s\n", printable(why))
		}
		// The frontmatter repeats the lines above.
		if body := frontmatter.Parse([]byte(m.Text), m.Path).Body; body != "" {
			fmt.Fprintf(out, "\n%s\n", printableText(body))
		}
	}
	return out.Flush()
}

// nothingRecalled returns the text for users about a recall without memories. skipped is the API's
// reason for not searching, or "" if it searched.
func nothingRecalled(skipped string) string {
	switch skipped {
	case "short_query":
		return "query too short: describe the task in a few words"
	case "no_memories":
		return "no memories yet"
	}
	return "no matching memory"
}

// writeTable prints rows as a table. Each column is as wide as its widest cell, with two spaces
// between columns and none at the end of a line. rows must not be empty, and rows[0] has all
// columns.
func writeTable(to io.Writer, rows [][]string) error {
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

// cut returns s if it fits in room columns of a terminal. Else it returns the longest beginning
// that fits with an ellipsis, and the ellipsis.
func cut(s string, room int) string {
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

// printable returns s with each white space character replaced by a space, and other control
// characters, which a terminal would obey, by U+FFFD.
func printable(s string) string {
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

// printableText returns s with control characters replaced by U+FFFD, except line feeds and tabs.
func printableText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
