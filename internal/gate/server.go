package gate

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits limits what one client can use. A zero field means the default.
type Limits struct {
	// Connections is the maximum number of open connections. The default of 1,024 suits a large
	// team and leaves files for other uses. Past it, a waiting connection is closed for a new one.
	// If all are active, new requests get a 429.
	Connections int
	// Head is the timeout of a request's head. The default is 10 s.
	Head time.Duration
	// Body is the timeout of a request's body. The default of 1 minute lets a slow line send the
	// largest body.
	Body time.Duration
	// Stall is how long a client may accept no data of a response. The default is 30 s.
	Stall time.Duration
	// Answer is how long a client may take for a whole response, from its first byte. The default is
	// 10 minutes. Event streams and exports set their own.
	Answer time.Duration
	// Idle is how long a connection stays open without a request. The default is 2 minutes.
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

// maxHead is the maximum size of a request's head, in bytes, for the longest search in the address
// and two headers. The standard library adds 4 KiB and answers 431 past that.
const maxHead = 32 << 10

// Server returns an HTTP server, not started, that serves next behind the gate with Options.Limits.
// Its Shutdown calls endStreams, which must end the open event streams. It has no ReadTimeout,
// because that would cancel a request that takes longer; bodies have their own limit.
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
		ConnState: connected.trackState,
		ErrorLog:  slog.NewLogLogger(g.options.Log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(endStreams)
	return server
}
