package gate

import (
	"cmp"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-chi/chi/v5/middleware"
)

const (
	// maxLogged is the maximum length of a client's text in the log, in bytes (arbitrary).
	maxLogged = 256
	// maxRefusals is the maximum number of refused requests logged in one second (arbitrary).
	// Others are only counted.
	maxRefusals = 100
)

// logRequests returns a handler that calls next and then logs the request, without the query, which
// can contain searches. If next panics before it responds, the answer is 500. Of requests with a
// status from 400 to 499, it logs only maxRefusals a second.
func (g *Gate) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		answer := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() { g.log(r, cmp.Or(answer.Status(), http.StatusOK), answer.BytesWritten(), time.Since(started)) }()
		defer g.recover(answer, r)
		next.ServeHTTP(answer, r)
	})
}

func (g *Gate) log(r *http.Request, status, bytes int, took time.Duration) {
	level := slog.LevelInfo
	if isOpen(r) {
		level = slog.LevelDebug // frequent and never of interest
	}
	if status >= 400 && status < 500 {
		isListed, unlisted := g.refusals.count(time.Now())
		if unlisted > 0 {
			g.options.Log.WarnContext(r.Context(), "refused requests not logged", "unlisted", unlisted)
		}
		if !isListed {
			return
		}
	}
	g.options.Log.Log(r.Context(), level, "request", "request", RequestID(r.Context()), "method", truncate(r.Method), "path", truncate(r.URL.Path),
		"status", status, "bytes", bytes, "took", took, "from", r.RemoteAddr)
}

// truncate returns text, or its first maxLogged bytes and an ellipsis if it is longer. It may cut
// inside a character.
func truncate(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}

// refusals limits the log lines about refused requests.
type refusals struct {
	mu     sync.Mutex
	second time.Time // the current second
	n      int       // refusals in that second
}

// count counts one refused request. isListed reports whether to log it, which is true for the first
// maxRefusals of a second. If a new second has begun, unlisted is the number of requests that the
// previous one left out of the log; otherwise it is 0.
func (f *refusals) count(now time.Time) (isListed bool, unlisted int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.second) >= time.Second {
		unlisted = max(0, f.n-maxRefusals)
		f.second, f.n = now, 0
	}
	f.n++
	return f.n <= maxRefusals, unlisted
}
