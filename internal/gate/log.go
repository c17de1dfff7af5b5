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
	// maxLogged is how much of what a client makes up is put into a line of the log, in bytes.
	maxLogged = 256
	// maxRefusals is how many refused requests are listed in the log in one second; a flood of them is only counted.
	maxRefusals = 100
)

// logged writes a line for each request once it is answered, broken ones too. The query is left out: it can hold what
// people search for.
func (g *Gate) logged(next http.Handler) http.Handler {
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
		level = slog.LevelDebug // probes and assets: many, and never of interest
	}
	if status >= 400 && status < 500 {
		listed, unlisted := g.refusals.count(time.Now())
		if unlisted > 0 {
			g.options.Log.WarnContext(r.Context(), "more requests were refused than are listed", "unlisted", unlisted)
		}
		if !listed {
			return
		}
	}
	g.options.Log.Log(r.Context(), level, "request", "request", RequestID(r.Context()), "method", start(r.Method), "path", start(r.URL.Path),
		"status", status, "bytes", bytes, "took", took, "from", r.RemoteAddr)
}

// start returns the beginning of a text that a client has made up.
func start(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}

// refusals keeps a flood of refused requests from flooding the log as well.
type refusals struct {
	mu     sync.Mutex
	second time.Time // the one that is counted
	n      int       // refusals in it
}

// count says whether one more refusal is to be listed, and how many were not in the last second in which there were any.
func (f *refusals) count(now time.Time) (listed bool, unlisted int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.second) >= time.Second {
		unlisted = max(0, f.n-maxRefusals)
		f.second, f.n = now, 0
	}
	f.n++
	return f.n <= maxRefusals, unlisted
}
