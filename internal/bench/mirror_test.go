package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// largest is the number of files in the goals.
const largest = 100_000

// BenchmarkConversations measures what depends on the total number of files: mirroring, restarts,
// searches, following a change, and memory use.
func BenchmarkConversations(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			layout := manySessions(files)
			dir := b.TempDir()
			layout.write(b, dir)
			for range roundsOf(files) - 1 {
				withDatabase(b, func(url string, conn *pgx.Conn) {
					mirrorFromCold(b, layout, url, conn, dir).stop()
				})
			}
			withDatabase(b, func(url string, conn *pgx.Conn) {
				p := mirrorFromCold(b, layout, url, conn, dir)
				if files == largest {
					untilExamined(p, conn, dir)
				}
				weigh(p, files)
				p.stop()
				p = startAgain(b, layout, url, dir)
				weigh(p, files)
				settle(b, conn)
				openFront(p, files)
				search(p, files)
				if files == largest {
					deleteAmongMany(p)
				}
				p.forgetPeak()
				saveOneByOne(p, files, conn, dir)
				if files == largest {
					weighAtWork(p)
					report.Database = int64(count(b, conn, "SELECT pg_database_size(current_database())"))
					burstInRounds(p, files, dir)
				}
				p.stop()
			})
			f := report.Mirrors[files].sorted()
			report.Mirrors[files] = f
			f.print(b)
			report.Growth.add("mirrored from cold", files, f.Median())
			report.Growth.add("search index complete", files, report.Searchable[files].sorted().Median())
		})
	}
}

// burstInRounds measures bursts of files into an agent's primary directory and into new sessions of
// another. Each round has new agents. It records the server's memory after the first.
func burstInRounds(p *process, files int, dir string) {
	p.Helper()
	var durable, sessions swiftest[arrived]
	for round := range rounds {
		agent := func(n int) string { return fmt.Sprintf("agent-%02d", 2*round+n) }
		durable.take(func() arrived { return burst(p, "one agent's own directory", dir, agent(1), 0) })
		sessions.take(func() arrived { return burst(p, "100 new sessions of one agent", dir, agent(2), 100) })
		if round == 0 {
			weigh(p, files)
		}
	}
	report.Bursts = []arrived{durable.taken, sessions.taken}
}

// roundsOf returns the number of cold mirrors to measure, in turns with their floor.
func roundsOf(files int) int {
	if files > 10_000 {
		return 3
	}
	return 5
}

// mirrorFromCold measures the floor and then a server, each with an empty database. CLAUDE.md files
// from earlier rounds stay: the floor reads them too.
func mirrorFromCold(b *testing.B, layout layout, url string, conn *pgx.Conn, dir string) *process {
	b.Helper()
	floor := copyPlainly(b, conn, dir)
	p := launch(b, url, dir)
	ready := p.untilReady()
	if n := count(b, conn, "SELECT count(*) FROM memories"); n != layout.total() {
		b.Fatalf("%d of %d files are mirrored", n, layout.total())
	}
	untilSearchable(b, conn, layout.total())
	searchable := time.Since(p.started)

	f := report.Mirrors[layout.total()]
	f.Took, f.Floor = append(f.Took, ready), append(f.Floor, floor)
	report.Mirrors[layout.total()] = f
	s := report.Searchable[layout.total()]
	s.Took, s.Floor = append(s.Took, searchable), append(s.Floor, floor)
	report.Searchable[layout.total()] = s
	return p
}

// untilExamined waits until the review has examined all memories, and records how long that took
// from the start of the server, and the server's memory at its highest from now on. Meanwhile it
// measures saves and lists.
func untilExamined(p *process, conn *pgx.Conn, dir string) {
	p.Helper()
	p.forgetPeak()
	events := listen(p)
	n := 0
	until(p.B, "the review", func() bool {
		if unexamined(p.B, conn) == 0 {
			return true
		}
		report.BesideReview.Took = append(report.BesideReview.Took, timed(func() { p.get("/api/v1/agents/agent-01/memories?limit=50") }))
		if n++; n <= savesBesideReview {
			name := fmt.Sprintf("beside-the-review-%d", n)
			text := fmt.Sprintf("---\nname: %s\ndescription: Saved during the review\ntype: project\n---\n\nNumber %d.\n", name, n)
			report.SavedBesideReview.Took = append(report.SavedBesideReview.Took, saveFile(p, events, dir, name, "Saved during the review", text))
		}
		time.Sleep(100 * time.Millisecond)
		return false
	})
	report.BesideReview, report.SavedBesideReview = report.BesideReview.sorted(), report.SavedBesideReview.sorted()
	report.Examined = time.Since(p.started)
	_, report.ExaminedPeak = p.memory()
	p.Logf("all memories examined after %v, at most %d MB; meanwhile a list took %v and a save %v",
		report.Examined, report.ExaminedPeak/1_000_000, report.BesideReview.Median(), report.SavedBesideReview.Median()-debounce)
}

// unexamined returns the number of agents that the review has yet to examine.
func unexamined(b *testing.B, conn *pgx.Conn) int {
	b.Helper()
	return count(b, conn, `SELECT count(*) FROM agents a LEFT JOIN review_runs r ON r.agent_id = a.id
		WHERE r.agent_id IS NULL OR r.memories_version <> a.memories_version`)
}

// savesBesideReview is the number of saves while the review examines the memories. More of them
// would make it examine the agent again and again.
const savesBesideReview = 30

func untilSearchable(b *testing.B, conn *pgx.Conn, files int) {
	b.Helper()
	until(b, "the search index", func() bool {
		if count(b, conn, "SELECT count(*) FROM memory_search") == files {
			return true
		}
		time.Sleep(100 * time.Millisecond) // a count costs the server some time
		return false
	})
}

// restarts is the number of measured restarts without changes.
const restarts = 5

// startAgain measures restarts without changes, in turns with their floor. It returns the last
// server, still running.
func startAgain(b *testing.B, layout layout, url, dir string) *process {
	b.Helper()
	f := figure{Files: layout.total()}
	var p *process
	for i := range restarts {
		if i > 0 {
			p.stop()
		}
		f.Floor = append(f.Floor, walkPlainly(b, dir))
		p = launch(b, url, dir)
		f.Took = append(f.Took, p.untilReady())
	}
	f = f.sorted()
	report.Restarts = append(report.Restarts, f)
	report.Growth.add("started again", f.Files, f.Median())
	return p
}

// frontPages is the number of times that the page of all agents is opened.
const frontPages = 50

// openFront measures the page of all agents.
func openFront(p *process, files int) {
	p.Helper()
	f := figure{Files: files}
	for range frontPages {
		f.Took = append(f.Took, timed(func() { p.get("/") }))
	}
	report.Growth.add("the page of all agents", files, f.sorted().Median())
}

// settle makes Postgres do its maintenance after a large change at once. Otherwise it would disturb
// the next measurement or its floor.
func settle(b *testing.B, conn *pgx.Conn) {
	b.Helper()
	execute(b, conn, "VACUUM ANALYZE")
	// Memoir's role may not run CHECKPOINT; dropping a database makes one.
	execute(b, conn, "CREATE DATABASE settled")
	execute(b, conn, "DROP DATABASE settled")
}

// weighed is the memory of a server, in bytes.
type weighed struct{ Resident, Peak int64 }

// weigh records the memory of an idle server with the largest corpus. It does nothing with others.
func weigh(p *process, files int) {
	p.Helper()
	if files != largest {
		return
	}
	p.untilQuiet()
	resident, peak := p.untilAtRest()
	report.AtRest = append(report.AtRest, weighed{resident, peak})
}

// weighAtWork records the memory of a server at work, and its peak since forgetPeak.
func weighAtWork(p *process) {
	p.Helper()
	resident, peak := p.memory()
	report.AtWork = append(report.AtWork, weighed{resident, peak})
}

// A server is idle if its memory has changed by at most restless bytes for the time atRest. That is
// longer than an idle server takes to return unused memory, which is at most 6 s.
const (
	atRest   = 10 * time.Second
	restless = 1 << 20
)

// untilAtRest waits until the server's memory no longer changes, and returns it in bytes.
func (p *process) untilAtRest() (resident, peak int64) {
	p.Helper()
	since := time.Now()
	resident, peak = p.memory()
	until(p.B, "the server to come to rest", func() bool {
		time.Sleep(100 * time.Millisecond)
		var now int64
		if now, peak = p.memory(); now > resident+restless || now < resident-restless {
			resident, since = now, time.Now()
		}
		return time.Since(since) > atRest
	})
	return resident, peak
}
