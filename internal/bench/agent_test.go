package bench

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// BenchmarkOneAgent measures what depends on the number of memories of one agent: lists, the Memory
// tab, deletions.
func BenchmarkOneAgent(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			layout := oneAgent(files)
			dir := b.TempDir()
			makeDirectory(b, filepath.Join(dir, floorDir))
			layout.write(b, dir)
			withDatabase(b, func(url string, conn *pgx.Conn) {
				p := launch(b, url, dir)
				p.untilReady()
				untilSearchable(b, conn, files)
				weigh(p, files)
				p.ask("POST", "/api/v1/agents/agent-00/scan")
				weigh(p, files)
				settle(b, conn)

				p.forgetPeak()
				listPages(p, files, conn)
				if files == largest {
					listSteadily(p, conn, url)
					talkNonsense(p, dir)
					weighAtWork(p)
					dawdle(p)
				}
				recallAmong(p, files, conn, dir)
				openTab(p, files, conn)
				deleteOneByOne(p, files, conn, dir)
				p.stop()
			})
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkLongMemories measures recall among memories of longSize.
func BenchmarkLongMemories(b *testing.B) {
	layout := oneAgent(recallFiles)
	layout.size = longSize
	dir := b.TempDir()
	layout.write(b, dir)
	withDatabase(b, func(url string, conn *pgx.Conn) {
		p := launch(b, url, dir)
		p.untilReady()
		untilSearchable(b, conn, recallFiles)
		until(b, "the review", func() bool {
			time.Sleep(time.Second)
			return unexamined(b, conn) == 0
		})
		settle(b, conn)
		warmUp(p)
		var calm swiftest[figure]
		for round := range rounds {
			calm.take(func() figure { return recallRound(p, recallFiles, round).sorted() })
		}
		report.LongRecall = calm.taken
		b.Logf("recall of %d bytes: %v at the median, %v at p95", longSize, calm.taken.Median(), calm.taken.P95())
		p.stop()
	})
	b.ReportMetric(0, "ns/op")
}

// decode decodes an API answer, and fails the benchmark if it cannot.
func decode(p *process, body []byte, into any) {
	p.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		p.Fatal(err)
	}
}

// tabFiles is the number of memories in the goal of the Memory tab.
const tabFiles = 10_000

// openings is the number of times that the Memory tab is opened.
const openings = 20

// openTab measures the whole Memory tab, in turns with its floor.
func openTab(p *process, files int, conn *pgx.Conn) {
	p.Helper()
	f := figure{Files: files}
	for range openings {
		f.Took = append(f.Took, timed(func() { p.get("/agents/agent-00/memory") }))
		f.Floor = append(f.Floor, timed(func() { readPlainly(p.B, conn) }))
	}
	f = f.sorted()
	report.Growth.add("the Memory tab", files, f.Median())
	if files == tabFiles {
		report.Tab = f
	}
}

// readPlainly is the floor of a Memory tab with all memories: one plain query for the shown
// columns.
func readPlainly(b *testing.B, conn *pgx.Conn) {
	b.Helper()
	rows, err := conn.Query(b.Context(), `SELECT m.id, m.name, m.type, m.state, r.description, m.updated_at
		FROM memories m JOIN revisions r ON r.id = m.revision_id ORDER BY m.updated_at DESC`)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := pgx.CollectRows(rows, pgx.RowToMap); err != nil {
		b.Fatal(err)
	}
}

// deletionsOf returns the number of deletions to measure: fewer with many files, as each takes
// longer.
func deletionsOf(files int) int {
	if files > tabFiles {
		return 40
	}
	return 160
}

// deleteOneByOne measures deletions through the API, each with a new CLAUDE.md, in turns with the
// floor.
func deleteOneByOne(p *process, files int, conn *pgx.Conn, dir string) {
	p.Helper()
	claudeMD, err := os.ReadFile(filepath.Join(dir, "agent-00", "CLAUDE.md"))
	if err != nil {
		p.Fatal(err)
	}
	// In the order of names, so that some are in CLAUDE.md in full and others are not.
	var names []string
	deletions := deletionsOf(files)
	for cursor := ""; len(names) < deletions/2; {
		list := p.list("?sort=name&limit=20&type=feedback&cursor=" + url.QueryEscape(cursor))
		for _, m := range list.Memories {
			names = append(names, m.ID)
		}
		if list.Next == nil {
			break
		}
		cursor = *list.Next
	}
	for _, m := range p.list(fmt.Sprintf("?limit=%d&type=reference", deletions/2)).Memories {
		names = append(names, m.ID)
	}
	// Each round has some of both.
	var shares [rounds][]string
	for i, id := range names {
		shares[i%rounds] = append(shares[i%rounds], id)
	}
	plain := filepath.Join(dir, floorDir, "plain.txt")
	f := calmestOfFew(func(round int) figure {
		untilUsual()
		f := figure{Files: files}
		for _, id := range shares[round] {
			f.Took = append(f.Took, timed(func() { p.ask("DELETE", "/api/v1/agents/agent-00/memories/"+id) }))
			f.Floor = append(f.Floor, deletePlainly(p.B, conn, plain, claudeMD))
		}
		return f
	})
	report.Deletions = append(report.Deletions, f)
	report.Growth.add("a deletion", files, f.Median())
}

// deleteAmongMany measures deletions in agents with 5,000 memories each. The first deletion after a
// start reads all of them.
func deleteAmongMany(p *process) {
	p.Helper()
	remove := func(agent, id string) time.Duration {
		return timed(func() { p.ask("DELETE", "/api/v1/agents/"+agent+"/memories/"+id) })
	}
	first, later := figure{Files: largest}, figure{Files: largest}
	untilUsual()
	for n := 10; n < 20; n++ {
		agent := fmt.Sprintf("agent-%02d", n)
		found := p.listOf(agent, "?limit=10").Memories
		first.Took = append(first.Took, remove(agent, found[0].ID))
		for _, m := range found[1:] {
			later.Took = append(later.Took, remove(agent, m.ID))
		}
	}
	report.FirstDeletions, report.LaterDeletions = first.sorted(), later.sorted()
}
