// Package cluster shares agents between the servers of one database. It takes leases, sends
// operations to the server that holds an agent's lease, and exchanges events and statistics.
//
//	save := cluster.Handle(node, ops.Save)
//	result, err := save.Do(ctx, slug, op)
//
// An operation is a struct that is sent as JSON. The package does not know what an operation does.
package cluster

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"memoir/internal/postgres"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// NodeOptions configures a Node.
type Options struct {
	Store  *postgres.Store
	Log    *slog.Logger
	Queue  *watch.Queue
	Agents *agenttx.Manager
	// FindAgent returns the agent of a slug, also if its directory is new.
	FindAgent func(ctx context.Context, slug string) (*agenttx.State, error)
	// LeasesTaken is called when this server has taken leases that another server has released.
	LeasesTaken func()
	// PeerIndexing is called when another server begins or ends to fill the search index.
	PeerIndexing func(busy bool)
}

// Node is this server among those that share a database.
type Node struct {
	o        Options
	Hub      *events.Hub
	handlers map[string]func(ctx context.Context, slug string, arguments []byte) (any, error)

	conn           atomic.Pointer[postgres.Link]
	leasesReleased chan struct{} // receives when another server has released leases
	noRoom         atomic.Bool   // Postgres had no room for every lease
	peerEvents     *peerEvents
	requests       chan string // ids of other servers' requests
	responses      *pendingResponses
	sentStats      peerStats

	mu           sync.Mutex
	requested    map[int64]struct{}  // agents whose leases this server wants
	holderLostAt map[int64]time.Time // when no server held the lease any more that another one held; zero: it is held
}

// NewNode returns a Node without a connection.
func New(o Options) *Node {
	n := &Node{
		o: o, handlers: map[string]func(context.Context, string, []byte) (any, error){},
		leasesReleased: make(chan struct{}, 1), peerEvents: newPeerEvents(),
		requests: make(chan string, maxQueuedRequests), responses: newPendingResponses(),
		holderLostAt: map[int64]time.Time{},
	}
	n.Hub = events.NewHub(n.peerEvents.add)
	return n
}
