package torture

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"memoir/internal/longrun"
)

// More blows, or the same again: go test -run 'Blow|Two' ./internal/torture -kills=200 -seed=7
var (
	kills    = flag.Int("kills", 12, "how many blows kill a server in all; the others come on top")
	seedFlag = flag.Uint64("seed", 0, "what the load, the blows and their moments are drawn from; 0: something new")
)

// seed returns the seed of this run. It is drawn or read from the flag once.
var seed = sync.OnceValue(func() uint64 {
	if *seedFlag != 0 {
		return *seedFlag
	}
	return uint64(time.Now().UnixNano())
})

// blow is one kind of failure that a test causes.
type blow struct {
	name string
	// often is the number of such blows in a round.
	often int
	// strike causes the failure. The caller starts the servers again before the checks.
	strike func(p *place)
	// stepwise is true if the blow may also come at one of the server's own steps.
	stepwise bool
}

// blows are the failures of a place with one server and its private Postgres.
var blows = []blow{
	{"the server is killed", 11, func(p *place) { p.servers[0].kill() }, true},
	{"the server is killed, and again as it starts", 3, (*place).killAsItStarts, true},
	{"the server and its Postgres are killed", 3, func(p *place) { p.killPostmaster(); p.servers[0].kill() }, false},
	{"Postgres is killed, and then the server", 1, func(p *place) { p.killPostmaster(); p.whileLater(); p.servers[0].kill() }, false},
	{"Postgres is killed, and the server goes on", 1, func(p *place) { p.killPostmaster(); p.whileLater() }, false},
	{"one process of Postgres is killed", 2, func(p *place) { p.killBackend(); p.whileLater() }, false},
	{"connections to Postgres are cut", 1, func(p *place) { p.terminateBackends(); p.whileLater() }, false},
	{"the server is stopped", 1, func(p *place) { p.servers[0].terminate() }, false},
}

// killAsItStarts kills a starting server while it recovers from a crash.
func (p *place) killAsItStarts() {
	s := p.servers[0]
	s.kill()
	fallen := make(chan struct{})
	time.AfterFunc(time.Duration(p.random.IntN(1_000))*time.Millisecond, func() {
		defer close(fallen)
		s.kill()
	})
	s.launch()
	<-fallen
	s.kill() // on a busy machine, the kill may have come before the process started
}

// round returns each kind of blow as often as its field often says, in random order.
func round(kinds []blow, random *rand.Rand) []blow {
	var all []blow
	for _, b := range kinds {
		for range b.often {
			all = append(all, b)
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func TestKill_OneServer(t *testing.T) {
	t.Parallel()
	const places = 2 // both run at once and share the kills that need one server
	share := (*kills - *kills/killsForTwo + places - 1) / places
	for n := range places {
		t.Run(fmt.Sprint("place ", n+1), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, seed(), 1)
			p.flags = []string{"--database-url=", "--debounce=20ms", "--claude-md-limit=1000000"}
			p.endure(share, blows, p.databaseURL())
		})
	}
}

// endure runs the load on one agent and strikes until at least so many blows have killed a server.
// After each blow it runs all checks.
func (p *place) endure(atLeast int, kinds []blow, databaseURL string) {
	p.Logf("again with -kills=%d -seed=%d", *kills, p.seed)
	l := newLedger(p, "ada")
	hand, editor := l.newHand(), l.newEditor()
	everybody := []func(context.Context){hand.work, editor.work}
	for _, person := range l.persons() {
		everybody = append(everybody, person.work)
	}
	moments := moments()
	var next []blow
	for n, deadly := 1, 0; deadly < atLeast; n++ {
		if len(next) == 0 {
			next = round(kinds, p.random)
		}
		b := next[0]
		next = next[1:]
		m := moments[p.random.IntN(len(moments))]
		if m.stepwise && !b.stepwise {
			m = moments[0]
		}
		p.Logf("%d: %s, %s", n, b.name, m.name)
		p.suffer(b, m, everybody)
		p.check(databaseURL)
		struck := longrun.Struck{Servers: int(p.killed.Swap(0)), Postmasters: int(p.postmasters.Swap(0)), Backends: int(p.backends.Swap(0))}
		if struck.Servers > 0 {
			deadly++
		}
		fallen.add(b.name, m.name, struck)
	}
	p.fewLost()
}

// suffer strikes at the given moment during the load, and starts the servers again.
func (p *place) suffer(b blow, m moment, everybody []func(context.Context)) {
	p.Helper()
	p.startAll()
	wait := m.await(p)
	stop := p.work(everybody...)
	defer stop()
	wait()
	b.strike(p)
	stop()
	p.startAll()
}
