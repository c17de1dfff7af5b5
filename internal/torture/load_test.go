package torture

import (
	"context"
	"sync/atomic"
	"time"
)

// load runs changes on all agents of a place at a given total rate.
type load struct {
	*place
	done   atomic.Int64 // number of changes made
	missed atomic.Int64 // number of changes skipped because all workers were busy
}

// everybody returns the workers and the clocks that pace them.
func (l *load) everybody() []func(context.Context) {
	files, calls, edits := make(chan struct{}), make(chan struct{}), make(chan struct{})
	all := []func(context.Context){l.beat(files, filesASecond), l.beat(calls, callsASecond), l.beat(edits, handEditsASecond)}
	for _, agent := range l.ledgers {
		all = append(all, l.atEach(files, inAnyCase(agent.newHand().change)), l.atEach(edits, agent.newEditor().change))
		for _, person := range agent.persons() {
			all = append(all, l.atEach(calls, inAnyCase(person.act)))
		}
	}
	return all
}

// beat sends a sign for a change so many times a second. A busy worker misses the sign.
func (l *load) beat(signs chan<- struct{}, perSecond int) func(context.Context) {
	return func(ctx context.Context) {
		for tick := time.Tick(time.Second / time.Duration(perSecond)); ctx.Err() == nil; <-tick {
			select {
			case signs <- struct{}{}:
			default:
				l.missed.Add(1)
			}
		}
	}
}

// inAnyCase returns a worker that runs change and ignores the context.
func inAnyCase(change func()) func(context.Context) { return func(context.Context) { change() } }

func (l *load) atEach(sign <-chan struct{}, change func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-sign:
				change(ctx)
				l.done.Add(1)
			}
		}
	}
}
