package sync

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"memoir/internal/postgres"
)

// maxNews is how many events wait to be told to the other servers. What comes on top is told as a scan of its agent.
const maxNews = 4096

// news are the events that the other servers do not know yet. To add one never waits.
type news struct {
	mu     sync.Mutex
	events []Event
	wake   chan struct{}
}

func newNews() *news { return &news{wake: make(chan struct{}, 1)} }

func (n *news) add(events ...Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, events...)
	if len(n.events) > maxNews {
		n.events = summary(n.events)
	}
	signal(n.wake)
}

// summary says of each agent only that there is something new; of very many, that there is everywhere.
func summary(events []Event) []Event {
	seen := map[string]bool{}
	var short []Event
	for _, event := range events {
		if !seen[event.Agent] {
			seen[event.Agent] = true
			short = append(short, Event{Agent: event.Agent, Kind: KindScanned})
		}
	}
	if len(short) > maxNews/2 {
		return []Event{{Kind: KindScanned}}
	}
	return short
}

func (n *news) take() []Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	events := n.events
	n.events = nil
	return events
}

// send tells the other servers what has happened. What cannot be told is told later, in short.
func (n *news) send(link *postgres.Link) {
	events := n.take()
	if len(events) == 0 {
		return
	}
	if err := link.Tell(payloads(events)); err != nil {
		n.mu.Lock()
		n.events = append(summary(events), n.events...)
		n.mu.Unlock()
	}
}

// eventsRoom is what a message has for its events, in bytes.
var eventsRoom = postgres.MaxTold - len(message{Events: []Event{{}}}.payload())

// payloads returns the events in as few messages as they fit into. A name that is longer than a message becomes a scan.
func payloads(events []Event) []string {
	var all []string
	var part []Event
	size := 0
	for _, event := range events {
		raw, err := json.Marshal(event)
		if err != nil || len(raw) > eventsRoom {
			event = Event{Agent: event.Agent, Kind: KindScanned}
		}
		if size += len(raw) + 1; size > eventsRoom && len(part) > 0 {
			all = append(all, message{Events: part}.payload())
			part, size = nil, len(raw)+1
		}
		part = append(part, event)
	}
	return append(all, message{Events: part}.payload())
}

// tellNews tells the other servers what happens here, as soon as it happens.
func (e *Engine) tellNews(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.news.wake:
		}
		link := e.link.Load()
		e.news.send(link)
		select {
		case <-link.Done():
			signal(e.news.wake) // what could not be told waits for the next link
			select {
			case <-ctx.Done():
			case <-time.After(relink):
			}
		default:
		}
	}
}
