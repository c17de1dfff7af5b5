package sync

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"memoir/internal/memories"
	"memoir/internal/sync/events"
)

const (
	// breath is how often a server tries to take the leases that it would like to have, and makes its figures known.
	breath = time.Second
	// relink is how long a link that could not be opened waits before it is tried again.
	relink = 200 * time.Millisecond
	// opening bounds each attempt to open it.
	opening = 10 * time.Second
	// farewell bounds what is still told when the engine is closed.
	farewell = 2 * time.Second
)

// message is what servers tell each other. Each has one of these.
type message struct {
	Events []events.Event `json:"events,omitempty"`
	// Released says that leases are free to be taken.
	Released bool `json:"released,omitempty"`
	// Indexing says that the search index is being filled, or no longer.
	Indexing *bool `json:"indexing,omitempty"`
	// Asked names a request to the server that looks after an agent, and Answered one that has been answered.
	Asked    string `json:"asked,omitempty"`
	Agent    int64  `json:"agent,omitempty"` // of what is asked
	Answered string `json:"answered,omitempty"`
}

// payload is the message as it is sent. None of the short messages fails to fit; events see to that themselves.
func (m message) payload() string {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // it has nothing in it that JSON could not hold
	}
	return string(raw)
}

// hear takes in what another server tells. It runs in the link's own time, and starts what takes longer.
func (e *Engine) hear(payload string) {
	var m message
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		e.log.Warn("another server tells what this one does not understand; are they of one version?", "error", err)
		return
	}
	e.emitPeerEvents(m.Events)
	if m.Released {
		signal(e.released)
	}
	if m.Indexing != nil {
		e.filledElsewhere.Store(0)
		if *m.Indexing {
			e.filledElsewhere.Store(time.Now().UnixNano())
		}
	}
	if m.Asked != "" && e.term(m.Agent) != 0 {
		select {
		case e.asked <- m.Asked:
		default: // far too much is asked; the asker gives up
		}
	}
	if m.Answered != "" {
		e.answers.arrived(m.Answered)
	}
}

// emitPeerEvents sends events of another server to the subscribers on this one.
func (e *Engine) emitPeerEvents(received []events.Event) {
	for _, event := range received {
		if event.Kind == events.Deleted && event.Name == "" && event.Agent != "" {
			e.drop(event.Agent) // forgotten
		}
	}
	e.hub.EmitLocal(received...)
}

// stayLinked keeps the link to the other servers, and does over it what is to be done again and again.
func (e *Engine) stayLinked(ctx context.Context) {
	ticker := time.NewTicker(breath)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.link.Load().Done():
			e.log.Warn("the link to the other servers is lost, and with it what this one looks after; it is opened again", "error", e.link.Load().Err())
			if !e.linkAgain(ctx) {
				return
			}
		case <-e.released:
		case <-ticker.C:
		}
		err := errors.Join(e.takeWanted(), e.makeFiguresKnown())
		if err != nil && ctx.Err() == nil && !errors.Is(err, memories.ErrUnavailable) {
			e.log.Warn("what is shared with the other servers could not be brought up to date; tried again", "error", err)
		}
	}
}

func (e *Engine) openLink(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	link, err := e.store.Link(ctx, e.hear)
	if err != nil {
		return err
	}
	e.link.Store(link)
	return nil
}

// linkAgain opens a new link, however long that takes. What was told meanwhile is lost: the pages look at everything anew.
func (e *Engine) linkAgain(ctx context.Context) bool {
	for {
		if err := e.openLink(ctx); err == nil {
			e.hub.EmitLocal(events.Event{Kind: events.Scanned})
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(relink):
		}
	}
}

// unlink ends the link, once nothing of this server runs any more. Whoever waits for what it looked after has it at once.
func (e *Engine) unlink() {
	link := e.link.Load()
	late := time.AfterFunc(farewell, link.Close)
	defer late.Stop()
	e.peerEvents.send(link)
	if err := link.Release(e.wantedIDs()); err == nil {
		link.Tell([]string{message{Released: true}.payload()}) //nolint:errcheck // the others look every second anyway
	}
	link.Close()
}

// signal wakes whoever waits for it, now or the next time.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
