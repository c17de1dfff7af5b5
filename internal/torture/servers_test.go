package torture

import (
	"testing"
)

// killsForTwo is how many of all blows it takes for one more to fall on two servers.
const killsForTwo = 10

var blowsForTwo = []blow{
	{"one of two servers is killed, the one with the agent", 5, func(p *place) { p.holder("ada").kill(); p.whileLater() }, false},
	{"one of two servers and their Postgres are killed", 1, (*place).killWithPostgres, false},
	{"the Postgres of two servers is killed", 1, func(p *place) { p.killPostmaster(); p.whileLater() }, false},
	{"one process of the Postgres of two servers is killed", 1, func(p *place) { p.killBackend(); p.whileLater() }, false},
	{"connections of two servers are cut", 1, func(p *place) { p.terminateBackends(); p.whileLater() }, false},
	{"one of two servers is stopped", 1, func(p *place) { p.holder("ada").terminate(); p.whileLater() }, false},
}

func TestTheOtherOfTwoServersGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, seed(), 2)
	p.startPostgres() // of their own: the tests' one is not to be killed
	p.flags = []string{"--database-url=" + p.databaseURL(), "--debounce=20ms", "--claude-md-limit=1000000"}
	p.endure(*kills/killsForTwo, blowsForTwo, p.databaseURL())
}

// killWithPostgres kills the server that looks after the agent, and Postgres. The other server goes on by itself; the killed one would
// not start without a Postgres, as it says, and so somebody starts it when that is back.
func (p *place) killWithPostgres() {
	p.Helper()
	p.holder("ada").kill()
	p.killPostmaster()
	p.whileLater()
	p.awaitPostgres()
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
