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

// retryAfter is when a client should retry while Postgres is unavailable, in seconds. A restart of
// Postgres takes about that long.
const retryAfter = 2

// badRequest means that a request is malformed. The detail is a sentence for users.
type badRequest struct {
	status int
	detail string
}

func (e *badRequest) Error() string { return e.detail }

// formError converts an error of ParseForm to a *badRequest.
func formError(err error) error {
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

// failureOf maps an error to a status and texts. known is false for an error that is a bug or
// unexpected.
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
	case errors.Is(err, sync.ErrOutOfFiles):
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

// tryAgain returns the address to retry: the same page, or the page with the form.
func tryAgain(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.URL.RequestURI()
	}
	return back(r, templates.AgentsPath)
}

// fail answers with an error page. It writes nothing if the client has disconnected.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return
	}
	f, known := failureOf(r, err)
	id := gate.RequestID(r.Context())
	switch {
	case !known:
		f.RequestID = id
		s.options.Log.ErrorContext(r.Context(), "page failed", "request", id, "error", err)
	case f.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		if r.Method == http.MethodGet {
			w.Header().Set("Refresh", strconv.Itoa(retryAfter)) // the browser reloads the page
		}
		s.options.Log.WarnContext(r.Context(), "page unavailable, client will retry", "request", id, "error", err)
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

// methodNotAllowed answers 405, with the allowed methods in the Allow header, as HTTP requires.
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
