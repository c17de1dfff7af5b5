package bench

import (
	"fmt"
	"math/rand/v2"
	"net/url"
)

// searches is the number of different searches in a round. Each is sent once.
const searches = 200

// searchKinds return searches as people type them. They use frequent words most.
var searchKinds = []func(*rand.Rand) string{
	word,
	func(r *rand.Rand) string { return word(r) + " " + word(r) },
	func(r *rand.Rand) string { return word(r)[:3] },
	func(r *rand.Rand) string { return fmt.Sprintf("%s %d", word(r), r.IntN(900)) },
}

// search measures searches on a server that has answered others before.
func search(p *process, files int) {
	p.Helper()
	searchFor(p, files, 7)
	if files != largest {
		report.Growth.add("a search", files, searchFor(p, files, 9).Median())
		return
	}
	var found swiftest[figure]
	for round := 0; !found.enough(); round++ {
		found.take(func() figure { return searchFor(p, files, uint64(21+round)) })
	}
	report.Search = found.taken
	report.Growth.add("a search", files, report.Search.Median())
}

// searchFor measures the searches of one seed.
func searchFor(p *process, files int, seed uint64) figure {
	p.Helper()
	random := rand.New(rand.NewPCG(seed, seed+1))
	f := figure{Files: files}
	for i := range searches {
		query := searchKinds[i%len(searchKinds)](random)
		path := fmt.Sprintf("/api/v1/agents/agent-00/memories?limit=%d&q=%s", pageLimit, url.QueryEscape(query))
		f.Took = append(f.Took, timed(func() { p.get(path) }))
	}
	return f.sorted()
}
