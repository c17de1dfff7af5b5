package torture

import (
	"context"
	"testing"

	"memoir/internal/postgres/pgtest"
)

// killsForTwo is how many of all blows it takes for one more to fall on two servers.
const killsForTwo = 10

func TestTheOtherOfTwoServersGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, seed(), 2)
	url := pgtest.New(t)
	p.flags = []string{"--database-url=" + url, "--debounce=20ms", "--claude-md-limit=1000000"}
	p.Logf("again with -seed=%d", p.seed)
	l := newLedger(p, "ada")
	everybody := []func(context.Context){l.newHand().work, l.newEditor().work}
	for _, person := range l.persons() {
		everybody = append(everybody, person.work)
	}
	for n := range *kills / killsForTwo {
		p.startAll()
		stop := p.work(everybody...)
		p.whileLater()
		holder := p.holder("ada")
		if n%3 == 2 {
			holder.terminate()
		} else {
			holder.kill()
		}
		p.whileLater()
		stop()
		p.startAll()
		p.check(url)
	}
}

// holder is the server that says that it looks after an agent; nil: none of those that run.
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
	return nil
}
