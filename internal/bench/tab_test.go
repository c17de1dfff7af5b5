package bench

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/pages"
)

// views are the ways in which the Memory tab of oneAgent is opened: as it is, and while somebody types in its search box.
// Nearly every memory of the corpus has a word that begins with "rel".
var views = []struct{ name, query string }{
	{"all of it", ""},
	{"search “rel”", "?q=rel"},
	{"search “release tic”", "?q=release+tic"},
	{"search “releese”, a near-miss", "?q=releese"},
	{"search “zzzz”, of which there is none", "?q=zzzz"},
}

// openings is how often the tab is opened.
const openings = 20

// opened is how long it took to open the Memory tab in one view, beside the median of its floor.
type opened struct {
	View                 string
	Median, Worst, Floor time.Duration
	Shown                int // memories that the page shows at first
	Bytes                int
}

func (o opened) Ratio() float64 { return o.Median.Seconds() / o.Floor.Seconds() }
func (o opened) Kilobytes() int { return o.Bytes / 1000 }

func BenchmarkMemoryTab(b *testing.B) {
	dir := b.TempDir()
	oneAgent.write(b, dir)
	url, conn := database(b)
	engine, store := start(b, url, dir)
	defer stop(b, engine, store)
	until(b, "the first scan", engine.Ready)
	untilSearchable(b, conn, oneAgent)
	execute(b, conn, "VACUUM ANALYZE") // as a server that runs for a few minutes has had

	site := pages.New(engine, store, pages.Options{ClaudeMDLimit: claudeMDLimit, Log: slog.New(slog.DiscardHandler)})
	for _, view := range views {
		b.Run(view.name, func(b *testing.B) {
			tab := serve(b, site, "/agents/agent-00/memory"+view.query)
			page := tab()
			plain := serve(b, plainTab(b, conn, page), "/")
			for b.Loop() {
				var tabs, floors []time.Duration
				for range openings {
					tabs = append(tabs, timed(func() { tab() }))
					floors = append(floors, timed(func() { plain() }))
				}
				slices.Sort(tabs)
				slices.Sort(floors)
				o := opened{
					View: view.name, Median: tabs[openings/2], Worst: tabs[openings-1], Floor: floors[openings/2],
					Shown: shown(page), Bytes: len(page),
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(milliseconds(o.Median), "p50-ms")
				b.ReportMetric(milliseconds(o.Worst), "worst-ms")
				b.ReportMetric(milliseconds(o.Floor), "floor-ms")
				b.ReportMetric(o.Ratio(), "ratio")
				report.Tabs = append(report.Tabs, o)
			}
		})
	}
}

// plainTab is the floor of a Memory tab: all its memories read by one plain query, and a page of the same length sent
// that was made before.
func plainTab(b *testing.B, conn *pgx.Conn, page []byte) http.Handler {
	b.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows, err := conn.Query(r.Context(), `SELECT m.id, m.name, m.type, m.state, r.description, m.updated_at
			FROM memories m JOIN revisions r ON r.id = m.revision_id ORDER BY m.updated_at DESC`)
		if err != nil {
			b.Error(err)
			return
		}
		if _, err := pgx.CollectRows(rows, pgx.RowToMap); err != nil {
			b.Error(err)
		}
		if _, err := w.Write(page); err != nil {
			b.Error(err)
		}
	})
}

var memoryPath = regexp.MustCompile(`/memory/[0-9a-f-]{36}`)

// shown counts the memories on a page.
func shown(page []byte) int {
	paths := map[string]bool{}
	for _, path := range memoryPath.FindAll(page, -1) {
		paths[string(path)] = true
	}
	return len(paths)
}

// serve puts a handler behind a real server and returns what opens the path.
func serve(b *testing.B, handler http.Handler, path string) func() []byte {
	b.Helper()
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	return func() []byte {
		response, err := server.Client().Get(server.URL + path)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		page, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%s answered %s: %v", path, response.Status, err)
		}
		return page
	}
}

func timed(do func()) time.Duration {
	started := time.Now()
	do()
	return time.Since(started)
}
