package torture

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	gosync "sync"
	"testing"
	"time"

	"memoir/internal/longrun"
)

// More blows, or the same ones again: go test -run 'Blow|Two' ./internal/torture -kills=200 -seed=7
var (
	kills    = flag.Int("kills", 12, "how many blows kill a server in all; the others come on top")
	seedFlag = flag.Uint64("seed", 0, "what the load, the blows and their moments are drawn from; 0: something new")
)

// seed is drawn once, so that all tests of a run say the same.
var seed = gosync.OnceValue(func() uint64 {
	if *seedFlag != 0 {
		return *seedFlag
	}
	return uint64(time.Now().UnixNano())
})

// blow is one way in which a Memoir comes to harm.
type blow struct {
	name string
	// often is how many of a round of blows are of this kind.
	often int
	// strike does it. What it leaves of the servers is started again before it is asked what holds.
	strike func(p *place)
	// stepwise says that the blow may as well fall at one of the server's own steps.
	stepwise bool
}

// blows are those that fall on one server and its private Postgres.
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

// killAsItStarts cuts the clearing up after a crash short.
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
	s.kill() // on a busy machine the blow may have fallen before there was a process
}

// round is as many blows as it takes for each kind to have its share, in a random order.
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

func TestNothingIsLostOrHalfDoneAfterABlow(t *testing.T) {
	t.Parallel()
	const places = 2 // side by side, which share what does not fall on two servers
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

// endure lets everybody work on one agent while blows of some kinds fall, until so many of them have killed a server, and asks after
// each what holds.
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

// suffer lets the blow fall at its moment, while everybody works, and has the servers run again.
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
