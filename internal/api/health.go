package api

import (
	"context"
	"net/http"
	"time"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// pingTimeout is the time limit for the response of Postgres in ready. Arbitrary.
const pingTimeout = 3 * time.Second

// alive answers 200 always. It does not check Postgres.
func (a *api) alive(w http.ResponseWriter, _ *http.Request) { writeOK(w) }

// ready answers 200 if Postgres responds within pingTimeout and the first scan has ended. Otherwise
// it answers 503 with the reason.
func (a *api) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
	defer cancel()
	if err := a.store.Ping(ctx); err != nil {
		a.notReady(w, r, "Database unavailable.")
		return
	}
	if !a.engine.Ready() {
		a.notReady(w, r, "The first scan is still running.")
		return
	}
	writeOK(w)
}

func (a *api) notReady(w http.ResponseWriter, r *http.Request, reason string) {
	problem.New(http.StatusServiceUnavailable, reason).RetryAfter(problem.RetrySeconds).Request(gate.RequestID(r.Context())).Write(w)
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // the client may have disconnected
}
