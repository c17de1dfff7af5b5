package bench

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"
)

// BenchmarkOneAgent measures what depends on how many memories one agent has: lists, the Memory tab, deletions.
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
				weigh(p, "one agent, after mirroring from cold", files)
				p.ask("POST", "/api/v1/agents/agent-00/scan")
				weigh(p, "one agent, after everything was looked at again", files)
				settle(b, conn)

				p.forgetPeak()
				listPages(p, files, conn)
				if files == largest {
					listSteadily(p, conn, url)
					listTogether(p, url, conn)
					weighAtWork(p, "after lists, as fast as eight clients can ask for them", files)
					p.forgetPeak()
					talkNonsense(p, dir)
					weighAtWork(p, "after 10,000 requests a second without sense", files)
					dawdle(p)
					searchOneAgent(p)
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

// decode reads an answer of the API.
func decode(p *process, body []byte, into any) {
	p.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		p.Fatal(err)
	}
}

// tabFiles is how many memories the goal of the Memory tab is set for.
const tabFiles = 10_000

// openings is how often the Memory tab is opened in each view.
const openings = 20

// opened is the Memory tab in one view.
type opened struct {
	View   string
	Files  int
	Shown  int // memories that the page shows at first
	Bytes  int
	Figure figure
}

func (o opened) Kilobytes() int { return o.Bytes / 1000 }

func openTab(p *process, files int, conn *pgx.Conn) {
	p.Helper()
	// What somebody types: the beginning of a frequent word, all of it, two words, a slip of the hand, and nothing there is.
	frequent := vocabulary[3]
	views := []struct{ name, query string }{
		{"all of it", ""},
		{"search, three letters of a frequent word", "?q=" + frequent[:3]},
		{"search, two words", "?q=" + frequent + "+" + vocabulary[40]},
		{"search, a word mistyped", "?q=" + vocabulary[200] + "x"},
		{"search, no such word", "?q=zzzz"},
	}
	for i, view := range views {
		path := "/agents/agent-00/memory" + view.query
		page := p.get(path)
		o := opened{View: view.name, Files: files, Shown: shown(page), Bytes: len(page), Figure: figure{Files: files}}
		for range openings {
			o.Figure.Took = append(o.Figure.Took, timed(func() { p.get(path) }))
			o.Figure.Floor = append(o.Figure.Floor, timed(func() { readPlainly(p.B, conn) }))
		}
		o.Figure = o.Figure.sorted()
		if i == 0 {
			report.Growth.add("the Memory tab", files, o.Figure.Median())
		}
		if files == tabFiles || files == largest && i == 0 {
			report.Tabs = append(report.Tabs, o)
		}
	}
}

// readPlainly is the floor of a Memory tab that groups all memories by hand: one plain query for what a row shows.
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

var memoryPath = regexp.MustCompile(`/memory/[0-9a-f-]{36}`)

// shown counts the memories on a page.
func shown(page []byte) int {
	paths := map[string]bool{}
	for _, path := range memoryPath.FindAll(page, -1) {
		paths[string(path)] = true
	}
	return len(paths)
}

// deletionsOf is how many memories are deleted: more where a deletion takes milliseconds.
func deletionsOf(files int) int {
	if files > tabFiles {
		return 40
	}
	return 160
}

// deleteOneByOne deletes memories through the API, CLAUDE.md rewritten each time, in turns with the floor.
func deleteOneByOne(p *process, files int, conn *pgx.Conn, dir string) {
	p.Helper()
	claudeMD, err := os.ReadFile(filepath.Join(dir, "agent-00", "CLAUDE.md"))
	if err != nil {
		p.Fatal(err)
	}
	// By name, so that those that stand in CLAUDE.md in full are among them, and the others too.
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
