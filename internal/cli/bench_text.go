package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"memoir/internal/cli/terminal"
	"memoir/internal/recallbench"
)

// writeBench prints a table for each result, with an empty line between two. Memoir and BM25 have
// one row each for each group of questions.
func writeBench(to io.Writer, report benchReport) error {
	for i, result := range report.Results {
		if i > 0 {
			fmt.Fprintln(to)
		}
		if _, err := fmt.Fprintf(to, "%s: %s\n\n", terminal.Printable(result.File), describeBench(result)); err != nil {
			return err
		}
		rows := [][]string{{"QUESTIONS", "NUMBER", "BY", "ANY@5", "SHARE@5", "FIRST HIT", "GIVEN", "PRECISION", "SILENT"}}
		for _, group := range result.Groups {
			rows = append(rows, append([]string{group.Group, strconv.Itoa(group.Questions), "Memoir"}, figureCells(group.Memoir)...))
			rows = append(rows, append([]string{"", "", "BM25"}, figureCells(group.BM25)...))
		}
		terminal.AlignRight(rows, 1, 3, 4, 5, 6, 7, 8)
		if err := terminal.WriteTable(to, rows); err != nil {
			return err
		}
	}
	return nil
}

// describeBench returns the name of the set, the way of asking, and the times.
func describeBench(r *benchResult) string {
	var parts []string
	if r.Unit != nil {
		parts = append(parts, string(*r.Unit))
	}
	if r.Agent != nil {
		parts = append(parts, "agent "+terminal.Printable(*r.Agent))
	}
	parts = append(parts, fmt.Sprintf("%d memories", r.Memories))
	if r.Asked == askedDeliberately {
		parts = append(parts, "asked deliberately")
	} else {
		parts = append(parts, "asked as by the hook")
	}
	return strings.Join(append(parts, fmt.Sprintf("median %.1f ms, p95 %.1f ms", r.MedianMS, r.P95MS)), ", ")
}

// figureCells returns the cells of a row. An undefined figure is a dash.
func figureCells(f recallbench.Figures) []string {
	cell := func(format string, figure *float64) string {
		if figure == nil {
			return "-"
		}
		return fmt.Sprintf(format, *figure)
	}
	return []string{
		cell("%.1f", f.Any), cell("%.1f", f.Share), cell("%.1f", f.First), cell("%.2f", f.Given), cell("%.1f", f.Precision), cell("%.1f", f.Silent),
	}
}
