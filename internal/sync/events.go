package sync

import (
	"sync"
)

// Kind says what happened to a memory or an agent.
type Kind string

// The kinds of an Event.
const (
	KindSaved     Kind = "saved"
	KindDeleted   Kind = "deleted"
	KindRestored  Kind = "restored"
	KindMissing   Kind = "missing"
	KindPublished Kind = "published"
	KindScanned   Kind = "scanned"
	KindProposed  Kind = "proposed" // something was found in a conversation, or decided about
	// KindLogged: the logs of a day have changed, which is then the Name, or those of several.
	KindLogged Kind = "logged"
)

// Event is one thing that happened. Name is the memory's, empty where the event is of the agent as a whole; with KindLogged it is a day.
type Event struct {
	Agent string `json:"agent"`
	Kind  Kind   `json:"kind"`
	Name  string `json:"name"`
}

// subscriberBuffer is how many events a subscriber may lag behind before it is told to look at everything anew.
const subscriberBuffer = 256

// Hub hands each event to everyone who listens. It never waits for a slow listener.
type Hub struct {
	mu          sync.Mutex
	subscribers map[*Subscription]struct{}
	closed      bool
	news        *news // for the other servers
}

// Subscription is one listener's queue of events.
type Subscription struct {
	// Events closes when the hub does. A listener that fell behind finds a scanned event for every agent (an empty
	// Agent) in place of what it missed.
	Events <-chan Event
	events chan Event
	behind bool
	hub    *Hub
}

func newHub(news *news) *Hub { return &Hub{subscribers: map[*Subscription]struct{}{}, news: news} }

// Subscribe starts to listen. The caller ends it with Close.
func (h *Hub) Subscribe() *Subscription {
	events := make(chan Event, subscriberBuffer)
	s := &Subscription{Events: events, events: events, hub: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(events)
		return s
	}
	h.subscribers[s] = struct{}{}
	return s
}

// Close stops listening. It may be called more than once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if _, ok := s.hub.subscribers[s]; ok {
		delete(s.hub.subscribers, s)
		close(s.events)
	}
}

// Close ends every subscription, so that open event streams do not hold up a shutdown.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subscribers {
		delete(h.subscribers, s)
		close(s.events)
	}
}

// publish tells everyone, here and on the other servers, what this one has done.
func (h *Hub) publish(events ...Event) {
	if len(events) > 0 {
		h.offer(events...)
		h.news.add(events...)
	}
}

// offer tells those who listen on this server.
func (h *Hub) offer(events ...Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscribers {
		for _, event := range events {
			s.offer(event)
		}
	}
}

// offer queues the event. The last place of the buffer is kept for the word that some were missed.
func (s *Subscription) offer(event Event) {
	room := cap(s.events) - len(s.events)
	switch {
	case room > 1:
		s.behind = false
		s.events <- event
	case room == 1 && !s.behind:
		s.behind = true
		s.events <- Event{Kind: KindScanned}
	}
}
