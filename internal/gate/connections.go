package gate

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// maxSurplus is the maximum number of connections past the limit that get a response at once
// (arbitrary). Others are closed.
const maxSurplus = 128

// connections limits the number of open connections without refusing a client that can be served.
// It does not count by address, because clients behind a proxy share one.
type connections struct {
	mu  sync.Mutex
	max int
	// admitted maps each connection to its element in waiting, or to nil while its request is
	// served. A connection is waiting before its first request too.
	admitted map[net.Conn]*list.Element
	waiting  *list.List // of net.Conn, sorted by waiting time, longest first
	surplus  map[net.Conn]struct{}
}

func newConnections(max int) *connections {
	return &connections{max: max, admitted: map[net.Conn]*list.Element{}, waiting: list.New(), surplus: map[net.Conn]struct{}{}}
}

type surplus struct{}

// admit is the server's ConnContext. Below the limit, it counts conn and returns ctx. At the limit,
// it first closes the connection that has waited longest for a request. If none waits, it returns a
// context that makes refuseSurplus answer 429. If maxSurplus other connections have such a context,
// it closes conn.
func (c *connections) admit(ctx context.Context, conn net.Conn) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.admitted) < c.max || c.dropWaiting() {
		c.admitted[conn] = c.waiting.PushBack(conn)
		return ctx
	}
	if len(c.surplus) == maxSurplus {
		conn.Close() //nolint:errcheck // there is no one to report to
		return ctx
	}
	c.surplus[conn] = struct{}{}
	return context.WithValue(ctx, surplus{}, true)
}

// dropWaiting closes and forgets the connection that has been waiting longest for a request, and
// returns true. It returns false if none is waiting. A client that sends a request at that moment
// has to retry. The caller must hold c.mu.
func (c *connections) dropWaiting() bool {
	oldest := c.waiting.Front()
	if oldest == nil {
		return false
	}
	conn := c.waiting.Remove(oldest).(net.Conn)
	delete(c.admitted, conn)
	conn.Close() //nolint:errcheck // there is no one to report to
	return true
}

// trackState is the server's ConnState. It records whether an admitted connection waits for a
// request or is active, and forgets a closed or hijacked one. A connection becomes active after the
// head of a request was read.
func (c *connections) trackState(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, admitted := c.admitted[conn]
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		delete(c.surplus, conn)
		delete(c.admitted, conn)
		if element != nil {
			c.waiting.Remove(element)
		}
	case admitted && state == http.StateActive && element != nil:
		c.waiting.Remove(element)
		c.admitted[conn] = nil
	case admitted && state == http.StateIdle && element == nil:
		c.admitted[conn] = c.waiting.PushBack(conn)
	}
}

// refuseSurplus returns a handler that calls next, except on connections that admit has marked as
// past the limit. On these, it answers 429 and closes the connection.
func (g *Gate) refuseSurplus(next http.Handler) http.Handler {
	const detail = "Too many open connections. Nothing was changed. Try again shortly."
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(surplus{}) == nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		refusePlainly(w, r, http.StatusTooManyRequests, http.StatusText(http.StatusTooManyRequests), detail)
	})
}
