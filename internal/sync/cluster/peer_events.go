package cluster

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"memoir/internal/postgres/lease"
	"memoir/internal/sync/events"
)

// maxPeerEvents is the number of events that may wait for the other servers; if there are more,
// they are summarised. Arbitrary.
const maxPeerEvents = 4096

// peerEvents is a queue of this server's events for the other servers. It is safe for concurrent
// use.
type peerEvents struct {
	mu      sync.Mutex
	waiting []events.Event
	wake    chan struct{} // receives when an event was queued
}

// add queues events and wakes BroadcastLoop. If more than maxPeerEvents then wait, it replaces all
// by their summary. It never waits for another server.
func (p *peerEvents) add(added ...events.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, added...)
	if len(p.waiting) > maxPeerEvents {
		p.waiting = summary(p.waiting)
	}
	signal(p.wake)
}

// summary returns one Scanned event for each agent of the given events. For more than
// maxPeerEvents/2 agents, it returns a single Scanned event for all agents.
func summary(all []events.Event) []events.Event {
	seen := map[string]bool{}
	var short []events.Event
	for _, event := range all {
		if !seen[event.Agent] {
			seen[event.Agent] = true
			short = append(short, events.Event{Agent: event.Agent, Kind: events.Scanned})
		}
	}
	if len(short) > maxPeerEvents/2 {
		return []events.Event{{Kind: events.Scanned}}
	}
	return short
}

// send removes all events from the queue and sends them to the other servers. If that fails, it
// puts their summary back at the start of the queue, and returns no error. It does nothing if the
// queue is empty.
func (p *peerEvents) send(link *lease.Conn) {
	p.mu.Lock()
	taken := p.waiting
	p.waiting = nil
	p.mu.Unlock()
	if len(taken) == 0 {
		return
	}
	if err := link.Notify(payloads(taken)); err != nil {
		p.mu.Lock()
		p.waiting = append(summary(taken), p.waiting...)
		p.mu.Unlock()
	}
}

// eventsRoom is the room for the JSON of events in one message, in bytes.
var eventsRoom = lease.MaxPayload - len(message{Events: []events.Event{{}}}.payload())

// payloads returns messages with the events as JSON, in order, each with as many events as fit. An
// event that is too long for a message becomes a Scanned event of its agent.
func payloads(all []events.Event) []string {
	var messages []string
	var part []events.Event
	size := 0
	for _, event := range all {
		raw, err := json.Marshal(event)
		if err != nil || len(raw) > eventsRoom {
			event = events.Event{Agent: event.Agent, Kind: events.Scanned}
		}
		if size += len(raw) + 1; size > eventsRoom && len(part) > 0 {
			messages = append(messages, message{Events: part}.payload())
			part, size = nil, len(raw)+1
		}
		part = append(part, event)
	}
	return append(messages, message{Events: part}.payload())
}

// BroadcastLoop sends this server's events to the other servers as they occur, until ctx ends.
// While the connection is lost, they stay queued, and may become a summary.
func (n *Node) BroadcastLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.peerEvents.wake:
		}
		link := n.conn.Load()
		n.peerEvents.send(link)
		select {
		case <-link.Done():
			signal(n.peerEvents.wake) // the next connection sends the rest
			select {
			case <-ctx.Done():
			case <-time.After(reconnectDelay):
			}
		default:
		}
	}
}
