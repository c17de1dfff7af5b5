// Package events distributes events about agents to subscribers: open pages, event streams and
// background jobs.
//
// It owns Event and its kinds, and Hub with its subscriptions. It never waits for a subscriber and
// does not communicate with other servers. For that, the engine passes a function to NewHub, and
// calls EmitLocal for the events of other servers.
package events

import (
	"sync"
)

// Kind is the kind of an Event. Its value is sent to browsers and other servers.
type Kind string

// The kinds of an Event.
const (
	Saved     Kind = "saved"
	Deleted   Kind = "deleted"
	Restored  Kind = "restored"
	Missing   Kind = "missing"
	Published Kind = "published" // CLAUDE.md has changed
	Reviewed  Kind = "reviewed"  // what waits for a person may have changed
	Scanned   Kind = "scanned"   // anything of the agent may have changed
	Proposed  Kind = "proposed"  // a proposal was added or decided
	Logged    Kind = "logged"    // logs have changed
)

// Event is one change of an agent's memories, proposals or logs.
type Event struct {
	// Agent is the agent's slug. It is empty if any agent may have changed.
	Agent string `json:"agent"`
	Kind  Kind   `json:"kind"`
	// Name is the memory's name, or the day if Kind is Logged. It is empty if the event concerns
	// the whole agent, or several days.
	Name string `json:"name"`
}

// subscriberBuffer is the number of events that can wait for a slow subscriber. Arbitrary.
const subscriberBuffer = 256

// Hub distributes events to its subscriptions. Its methods are safe for concurrent use and never
// wait for a slow subscriber.
type Hub struct {
	forward func(...Event)

	mu            sync.Mutex
	subscriptions map[*Subscription]struct{}
	closed        bool
}

// Subscription is the queue of events of one subscriber.
type Subscription struct {
	// Events is closed when the subscription or the hub is closed. If the subscriber is too slow,
	// one Scanned event without an agent replaces the events that it missed.
	Events <-chan Event
	events chan Event
	behind bool
	hub    *Hub
}

// NewHub returns a hub without subscriptions. Emit also calls forward, which sends the events to
// the other servers; forward must not block.
func NewHub(forward func(...Event)) *Hub {
	return &Hub{forward: forward, subscriptions: map[*Subscription]struct{}{}}
}

// Subscribe returns a new subscription to all events from now on. The caller must close it. After
// Hub.Close, the channel of a new subscription is already closed.
func (h *Hub) Subscribe() *Subscription {
	queue := make(chan Event, subscriberBuffer)
	s := &Subscription{Events: queue, events: queue, hub: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(queue)
		return s
	}
	h.subscriptions[s] = struct{}{}
	return s
}

// Close ends the subscription and closes its channel. Events that are still queued can be received.
// Further calls do nothing.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if _, ok := s.hub.subscriptions[s]; ok {
		delete(s.hub.subscriptions, s)
		close(s.events)
	}
}

// Close ends every subscription and closes its channel, so that open event streams do not delay a
// shutdown. Later subscriptions are closed from the start.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subscriptions {
		delete(h.subscriptions, s)
		close(s.events)
	}
}

// Emit sends events of this server to every subscription here, and to the other servers. It never
// waits: a slow subscriber gets one Scanned event in place of the events that it missed.
func (h *Hub) Emit(events ...Event) {
	if len(events) > 0 {
		h.EmitLocal(events...)
		h.forward(events...)
	}
}

// EmitLocal sends events to the subscriptions of this server only. It never waits: a slow
// subscriber gets one Scanned event in place of the events that it missed.
func (h *Hub) EmitLocal(events ...Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscriptions {
		for _, event := range events {
			s.send(event)
		}
	}
}

// send queues the event and never waits. If one place in the queue is left, it queues a Scanned
// event for all agents instead. It drops further events until two places are free. The caller holds
// the hub's mu.
func (s *Subscription) send(event Event) {
	room := cap(s.events) - len(s.events)
	switch {
	case room > 1:
		s.behind = false
		s.events <- event
	case room == 1 && !s.behind:
		s.behind = true
		s.events <- Event{Kind: Scanned}
	}
}
