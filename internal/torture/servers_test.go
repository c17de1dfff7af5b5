package torture

import (
	"testing"
)

// killsForTwo is the number of kills for each further blow on two servers.
const killsForTwo = 10

var blowsForTwo = []blow{
	{"one of two servers is killed, the one with the agent", 5, func(p *place) { p.holder("ada").kill(); p.whileLater() }, false},
	{"one of two servers and their Postgres are killed", 1, (*place).killWithPostgres, false},
	{"the Postgres of two servers is killed", 1, func(p *place) { p.killPostmaster(); p.whileLater() }, false},
	{"one process of the Postgres of two servers is killed", 1, func(p *place) { p.killBackend(); p.whileLater() }, false},
	{"connections of two servers are cut", 1, func(p *place) { p.terminateBackends(); p.whileLater() }, false},
	{"one of two servers is stopped", 1, func(p *place) { p.holder("ada").terminate(); p.whileLater() }, false},
}

func TestKill_TwoServers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, seed(), 2)
	p.startPostgres() // not the Postgres of all tests, which must survive
	p.flags = []string{"--database-url=" + p.databaseURL(), "--debounce=20ms", "--claude-md-limit=1000000"}
	p.endure(*kills/killsForTwo, blowsForTwo, p.databaseURL())
}

// killWithPostgres kills the server that holds the agent, and Postgres. The other server recovers
// by itself. The killed one does not start without Postgres, so it is started after Postgres.
func (p *place) killWithPostgres() {
	p.Helper()
	p.holder("ada").kill()
	p.killPostmaster()
	p.whileLater()
	p.awaitPostgres()
}

// holder returns the server that holds an agent, or any server if the agent is being handed over.
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
