package gate

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits bound what one client can take from the others. Of a field that is zero the default counts.
type Limits struct {
	// Connections is how many may be open at once: 1,024, which is the tabs and scripts of a large team, and leaves
	// room in what a process may open. Past it, a connection that waits for its next request gives way to a new one;
	// where all are at work, new requests are answered 429.
	Connections int
	// Head is how long a request's head may take: 10 s. Whoever opens connections and says nothing loses them.
	Head time.Duration
	// Body is how long a request's body may take: 1 minute, in which a slow line sends the largest.
	Body time.Duration
	// Stall is how long a client may take nothing of its answer: 30 s.
	Stall time.Duration
	// Answer is how long an answer may take in all, the cold scan of very many files included: 10 minutes. Event streams
	// set their own.
	Answer time.Duration
	// Idle is how long a connection is kept for the next request: 2 minutes.
	Idle time.Duration
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Connections: cmp.Or(l.Connections, 1024),
		Head:        cmp.Or(l.Head, 10*time.Second),
		Body:        cmp.Or(l.Body, time.Minute),
		Stall:       cmp.Or(l.Stall, 30*time.Second),
		Answer:      cmp.Or(l.Answer, 10*time.Minute),
		Idle:        cmp.Or(l.Idle, 2*time.Minute),
	}
}

// maxHead is the largest head of a request, in bytes: the longest search, in the address and in two headers about it. The standard library adds 4 KiB to it, and answers 431 past that.
const maxHead = 32 << 10

// Server returns the HTTP server of the handler behind the gate, with its limits. endStreams is called when it shuts
// down: open event streams would hold up Shutdown until its deadline.
//
// There is no ReadTimeout: it would cancel a request that is still worked on when it passes. Bodies have their own limit.
func (g *Gate) Server(next http.Handler, endStreams func()) *http.Server {
	limits := g.options.Limits
	connected := newConnections(limits.Connections)
	server := &http.Server{
		Handler:           g.Around(next),
		ReadHeaderTimeout: limits.Head,
		WriteTimeout:      limits.Answer,
		IdleTimeout:       limits.Idle,
		MaxHeaderBytes:    maxHead,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return g.withPeer(connected.admit(ctx, conn), conn)
		},
		ConnState: connected.note,
		ErrorLog:  slog.NewLogLogger(g.options.Log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(endStreams)
	return server
}
