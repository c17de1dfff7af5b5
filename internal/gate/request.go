package gate

import (
	"context"
	"crypto/rand"
	"net/http"
	"runtime/debug"

	"github.com/go-chi/chi/v5/middleware"
)

type requestID struct{}

// RequestID returns the id of the request that the context belongs to, which its answer has as X-Request-Id and its line
// in the log as request. It is empty for a context of no request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID{}).(string)
	return id
}

// identify gives the request an id of our own; one that the client sends is not taken over into the log.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestID{}, id)))
	})
}

// recover turns a panic into a 500 that names the request, or into a cut connection where the answer has begun.
func (g *Gate) recover(answer middleware.WrapResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // a panic's value, as net/http compares it
		panic(cause)
	}
	id := RequestID(r.Context())
	g.options.Log.ErrorContext(r.Context(), "a request broke", "request", id, "panic", cause, "stack", string(debug.Stack()))
	if answer.Status() != 0 {
		panic(http.ErrAbortHandler)
	}
	g.refuse(answer, r, http.StatusInternalServerError, "Something went wrong here. The server's log says what, under request "+id+".")
}
