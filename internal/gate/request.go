package gate

import (
	"context"
	"crypto/rand"
	"net/http"
	"runtime/debug"

	"github.com/go-chi/chi/v5/middleware"
)

type requestID struct{}

// RequestID returns the id of the request of ctx, as in its X-Request-Id header and its log line.
// It is empty outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID{}).(string)
	return id
}

// identify gives each request a random id. It ignores an id sent by the client.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestID{}, id)))
	})
}

// recover turns a panic into a response with status 500. If the response has begun, it closes the
// connection.
func (g *Gate) recover(answer middleware.WrapResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // a panic's value, as net/http compares it
		panic(cause)
	}
	id := RequestID(r.Context())
	g.options.Log.ErrorContext(r.Context(), "request panicked", "request", id, "panic", cause, "stack", string(debug.Stack()))
	if answer.Status() != 0 {
		panic(http.ErrAbortHandler)
	}
	g.refuse(answer, r, http.StatusInternalServerError, "Something went wrong here. The server's log says what, under request "+id+".")
}
