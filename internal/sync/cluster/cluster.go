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
	"memoir/internal/postgres/lease"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// Options configures a Node. All fields are required.
type Options struct {
	Store  *postgres.Store
	Log    *slog.Logger
	Queue  *watch.Queue // read for the stats
	Agents *agenttx.Manager
	// FindAgent returns the agent with the slug. It discovers agents if the directory is new. It
	// returns memories.ErrNotFound for an unknown slug.
	FindAgent func(ctx context.Context, slug string) (*agenttx.State, error)
	// LeasesTaken is called after this server has taken leases that were held by another server.
	LeasesTaken func()
	// PeerIndexing is called when another server starts, continues or ends filling the search
	// index.
	PeerIndexing func(busy bool)
}

// Node is this server in the group of servers that share a database. Its methods are safe for
// concurrent use, except HeldByOthers.
type Node struct {
	o Options
	// Hub distributes events on this server, and sends its own events to the other servers.
	Hub      *events.Hub
	handlers map[string]func(ctx context.Context, slug string, arguments []byte) (any, error)

	conn           atomic.Pointer[lease.Conn] // for leases and messages
	leasesReleased chan struct{}              // receives when another server releases leases
	noRoom         atomic.Bool                // a lack of room for leases was logged
	peerEvents     *peerEvents
	requests       chan string // IDs of other servers' requests
	// responses contains a chan struct{} for each request that this server has sent, by its ID. The
	// channel receives when the response is in the database.
	responses sync.Map
	sentStats peerStats

	mu        sync.Mutex
	requested map[int64]struct{} // agents whose leases this server wants
	// holderLostAt is when the lease of another server became free, by agent. It is zero while
	// another server holds the lease. Only HeldByOthers uses it.
	holderLostAt map[int64]time.Time
}

// New returns a Node without a connection. The caller registers the calls with Handle, then calls
// OpenLeaseConn, then starts LeaseLoop, BroadcastLoop and ServeRequests. At the end it stops these
// and calls CloseServerConn.
func New(o Options) *Node {
	n := &Node{
		o: o, handlers: map[string]func(context.Context, string, []byte) (any, error){},
		leasesReleased: make(chan struct{}, 1), peerEvents: &peerEvents{wake: make(chan struct{}, 1)},
		requests: make(chan string, maxQueuedRequests), holderLostAt: map[int64]time.Time{},
	}
	n.Hub = events.NewHub(n.peerEvents.add)
	return n
}
