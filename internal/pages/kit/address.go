package kit

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// OfAgent returns a handler that calls handle with the agent that the address names. If that agent
// does not exist, the handler returns memories.ErrNotFound and does not call handle.
func (k *Kit) OfAgent(handle func(http.ResponseWriter, *http.Request, records.Agent) error) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		agent, err := k.Agent(r)
		if err != nil {
			return err
		}
		return handle(w, r, agent)
	}
}

// Agent returns the agent that the address of r names, with its counts. It returns
// memories.ErrNotFound if the agent does not exist.
func (k *Kit) Agent(r *http.Request) (records.Agent, error) {
	slug := Slug(r)
	if !IsText(slug) {
		return records.Agent{}, memories.ErrNotFound
	}
	return k.Store.Agent(r.Context(), slug)
}

// Slug returns the slug in the address of r, or "".
func Slug(r *http.Request) string { return Param(r, "slug") }

// Param returns the parameter of the route named place, unescaped. It is "" if it is absent or its
// escapes are malformed. The router unescapes a parameter itself unless the address has a raw path.
func Param(r *http.Request, place string) string {
	name := chi.URLParam(r, place)
	if r.URL.RawPath == "" {
		return name
	}
	name, err := url.PathUnescape(name)
	if err != nil {
		return ""
	}
	return name
}

// IsText reports whether s is not empty and Postgres can store it.
func IsText(s string) bool { return s != "" && memories.CanBeText(s) }

// Moved returns a handler that redirects permanently from an earlier address to one with the same
// parameters. The pattern to is a pattern of chi, whose parameters the earlier address has too. It can
// have a query, before that of the request.
func Moved(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		target := pathParameter.ReplaceAllStringFunc(to, func(name string) string {
			return url.PathEscape(Param(r, strings.Trim(name, "{}")))
		})
		if r.URL.RawQuery != "" {
			separator := "?"
			if strings.Contains(target, "?") {
				separator = "&"
			}
			target += separator + r.URL.RawQuery
		}
		http.Redirect(w, r, target, http.StatusMovedPermanently)
	}
}

// pathParameter matches a parameter of a pattern of chi.
var pathParameter = regexp.MustCompile(`\{\w+\}`)

// WantsPane reports whether an open page asks for the pane only.
func WantsPane(r *http.Request) bool {
	return r.Header.Get("HX-Request-Type") == "partial" && strings.HasSuffix(r.Header.Get("HX-Target"), "#pane")
}
