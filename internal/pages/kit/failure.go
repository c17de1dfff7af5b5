package kit

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/gate"
	"memoir/internal/problem"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// BadRequest means that a request is malformed. The detail is a sentence for users.
type BadRequest struct {
	Status int
	Detail string
}

func (e *BadRequest) Error() string { return e.Detail }

// formError converts an error of ParseForm to a *BadRequest: 413 if the form is too large, else
// 400.
func formError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case !errors.As(err, &tooLarge):
		return &BadRequest{http.StatusBadRequest, "The form is malformed."}
	case tooLarge.Limit == maxWriting:
		return &BadRequest{http.StatusRequestEntityTooLarge, "A memory has at most 1 MiB. Shorten the text."}
	default:
		return &BadRequest{http.StatusRequestEntityTooLarge, "The form is too large."}
	}
}

// titles are the titles of pages that show the problem's text instead of the text of its status.
var titles = map[problem.Code]string{
	problem.Conflict:    "Not done",
	problem.NameTaken:   "Not done",
	problem.Interrupted: "Interrupted",
	problem.Stopping:    "Memoir is stopping",
	problem.OutOfFiles:  "Too many open files",
}

// FailureOf returns the view of the error page for err, and the problem with its status and log
// level. It writes nothing. A page with status 503 has a link to try again. For a
// *memories.InvalidError the page has status 400, and the problem has 422.
func FailureOf(r *http.Request, err error) (templates.Failure, *problem.Problem) {
	var bad *BadRequest
	if errors.As(err, &bad) {
		f := templates.FailureOf(bad.Status)
		f.Details = []string{bad.Detail}
		return f, problem.New(bad.Status, bad.Detail)
	}
	p := problem.Of(err)
	f := templates.FailureOf(p.Status)
	if title := titles[p.Code]; title != "" {
		f.Title, f.Text = title, p.Detail
	}
	if p.Code == problem.Invalid {
		f = templates.FailureOf(http.StatusBadRequest)
		f.Details = []string{"“" + p.Field + "” " + p.Errors[0].Message + "."}
	}
	if p.Status == http.StatusServiceUnavailable {
		f.BackHref, f.BackLabel = tryAgain(r), "Try again"
	}
	return f, p
}

// tryAgain returns the address of r. If r is a form, it returns the address of the page of the
// form, by default the first page.
func tryAgain(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.URL.RequestURI()
	}
	return Back(r, address.HomePath)
}

// Fail logs err and answers with its error page. It does neither if the client has disconnected. If
// the problem has a time to try again, the answer has it as Retry-After, and the page of a GET
// reloads itself then.
func (k *Kit) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return
	}
	f, p := FailureOf(r, err)
	id := gate.RequestID(r.Context())
	if p.Code == problem.Internal {
		f.RequestID = id
	}
	if retry := p.GetHeaders().Get("Retry-After"); retry != "" {
		w.Header().Set("Retry-After", retry)
		if r.Method == http.MethodGet {
			w.Header().Set("Refresh", retry) // the browser loads the page again
		}
	}
	k.Log.Log(r.Context(), p.Level, "page failed", "request", id, "error", err)
	k.ShowFailure(w, r, f)
}

func (k *Kit) ShowFailure(w http.ResponseWriter, r *http.Request, f templates.Failure) {
	if err := Show(w, r, f.Status, templates.FailurePage(f)); err != nil {
		k.Log.ErrorContext(r.Context(), "error page failed", "request", gate.RequestID(r.Context()), "error", err)
		http.Error(w, f.Title+". "+f.Text, f.Status)
	}
}

func (k *Kit) NotFound(w http.ResponseWriter, r *http.Request) {
	k.ShowFailure(w, r, templates.FailureOf(http.StatusNotFound))
}

// methodNotAllowed returns a handler that answers 405. The Allow header has those of the methods
// GET, HEAD and POST that router has for the address.
func (k *Kit) MethodNotAllowed(router chi.Router) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowed := []string{}
		if router.Match(chi.NewRouteContext(), http.MethodGet, r.URL.EscapedPath()) {
			allowed = append(allowed, http.MethodGet, http.MethodHead)
		}
		if router.Match(chi.NewRouteContext(), http.MethodPost, r.URL.EscapedPath()) {
			allowed = append(allowed, http.MethodPost)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		k.ShowFailure(w, r, templates.FailureOf(http.StatusMethodNotAllowed))
	}
}

// Malformed returns a *BadRequest with status 400 and the detail.
func Malformed(detail string) error { return &BadRequest{http.StatusBadRequest, detail} }
