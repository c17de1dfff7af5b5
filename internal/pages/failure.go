package pages

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// retryAfter is when to ask again while Postgres is away, in seconds: about what a restart of it takes.
const retryAfter = 2

// badRequest says that a request could not be read. The detail is a sentence for people.
type badRequest struct {
	status int
	detail string
}

func (e *badRequest) Error() string { return e.detail }

// unreadable is the failure of a form that could not be read.
func unreadable(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case !errors.As(err, &tooLarge):
		return &badRequest{http.StatusBadRequest, "The form could not be read."}
	case tooLarge.Limit == maxWriting:
		return &badRequest{http.StatusRequestEntityTooLarge, "A memory is a note of at most 1 MiB. Go back, where what you wrote still stands, and move the detail into a file of its own."}
	default:
		return &badRequest{http.StatusRequestEntityTooLarge, "A form of this size is none of Memoir's."}
	}
}

// failureOf is the table between errors, statuses and words. known is false for what is nobody's fault but Memoir's.
func failureOf(r *http.Request, err error) (f templates.Failure, known bool) {
	var bad *badRequest
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &bad):
		f = templates.FailureOf(bad.status)
		f.Details = []string{bad.detail}
	case errors.Is(err, memories.ErrNotFound):
		f = templates.FailureOf(http.StatusNotFound)
	case errors.Is(err, memories.ErrChanged):
		f = templates.FailureOf(http.StatusPreconditionFailed)
	case errors.As(err, &conflict):
		f = templates.FailureOf(http.StatusConflict)
		f.Title, f.Text = "That could not be done", conflict.Reason
	case errors.As(err, &invalid):
		f = templates.FailureOf(http.StatusBadRequest)
		f.Details = []string{"“" + invalid.Field + "” " + invalid.Reason + "."}
	case errors.Is(err, memories.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		f = templates.FailureOf(http.StatusServiceUnavailable)
		if errors.Is(err, memories.ErrInterrupted) {
			f.Title = "Interrupted"
			f.Text = "The connection was lost. The change may be made already, or be made later. Memories on disk are safe. Look before you try again."
		}
		f.BackHref, f.BackLabel = tryAgain(r), "Try again"
	case errors.Is(err, sync.ErrStopping):
		f = templates.FailureOf(http.StatusServiceUnavailable)
		f.Text = "Memoir is being stopped. What was taken in so far is kept."
		f.BackHref, f.BackLabel = tryAgain(r), "Try again"
	case errors.Is(err, sync.ErrExhausted):
		f = templates.FailureOf(http.StatusServiceUnavailable)
		f.Title = "Memoir can open no more files at the moment"
		f.Text = "It has not seen everything, and has concluded nothing from what it did not see. It looks again by itself. If this lasts, raise the number of files that its server may open (ulimit -n)."
		f.BackHref, f.BackLabel = tryAgain(r), "Try again"
	default:
		f = templates.FailureOf(http.StatusInternalServerError)
		return f, false
	}
	return f, true
}

// tryAgain is where to go to do again what Postgres could not be asked for: the same page, or the one with the form.
func tryAgain(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.URL.RequestURI()
	}
	return back(r, templates.AgentsPath)
}

// fail answers with the page that says why a request was not done.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody waits for the answer
	}
	f, known := failureOf(r, err)
	id := gate.RequestID(r.Context())
	switch {
	case !known:
		f.RequestID = id
		s.options.Log.ErrorContext(r.Context(), "a page failed", "request", id, "error", err)
	case f.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		if r.Method == http.MethodGet {
			w.Header().Set("Refresh", strconv.Itoa(retryAfter)) // the page comes back by itself
		}
		s.options.Log.WarnContext(r.Context(), "a page has to be asked for again", "request", id, "error", err)
	}
	s.showFailure(w, r, f)
}

func (s *site) showFailure(w http.ResponseWriter, r *http.Request, f templates.Failure) {
	if err := show(w, r, f.Status, templates.FailurePage(f)); err != nil {
		s.options.Log.ErrorContext(r.Context(), "an error page failed", "request", gate.RequestID(r.Context()), "error", err)
		http.Error(w, f.Title+". "+f.Text, f.Status)
	}
}

func (s *site) notFound(w http.ResponseWriter, r *http.Request) {
	s.showFailure(w, r, templates.FailureOf(http.StatusNotFound))
}

// methodNotAllowed names the methods that the address does take, as HTTP demands.
func (s *site) methodNotAllowed(router chi.Router) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowed := []string{}
		if router.Match(chi.NewRouteContext(), http.MethodGet, r.URL.EscapedPath()) {
			allowed = append(allowed, http.MethodGet, http.MethodHead)
		}
		if router.Match(chi.NewRouteContext(), http.MethodPost, r.URL.EscapedPath()) {
			allowed = append(allowed, http.MethodPost)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.showFailure(w, r, templates.FailureOf(http.StatusMethodNotAllowed))
	}
}
