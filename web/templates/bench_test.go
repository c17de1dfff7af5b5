package templates_test

import (
	"bytes"
	"fmt"
	"testing"

	"memoir/web/templates"
)

func BenchmarkTheMemoryTabOfTwoThousandMemories(b *testing.B) {
	v := memoriesPage()
	var rows []templates.MemoryRow
	for i := range 2000 {
		row := believableRows()[i%10]
		row.ID = fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i)
		rows = append(rows, row)
	}
	v.Groups = grouped(rows)
	var page bytes.Buffer
	for b.Loop() {
		page.Reset()
		if err := templates.MemoriesPage(v).Render(b.Context(), &page); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(page.Len()), "B/page")
}
