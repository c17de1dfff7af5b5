package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

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
			printable(item.Agent), printable(item.Kind), printable(item.Reason), cut(printable(namesOf(item)), nameColumns),
			cmp.Or(decisionWords(orNone(item.Recommended)), "–"), printable(item.ID),
		})
	}
	return writeTable(to, rows)
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
		decisions[i] = printable(d)
	}
	rows := [][]string{
		{"id", printable(item.ID)}, {"agent", printable(item.Agent)}, {"kind", printable(item.Kind)}, {"reason", printable(item.Reason)},
		{"decisions", strings.Join(decisions, ", ")},
	}
	if d := orNone(item.Recommended); d != "" {
		rows = append(rows, []string{"recommended", printable(d)})
	}
	if len(item.Memories) == 0 {
		rows = append(rows, []string{"about", printable(namesOf(item))})
	}
	if err := writeTable(to, rows); err != nil {
		return err
	}
	return writeReviewTexts(to, item, texts)
}

// writeReviewTexts prints the number, name, type, age and text of each memory.
func writeReviewTexts(to io.Writer, item wire.ReviewItem, texts []wire.Memory) error {
	out := bufio.NewWriter(to)
	for i, m := range texts {
		fmt.Fprintf(out, "\n%d  %s (%s, %s)\n", i+1, printable(m.Name), cmp.Or(printable(orNone(m.Type)), "no type"), ageOf(m))
		for _, text := range []string{orNone(m.Description), orNone(m.Body)} {
			if text = strings.TrimSpace(printableText(text)); text != "" {
				fmt.Fprintf(out, "   %s\n", strings.ReplaceAll(text, "\n", "\n   "))
			}
		}
	}
	if more := len(item.Memories) - len(texts); more > 0 {
		fmt.Fprintf(out, "\nand %d more\n", more)
	}
	return out.Flush()
}
