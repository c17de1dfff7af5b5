package gate

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"

	"memoir/internal/problem"
)

// maxSurplus is how many connections past the limit are told so at once. Any more are closed without a word.
const maxSurplus = 128

// connections keeps the number of open connections below a limit without turning anybody away who can be served. They are
// not counted by address: behind a proxy, and on this machine, everybody has the same.
type connections struct {
	mu   sync.Mutex
	most int
	// admitted has the place in waiting of each connection that waits for its next request, the first one included, and
	// nil for one whose request is being answered.
	admitted map[net.Conn]*list.Element
	waiting  *list.List // of net.Conn; the one that has waited the longest is at the front
	surplus  map[net.Conn]struct{}
}

func newConnections(most int) *connections {
	return &connections{most: most, admitted: map[net.Conn]*list.Element{}, waiting: list.New(), surplus: map[net.Conn]struct{}{}}
}

type surplus struct{}

// admit is the server's ConnContext: it is asked of each new connection. Whether that is one too many goes with its context.
func (c *connections) admit(ctx context.Context, conn net.Conn) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.admitted) < c.most || c.dropWaiting() {
		c.admitted[conn] = c.waiting.PushBack(conn)
		return ctx
	}
	if len(c.surplus) == maxSurplus {
		conn.Close() //nolint:errcheck // there is nobody to tell
		return ctx
	}
	c.surplus[conn] = struct{}{}
	return context.WithValue(ctx, surplus{}, true)
}

// dropWaiting closes the connection that has waited the longest. A client whose next request is on its way already sends it
// again on a new connection, as it has to whenever a server closes one.
func (c *connections) dropWaiting() bool {
	longest := c.waiting.Front()
	if longest == nil {
		return false
	}
	conn := c.waiting.Remove(longest).(net.Conn)
	delete(c.admitted, conn)
	conn.Close() //nolint:errcheck // there is nobody to tell
	return true
}

// note is the server's ConnState. A request counts as being answered once its head is read.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place, admitted := c.admitted[conn]
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		delete(c.surplus, conn)
		delete(c.admitted, conn)
		if place != nil {
			c.waiting.Remove(place)
		}
	case admitted && state == http.StateActive && place != nil:
		c.waiting.Remove(place)
		c.admitted[conn] = nil
	case admitted && state == http.StateIdle && place == nil:
		c.admitted[conn] = c.waiting.PushBack(conn)
	}
}

// turnAway refuses what comes over a connection past the limit.
func (g *Gate) turnAway(next http.Handler) http.Handler {
	const detail = "More connections are open than this server serves, and all are at work. Nothing was changed. Try again shortly."
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(surplus{}) == nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if forPrograms(r) {
			problem.New(http.StatusTooManyRequests, detail).RetryAfter(1).Request(RequestID(r.Context())).Write(w)
			return
		}
		w.Header().Set("Retry-After", "1")
		page(w, http.StatusTooManyRequests, http.StatusText(http.StatusTooManyRequests), detail)
	})
}
