package gate

import (
	"context"
	"crypto/rand"
	"fmt"
	"html"
	"net/http"
	"runtime/debug"

	"github.com/go-chi/chi/v5/middleware"
)

type requestID struct{}

// RequestID returns the id of the request of ctx, as in its X-Request-Id header and its log line.
// It is "" if ctx is not of a request behind the gate.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID{}).(string)
	return id
}

// identify returns a handler that calls next with a new random request id in the context, and sends
// the id in X-Request-Id. It ignores an id sent by the client.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestID{}, id)))
	})
}

// recover must be deferred. It turns a panic into a logged response with status 500. If the
// response has begun, it logs and panics with http.ErrAbortHandler, which closes the connection. It
// passes on a panic with that value without a log line. Without a panic, it does nothing.
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
	g.refuse(answer, r, http.StatusInternalServerError, "Internal error. Find request "+id+" in the server's log.")
}

// ContentSecurityPolicy allows the pages' own scripts, styles, images and connections only. HTML
// that passes the cleaning of a memory's text cannot run or load anything.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// setHeaders returns a handler that sets the security headers and Cache-Control no-store, and then
// calls next, which may change them.
func setHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", ContentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
		// The value no-referrer would also remove the Origin of our own forms. The check for
		// cross-origin writes needs it on plain HTTP, where browsers omit Sec-Fetch-Site.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// plainPage needs no style sheet, because the style sheet may not be available. It does not use
// html/template: that calls methods by name, so the linker would keep every exported method, which
// costs 15 MB of memory.
const plainPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>%[1]s · Memoir</title><h1>%[1]s</h1><p>%[2]s</p>` + "\n"

func page(w http.ResponseWriter, status int, title, detail string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, plainPage, html.EscapeString(title), html.EscapeString(detail))
}
