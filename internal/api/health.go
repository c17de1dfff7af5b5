package api

import (
	"context"
	"net/http"
	"time"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// pingTime is how long Postgres may take to say that it is there.
const pingTime = 3 * time.Second

// alive answers while the process does.
func (a *api) alive(w http.ResponseWriter, _ *http.Request) { sayOK(w) }

// ready answers 200 once Postgres is reached and the first scan is done.
func (a *api) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), pingTime)
	defer cancel()
	if err := a.store.Ping(ctx); err != nil {
		a.notReady(w, r, "The database cannot be reached.")
		return
	}
	if !a.engine.Ready() {
		a.notReady(w, r, "The first scan is still running.")
		return
	}
	sayOK(w)
}

func (a *api) notReady(w http.ResponseWriter, r *http.Request, why string) {
	problem.New(http.StatusServiceUnavailable, why).RetryAfter(problem.RetrySeconds).Request(gate.RequestID(r.Context())).Write(w)
}

func sayOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // the client may be gone
}
