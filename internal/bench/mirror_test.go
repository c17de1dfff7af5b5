package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// largest is the number of files that the goals are set for.
const largest = 100_000

// BenchmarkConversations measures what depends on how many files there are in all, spread as in a team's conversations:
// mirroring them, starting again, searching, following a change, and the memory that it takes.
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

// burstInRounds has files written at once into an agent's own directory and into new sessions of another one, some rounds of both, each
// with agents of its own, and weighs the server after the first.
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

// roundsOf is how often a cold mirror is taken, in turns with its floor.
func roundsOf(files int) int {
	if files > 10_000 {
		return 3
	}
	return 5
}

// mirrorFromCold runs the floor and then a server, each over a database that has nothing yet. CLAUDE.md files that an
// earlier round has written stay: the floor reads them too.
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

func untilSearchable(b *testing.B, conn *pgx.Conn, files int) {
	b.Helper()
	until(b, "the search index", func() bool {
		if count(b, conn, "SELECT count(*) FROM memory_search") == files {
			return true
		}
		time.Sleep(100 * time.Millisecond) // counting costs the server something
		return false
	})
}

// restarts is how often a server is started again with nothing changed.
const restarts = 5

// startAgain measures starts with nothing changed, in turns with their floor. It leaves the last server running.
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

// frontPages is how often the page of all agents is opened.
const frontPages = 50

// openFront opens the page of all agents, with what each has and what of it waits for somebody.
func openFront(p *process, files int) {
	p.Helper()
	f := figure{Files: files}
	for range frontPages {
		f.Took = append(f.Took, timed(func() { p.get("/") }))
	}
	report.Growth.add("the page of all agents", files, f.sorted().Median())
}

// settle lets Postgres do at once what it does within minutes of a large change: it would get in the way of what is measured
// next at some moment or other, and of its floor.
func settle(b *testing.B, conn *pgx.Conn) {
	b.Helper()
	execute(b, conn, "VACUUM ANALYZE")
	// CHECKPOINT takes rights that Memoir's role has not; what drops a database makes one.
	execute(b, conn, "CREATE DATABASE settled")
	execute(b, conn, "DROP DATABASE settled")
}

// weighed is the memory of a server, in bytes.
type weighed struct{ Resident, Peak int64 }

// weigh records the memory of the server with the largest corpus when it has come to rest. It does
// nothing with smaller ones.
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

// atRest is for how long a server that has come to rest takes as much memory as before, give or take restless bytes.
const (
	atRest   = 5 * time.Second
	restless = 1 << 20
)

// untilAtRest waits until the server has done what it does in the background, and has given back what it no longer needs.
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
