package torture

import (
	"testing"

	"memoir/internal/postgres/pgtest"
)

// killsForTwo is how many of all blows it takes for one more to fall on two servers.
const killsForTwo = 10

var blowsForTwo = []blow{
	{"one of two servers is killed, the one that looks after the agent", 2, func(p *place) { p.holder("ada").kill(); p.whileLater() }, false},
	{"one of two servers is asked to end", 1, func(p *place) { p.holder("ada").terminate(); p.whileLater() }, false},
}

func TestTheOtherOfTwoServersGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, seed(), 2)
	url := pgtest.New(t)
	p.flags = []string{"--database-url=" + url, "--debounce=20ms", "--claude-md-limit=1000000"}
	p.endure(*kills/killsForTwo, blowsForTwo, url)
}

// holder is the server that says that it looks after an agent; as it may be handed over at the moment, any
// of them where none does.
func (p *place) holder(slug string) *server {
	p.Helper()
	for _, s := range p.servers {
		var list struct {
			Agents []struct {
				Slug      string
				Elsewhere bool
			}
		}
		if status, _ := s.call("GET", "/api/v1/sync/agents", nil, &list); status != 200 {
			continue
		}
		for _, a := range list.Agents {
			if a.Slug == slug && !a.Elsewhere {
				return s
			}
		}
	}
	return p.servers[p.random.IntN(len(p.servers))]
}
