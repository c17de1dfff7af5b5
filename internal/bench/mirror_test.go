package bench

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// rounds is how often figure and floor are taken in turns.
const rounds = 5

// mirrored is one cold mirror beside its floor.
type mirrored struct {
	Floor, Ready, Searchable time.Duration
}

func (m mirrored) Ratio() float64 { return m.Ready.Seconds() / m.Floor.Seconds() }

func BenchmarkMirrorFromCold(b *testing.B) {
	for _, layout := range []layout{manySessions, oneAgent} {
		b.Run(layout.name, func(b *testing.B) {
			dir := b.TempDir()
			layout.write(b, dir)
			for b.Loop() {
				var all []mirrored
				for range rounds {
					all = append(all, mirrorFromCold(b, layout, dir))
				}
				slices.SortFunc(all, func(x, y mirrored) int { return cmp.Compare(x.Ratio(), y.Ratio()) })
				middle := all[rounds/2]
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(milliseconds(middle.Ready), "ready-ms")
				b.ReportMetric(milliseconds(middle.Floor), "floor-ms")
				b.ReportMetric(milliseconds(middle.Searchable), "searchable-ms")
				b.ReportMetric(middle.Ratio(), "ratio")
				report.Mirrors = append(report.Mirrors, named[mirrored]{layout, middle})
			}
		})
	}
}

// mirrorFromCold runs the floor and then an engine, each over a database that has nothing yet. CLAUDE.md files that an
// earlier round has written stay: the floor reads them too.
func mirrorFromCold(b *testing.B, layout layout, dir string) mirrored {
	b.Helper()
	url, conn := database(b)
	m := mirrored{Floor: copyPlainly(b, conn, dir)}

	started := time.Now()
	engine, store := start(b, url, dir)
	until(b, "the first scan", engine.Ready)
	m.Ready = time.Since(started)
	if n := count(b, conn, "SELECT count(*) FROM memories"); n != layout.total() {
		b.Fatalf("%d of %d files are mirrored", n, layout.total())
	}
	untilSearchable(b, conn, layout)
	m.Searchable = time.Since(started)
	stop(b, engine, store)
	return m
}

func untilSearchable(b *testing.B, conn *pgx.Conn, layout layout) {
	b.Helper()
	until(b, "the search index", func() bool {
		return count(b, conn, "SELECT count(*) FROM memory_search") == layout.total()
	})
}

func count(b *testing.B, conn *pgx.Conn, query string) (n int) {
	b.Helper()
	if err := conn.QueryRow(b.Context(), query).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}
