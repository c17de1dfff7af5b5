package cluster

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
	// Request names a request to the server that holds the lease of an agent, and Answered one that has been answered.
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
func (n *Node) receive(payload string) {
	var m message
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		n.o.Log.Warn("unknown message from another server, versions may differ", "error", err)
		return
	}
	n.emitPeerEvents(m.Events)
	if m.Released {
		signal(n.leasesReleased)
	}
	if m.Indexing != nil {
		n.o.PeerIndexing(*m.Indexing)
	}
	if m.Request != "" && n.Term(m.Agent) != 0 {
		select {
		case n.requests <- m.Request:
		default: // far too much is asked; the asker gives up
		}
	}
	if m.Response != "" {
		n.responses.arrived(m.Response)
	}
}

// emitPeerEvents sends events of another server to the subscribers on this one.
func (n *Node) emitPeerEvents(received []events.Event) {
	for _, event := range received {
		if event.Kind == events.Deleted && event.Name == "" && event.Agent != "" {
			n.o.Agents.Drop(event.Agent) // forgotten
		}
	}
	n.Hub.EmitLocal(received...)
}

// leaseLoop keeps the link to the other servers, and does over it what is to be done again and again.
func (n *Node) LeaseLoop(ctx context.Context) {
	ticker := time.NewTicker(leaseInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.conn.Load().Done():
			n.o.Log.Warn("connection for leases lost, reconnecting", "error", n.conn.Load().Err())
			if !n.reopenServerConn(ctx) {
				return
			}
		case <-n.leasesReleased:
		case <-ticker.C:
		}
		err := errors.Join(n.takeFreeLeases(), n.sendStats())
		if err != nil && ctx.Err() == nil && !errors.Is(err, memories.ErrUnavailable) {
			n.o.Log.Warn("exchange with other servers failed, will retry", "error", err)
		}
	}
}

func (n *Node) OpenServerConn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	link, err := n.o.Store.Link(ctx, n.receive)
	if err != nil {
		return err
	}
	n.conn.Store(link)
	return nil
}

// reopenServerConn opens a new link, however long that takes. What was told meanwhile is lost: the pages look at everything anew.
func (n *Node) reopenServerConn(ctx context.Context) bool {
	for {
		if err := n.OpenServerConn(ctx); err == nil {
			n.Hub.EmitLocal(events.Event{Kind: events.Scanned})
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
func (n *Node) CloseServerConn() {
	link := n.conn.Load()
	late := time.AfterFunc(closeTimeout, link.Close)
	defer late.Stop()
	n.peerEvents.send(link)
	if err := link.Release(n.requestedIDs()); err == nil {
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

// broadcastIndexing tells the other servers whether this one is filling the search index. An error is
// ignored: the message is repeated, and expires.
func (n *Node) TellIndexing(busy bool) {
	n.conn.Load().Tell([]string{message{Indexing: &busy}.payload()}) //nolint:errcheck // see above
}
