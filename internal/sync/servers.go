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
	// leaseInterval is how often a server tries to take the leases that it would like to have, and makes its stats known.
	leaseInterval = time.Second
	// reconnectDelay is how long a link that could not be opened waits before it is tried again.
	reconnectDelay = 200 * time.Millisecond
	// connectTimeout bounds each attempt to open it.
	connectTimeout = 10 * time.Second
	// closeTimeout bounds what is still told when the engine is closed.
	closeTimeout = 2 * time.Second
)

// message is what servers tell each other. Each has one of these.
type message struct {
	Events []events.Event `json:"events,omitempty"`
	// Released says that leases are free to be taken.
	Released bool `json:"released,omitempty"`
	// Indexing says that the search index is being filled, or no longer.
	Indexing *bool `json:"indexing,omitempty"`
	// Request names a request to the server that holds an agent's lease, and Answered one that has been answered.
	Request  string `json:"asked,omitempty"`
	Agent    int64  `json:"agent,omitempty"` // of what is asked
	Response string `json:"answered,omitempty"`
}

// payload is the message as it is sent. None of the short messages fails to fit; events see to that themselves.
func (m message) payload() string {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // it has nothing in it that JSON could not hold
	}
	return string(raw)
}

// receive takes in what another server tells. It runs in the link's own time, and starts what takes longer.
func (e *Engine) receive(payload string) {
	var m message
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		e.log.Warn("unknown message from another server, versions may differ", "error", err)
		return
	}
	e.emitPeerEvents(m.Events)
	if m.Released {
		signal(e.leasesReleased)
	}
	if m.Indexing != nil {
		e.peerIndexingAt.Store(0)
		if *m.Indexing {
			e.peerIndexingAt.Store(time.Now().UnixNano())
		}
	}
	if m.Request != "" && e.term(m.Agent) != 0 {
		select {
		case e.requests <- m.Request:
		default: // far too much is asked; the asker gives up
		}
	}
	if m.Response != "" {
		e.responses.arrived(m.Response)
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

// leaseLoop keeps the link to the other servers, and does over it what is to be done again and again.
func (e *Engine) leaseLoop(ctx context.Context) {
	ticker := time.NewTicker(leaseInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.serverConn.Load().Done():
			e.log.Warn("connection for leases lost, reconnecting", "error", e.serverConn.Load().Err())
			if !e.reopenServerConn(ctx) {
				return
			}
		case <-e.leasesReleased:
		case <-ticker.C:
		}
		err := errors.Join(e.takeFreeLeases(), e.sendStats())
		if err != nil && ctx.Err() == nil && !errors.Is(err, memories.ErrUnavailable) {
			e.log.Warn("exchange with other servers failed, will retry", "error", err)
		}
	}
}

func (e *Engine) openServerConn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	link, err := e.store.Link(ctx, e.receive)
	if err != nil {
		return err
	}
	e.serverConn.Store(link)
	return nil
}

// reopenServerConn opens a new link, however long that takes. What was told meanwhile is lost: the pages look at everything anew.
func (e *Engine) reopenServerConn(ctx context.Context) bool {
	for {
		if err := e.openServerConn(ctx); err == nil {
			e.hub.EmitLocal(events.Event{Kind: events.Scanned})
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(reconnectDelay):
		}
	}
}

// closeServerConn ends the link, once nothing of this server runs any more. Whoever waits for what it looked after has it at once.
func (e *Engine) closeServerConn() {
	link := e.serverConn.Load()
	late := time.AfterFunc(closeTimeout, link.Close)
	defer late.Stop()
	e.peerEvents.send(link)
	if err := link.Release(e.requestedIDs()); err == nil {
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
