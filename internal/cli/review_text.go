package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"memoir/internal/cli/terminal"
	"memoir/internal/wire"
)

// writeReview prints items as a table with a header: agent, kind, reason, names, recommended
// decision and id. Long names are cut. Without items it prints "nothing to review".
func writeReview(to io.Writer, list wire.ReviewList) error {
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(to, "nothing to review")
		return err
	}
	rows := [][]string{{"AGENT", "KIND", "REASON", "NAMES", "RECOMMENDED", "ID"}}
	for _, item := range list.Items {
		rows = append(rows, []string{
			terminal.Printable(item.Agent), terminal.Printable(item.Kind), terminal.Printable(item.Reason), terminal.Cut(terminal.Printable(namesOf(item)), nameColumns),
			cmp.Or(decisionWords(orNone(item.Recommended)), "–"), terminal.Printable(item.ID),
		})
	}
	return terminal.WriteTable(to, rows)
}

// namesOf returns the names of an item's memories, or what else it is about.
func namesOf(item wire.ReviewItem) string {
	if len(item.Memories) == 0 {
		return orNone(item.Subject)
	}
	names := make([]string, len(item.Memories))
	for i, m := range item.Memories {
		names[i] = m.Name
	}
	return strings.Join(names, ", ")
}

// writeReviewItem prints the facts about an item, and then its texts.
func writeReviewItem(to io.Writer, item wire.ReviewItem, texts []wire.Memory) error {
	decisions := make([]string, len(item.Decisions))
	for i, d := range item.Decisions {
		decisions[i] = terminal.Printable(d)
	}
	rows := [][]string{
		{"id", terminal.Printable(item.ID)}, {"agent", terminal.Printable(item.Agent)}, {"kind", terminal.Printable(item.Kind)}, {"reason", terminal.Printable(item.Reason)},
		{"decisions", strings.Join(decisions, ", ")},
	}
	if d := orNone(item.Recommended); d != "" {
		rows = append(rows, []string{"recommended", terminal.Printable(d)})
	}
	if len(item.Memories) == 0 {
		rows = append(rows, []string{"about", terminal.Printable(namesOf(item))})
	}
	if err := terminal.WriteTable(to, rows); err != nil {
		return err
	}
	return writeReviewTexts(to, item, texts)
}

// writeReviewTexts prints the number, name, type, age and text of each memory.
func writeReviewTexts(to io.Writer, item wire.ReviewItem, texts []wire.Memory) error {
	out := bufio.NewWriter(to)
	for i, m := range texts {
		fmt.Fprintf(out, "\n%d  %s (%s, %s)\n", i+1, terminal.Printable(m.Name), cmp.Or(terminal.Printable(orNone(m.Type)), "no type"), ageOf(m))
		for _, text := range []string{orNone(m.Description), orNone(m.Body)} {
			if text = strings.TrimSpace(terminal.PrintableText(text)); text != "" {
				fmt.Fprintf(out, "   %s\n", strings.ReplaceAll(text, "\n", "\n   "))
			}
		}
	}
	if more := len(item.Memories) - len(texts); more > 0 {
		fmt.Fprintf(out, "\nand %d more\n", more)
	}
	return out.Flush()
}
