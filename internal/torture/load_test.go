package torture

import (
	"context"
	"sync/atomic"
	"time"
)

// load lets everybody work on all agents of a place, at a given pace in all.
type load struct {
	*place
	done   atomic.Int64 // changes
	missed atomic.Int64 // changes that nobody had time for
}

// everybody are those who work, and the clocks that they work by.
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

// beat gives the sign for a change so many times a second. Who is not done with the last one misses it.
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

// inAnyCase is a change that takes no notice of the end.
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
