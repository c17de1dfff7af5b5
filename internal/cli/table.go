package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/terminal"
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
		rows = append(rows, []string{terminal.Cut(terminal.Printable(m.Name), nameColumns), kind, ageOf(m).String(), terminal.Cut(terminal.Printable(orNone(m.Description)), descriptionColumns)})
	}
	return terminal.WriteTable(to, rows)
}

// writeMemory prints the facts about a memory that are not empty, one a line, and then its body.
// These are name, type, description, age, pending change, session, files, problems and a warning about the age. A
// state is printed if it is not active.
func writeMemory(to io.Writer, m wire.Memory) error {
	rows := [][]string{{"name", terminal.Printable(m.Name)}}
	fact := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, terminal.Printable(value)})
		}
	}
	fact("type", string(orNone(m.Type)))
	fact("description", orNone(m.Description))
	fact("age", ageOf(m).String())
	if m.State != string(memories.Active) {
		fact("state", strings.ReplaceAll(m.State, "_", " "))
	}
	fact("pending", orNone(m.Pending))
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
	if err := terminal.WriteTable(to, rows); err != nil {
		return err
	}
	if body := orNone(m.Body); body != "" {
		_, err := fmt.Fprintf(to, "\n%s\n", terminal.PrintableText(body))
		return err
	}
	return nil
}

// writeDeletion prints the name of the deleted memory and whether it can be restored. It lists the
// removed files, the changed indexes, and a problem with CLAUDE.md if there is one. A pending deletion
// is one line.
func writeDeletion(to io.Writer, d memorystore.Deletion) error {
	if d.Value.Pending != nil {
		_, err := fmt.Fprintf(to, "deletion of %s pending: a note asks the agent's client to forget it\n", terminal.Printable(d.Value.Name))
		return err
	}
	out := bufio.NewWriter(to)
	fate := "this is permanent: without a server there is no trash"
	if d.Trash {
		fate = "it is in the trash"
	}
	fmt.Fprintf(out, "deleted %s; %s\n", terminal.Printable(d.Value.Name), fate)
	for _, file := range d.Files {
		fmt.Fprintf(out, "  removed %s\n", terminal.Printable(file))
	}
	for _, index := range d.Indexes {
		fmt.Fprintf(out, "  removed its lines from %s\n", terminal.Printable(index))
	}
	if d.Value.ClaudeMD != nil {
		fmt.Fprintf(out, "  CLAUDE.md: %s\n", terminal.Printable(d.Value.ClaudeMD.Problem))
	}
	return out.Flush()
}

// writeRecalled prints each recalled memory: name and type, why it was chosen, and its body without
// the frontmatter. Without memories, it prints why none was recalled.
func writeRecalled(to io.Writer, r memorystore.Recalled) error {
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
		fmt.Fprintf(out, "%s (%s%s)\n", terminal.Printable(m.Name), orNone(m.Type), weak)
		for _, why := range m.Why {
			fmt.Fprintf(out, "  why: %s\n", terminal.Printable(why))
		}
		// The frontmatter repeats the lines above.
		if body := frontmatter.Parse([]byte(m.Text), m.Path).Body; body != "" {
			fmt.Fprintf(out, "\n%s\n", terminal.PrintableText(body))
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

// ageOf returns the age of a memory in an API answer. Its Unknown is true if m.AgeDays is nil.
func ageOf(m wire.Memory) memories.Age {
	if m.AgeDays == nil {
		return memories.Age{Unknown: true}
	}
	return memories.Age{Days: *m.AgeDays, Stale: m.Stale}
}
