// Package route lets a router report which route a request has taken to the handlers around it, for
// metrics. A path has ids and slugs, so it cannot be a label.
package route

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
)

type key struct{}

// Hold returns a context for a request. The pattern is set when a handler inside of Report has
// answered the request.
func Hold(ctx context.Context) (held context.Context, pattern *string) {
	pattern = new(string)
	return context.WithValue(ctx, key{}, pattern), pattern
}

// Report is a middleware of a chi router that reports the route of each request.
func Report(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			pattern, held := r.Context().Value(key{}).(*string)
			if at := chi.RouteContext(r.Context()); held && at != nil {
				*pattern = at.RoutePattern()
			}
		}()
		next.ServeHTTP(w, r)
	})
}
