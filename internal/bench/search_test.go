package bench

import (
	"fmt"
	"math/rand/v2"
	"net/url"
)

// searches is how many different searches are asked, and each once: nobody types the same one again and again.
const searches = 200

// kinds of searches, as people type them: words by how often they are written, so that the frequent ones are searched for
// most.
var kinds = []struct {
	name  string
	query func(*rand.Rand) string
}{
	{"one word", word},
	{"two words", func(r *rand.Rand) string { return word(r) + " " + word(r) }},
	{"the first three letters", func(r *rand.Rand) string { return word(r)[:3] }},
	{"a word and a number", func(r *rand.Rand) string { return fmt.Sprintf("%s %d", word(r), r.IntN(900)) }},
}

// search measures searches by a server in which somebody has searched before.
func search(p *process, files int) {
	p.Helper()
	searchFor(p, files, 7)
	if files != largest {
		all, _ := searchFor(p, files, 9)
		report.Growth.add("a search", files, all.Median())
		return
	}
	var found swiftest[searched]
	for round := 0; !found.enough(); round++ {
		found.take(func() searched {
			all, each := searchFor(p, files, uint64(21+round))
			return searched{all, each}
		})
	}
	report.Growth.add("a search", files, found.taken.all.Median())
	all := found.taken.all
	for _, round := range found.all {
		all.All = all.All.with(round.all)
	}
	report.Searches = append(report.Searches, named{"all of them", all})
	for i, f := range found.taken.each {
		report.Searches = append(report.Searches, named{kinds[i].name, f})
	}
}

// searched is one round of searches, all of them and by kind.
type searched struct {
	all  figure
	each []figure
}

// searchOneAgent measures searches of an agent that has all memories.
func searchOneAgent(p *process) {
	p.Helper()
	all, _ := searchFor(p, largest, 11)
	report.SearchesOfOne = all
}

// searchFor asks what a seed gives, and returns what it took, all of it and by kind.
func searchFor(p *process, files int, seed uint64) (all figure, each []figure) {
	p.Helper()
	random := rand.New(rand.NewPCG(seed, seed+1))
	all, each = figure{Files: files}, make([]figure, len(kinds))
	for i := range searches {
		kind := i % len(kinds)
		query := fmt.Sprintf("?limit=%d&q=%s", pageLimit, url.QueryEscape(kinds[kind].query(random)))
		took := timed(func() { p.get("/api/v1/agents/agent-00/memories" + query) })
		all.Took = append(all.Took, took)
		each[kind].Took = append(each[kind].Took, took)
	}
	for i := range each {
		each[i] = each[i].sorted()
	}
	return all.sorted(), each
}
