package bench

import (
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// pageLimit is the number of memories on a page of a list.
	pageLimit = 50
	// farPage is the number of the later page that is measured beside the first.
	farPage = 1_000
	// clients is the number of connections for lists at a steady rate.
	clients = 8
)

// listings is the number of requests for each page of a list.
const listings = 200

// farther is the way to the far page: its cursor, and the position for the bare query.
type farther struct {
	cursor string
	place  *place
}

var far farther

// listPages measures the first page of a list, and for the largest corpus a far one, in turns with
// the bare query.
func listPages(p *process, files int, conn *pgx.Conn) {
	p.Helper()
	pages := []struct {
		job, query string
		after      *place
	}{{"a list, first page", fmt.Sprintf("?limit=%d", pageLimit), nil}}
	if files == largest {
		far = walkTo(p, conn, farPage)
		pages = append(pages, struct {
			job, query string
			after      *place
		}{"a list, page 1,000", fmt.Sprintf("?limit=%d&cursor=%s", pageLimit, url.QueryEscape(far.cursor)), far.place})
	}
	agent := int64(count(p.B, conn, "SELECT id FROM agents WHERE slug = 'agent-00'"))
	for _, page := range pages {
		untilUsual()
		f := figure{Files: files}
		for range listings {
			f.Took = append(f.Took, timed(func() { p.get("/api/v1/agents/agent-00/memories" + page.query) }))
			f.Floor = append(f.Floor, timed(func() { listPlainly(p.B, conn, agent, page.after) }))
		}
		f = f.sorted()
		if page.after == nil {
			report.Growth.add(page.job, files, f.Median())
		}
		if files == largest {
			report.Lists = append(report.Lists, named{page.job, f})
		}
	}
}

// walkTo reads a list up to the given page, and checks that no memory is on two of its pages.
func walkTo(p *process, conn *pgx.Conn, page int) farther {
	p.Helper()
	cursor := ""
	seen := map[string]bool{}
	var last string
	for range page - 1 {
		list := p.list(fmt.Sprintf("?limit=%d&cursor=%s", pageLimit, url.QueryEscape(cursor)))
		for _, m := range list.Memories {
			seen[m.ID] = true
			last = m.ID
		}
		if list.Next == nil || list.Total != largest {
			p.Fatalf("the list of %d ends early", list.Total)
		}
		cursor = *list.Next
	}
	if len(seen) != (page-1)*pageLimit {
		p.Fatalf("%d memories on %d pages", len(seen), page-1)
	}
	at := place{ID: last}
	if err := conn.QueryRow(p.Context(), "SELECT updated_at FROM memories WHERE id = $1", last).Scan(&at.UpdatedAt); err != nil {
		p.Fatal(err)
	}
	return farther{cursor, &at}
}

// The steady load of lists: requests per second, length, and the goal for the p99.
const (
	steadyRate = 50
	steadyTime = 20 * time.Second
	steadyGoal = 5 * time.Millisecond
)

// listSteadily requests the first and the far page in turns at a steady rate, without waiting for
// answers. Each second alternates with one of the bare query.
func listSteadily(p *process, conn *pgx.Conn, databaseURL string) {
	p.Helper()
	agent := int64(count(p.B, conn, "SELECT id FROM agents WHERE slug = 'agent-00'"))
	idle := make(chan *pgx.Conn, clients)
	for range clients {
		idle <- connect(p.B, databaseURL)
	}
	list := func(cursor string, _ *place) {
		p.get(fmt.Sprintf("/api/v1/agents/agent-00/memories?limit=%d&cursor=%s", pageLimit, url.QueryEscape(cursor)))
	}
	bare := func(_ string, after *place) {
		conn := <-idle
		defer func() { idle <- conn }()
		listPlainly(p.B, conn, agent, after)
	}
	beat := time.NewTicker(time.Second / steadyRate)
	defer beat.Stop()
	report.Steady = calmest(steadyGoal/2, func(int) figure {
		untilUsual()
		return inTurns(beat.C, list, bare)
	})
	for range clients {
		closing := <-idle
		closing.Close(p.Context()) //nolint:errcheck // an error changes nothing
	}
}

// inTurns requests the first and the far page at each beat: one second with list, one with bare.
func inTurns(beat <-chan time.Time, list, bare func(cursor string, after *place)) figure {
	var mu sync.Mutex
	var f figure
	var running sync.WaitGroup
	for second := range 2 * int(steadyTime.Seconds()) {
		ask, took := list, &f.Took
		if second%2 == 1 {
			ask, took = bare, &f.Floor
		}
		for i := range steadyRate {
			<-beat
			at := farther{}
			if i%2 == 1 {
				at = far
			}
			running.Go(func() {
				one := timed(func() { ask(at.cursor, at.place) })
				mu.Lock()
				defer mu.Unlock()
				*took = append(*took, one)
			})
		}
	}
	running.Wait()
	return f
}
