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
	// leaseInterval is the time between two attempts to take free leases and send stats. Arbitrary.
	leaseInterval = time.Second
	// reconnectDelay is the wait before a failed connection is tried again. Arbitrary.
	reconnectDelay = 200 * time.Millisecond
	// connectTimeout limits one attempt to connect. Arbitrary.
	connectTimeout = 10 * time.Second
	// closeTimeout limits the last messages before the connection is closed. Arbitrary.
	closeTimeout = 2 * time.Second
)

// message is a message from one server to all others. Except for Agent, one field is set.
type message struct {
	// Events are events on the sender.
	Events []events.Event `json:"events,omitempty"`
	// Released reports that the sender has released leases.
	Released bool `json:"released,omitempty"`
	// Indexing reports whether the sender is filling the search index.
	Indexing *bool `json:"indexing,omitempty"`
	// Request is the ID of a new request to the server that holds the lease of Agent.
	Request string `json:"asked,omitempty"`
	Agent   int64  `json:"agent,omitempty"`
	// Response is the ID of a request that has a response now.
	Response string `json:"answered,omitempty"`
}

// payload returns the message as JSON. Only one with many or long events can exceed
// lease.MaxPayload; function payloads prevents that.
func (m message) payload() string {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // all fields can be encoded
	}
	return string(raw)
}

// receive handles a message from another server, by its set fields. It emits events, wakes
// LeaseLoop, reports indexing, queues a request, or wakes the call that waits for a response. It
// ignores a request if this server does not hold the lease, or the queue is full. It logs a message
// that is not JSON. It runs on the connection's goroutine and must not block.
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
		default: // the sender fails after claimTimeout
		}
	}
	if m.Response != "" {
		if arrived, ok := n.responses.Load(m.Response); ok {
			signal(arrived.(chan struct{}))
		}
	}
}

// emitPeerEvents sends events of another server to the subscribers on this one. If an event reports
// that an agent was forgotten, it also removes the agent from the memory of this process.
func (n *Node) emitPeerEvents(received []events.Event) {
	for _, event := range received {
		if event.Kind == events.Deleted && event.Name == "" && event.Agent != "" {
			n.o.Agents.Drop(event.Agent) // a deletion without a memory is of the agent
		}
	}
	n.Hub.EmitLocal(received...)
}

// LeaseLoop takes free leases and saves stats every leaseInterval, and at once when another server
// has released leases. It reconnects when the connection is lost, and logs failures. It returns
// when ctx ends.
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

// OpenLeaseConn opens the connection for leases and messages, in place of a lost one. It fails with
// memories.ErrUnavailable if Postgres cannot be reached, within connectTimeout.
func (n *Node) OpenLeaseConn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	link, err := n.o.Store.OpenLeaseConn(ctx, n.receive)
	if err != nil {
		return err
	}
	n.conn.Store(link)
	return nil
}

// reopenServerConn tries to connect until it succeeds, and reports false if ctx ends first. Other
// servers' messages were lost since, so it emits a Scanned event for all agents on this server.
func (n *Node) reopenServerConn(ctx context.Context) bool {
	for {
		if err := n.OpenLeaseConn(ctx); err == nil {
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

// CloseServerConn sends the queued events, releases all leases and closes the connection. It takes
// at most closeTimeout, and ignores errors. The caller must first stop everything else that uses
// the connection.
func (n *Node) CloseServerConn() {
	link := n.conn.Load()
	late := time.AfterFunc(closeTimeout, link.Close)
	defer late.Stop()
	n.peerEvents.send(link)
	if err := link.Release(n.requestedIDs()); err == nil {
		// An error can be ignored: the other servers also try every leaseInterval.
		link.Notify([]string{message{Released: true}.payload()}) //nolint:errcheck // see above
	}
	link.Close()
}

// signal sends to c, which has a buffer of one. If a value is already in the buffer, it does
// nothing. It never blocks.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// TellIndexing sends a message to the other servers: whether this one is filling the search index.
// It ignores errors. The caller repeats the message, because the receivers forget it.
func (n *Node) TellIndexing(busy bool) {
	n.conn.Load().Notify([]string{message{Indexing: &busy}.payload()}) //nolint:errcheck // see above
}
