package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-chi/chi/v5"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/sync"
)

// retryAfter is when to ask again while Postgres is away, in seconds: about what a restart of it takes.
const retryAfter = 2

// problem is the table between the domain's errors and the statuses. where is the part of the request that an invalid
// field is in.
func (a *api) problem(ctx context.Context, where string, err error) *problem.Problem {
	var known *problem.Problem
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	var p *problem.Problem
	switch {
	case errors.As(err, &known):
		p = known
	case errors.Is(err, memories.ErrNotFound):
		p = noSuchThing()
	case errors.Is(err, memories.ErrChanged):
		p = problem.New(http.StatusPreconditionFailed, "The memory has changed since you read it. Nothing was changed. Read it again and decide anew.")
	case errors.As(err, &conflict):
		p = problem.New(http.StatusConflict, conflict.Reason)
	case errors.As(err, &invalid):
		p = unprocessable(problem.Field{Location: where + "." + invalid.Field, Message: invalid.Reason})
	case errors.Is(err, memories.ErrInterrupted):
		a.options.Log.WarnContext(ctx, "a call was interrupted", "request", gate.RequestID(ctx), "error", err)
		p = problem.New(http.StatusServiceUnavailable, "The connection was lost and the call interrupted. It may be done already, or be done later. Memories on disk are safe. Look first, then try again.").RetryAfter(retryAfter)
	case errors.Is(err, memories.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		a.options.Log.WarnContext(ctx, "a call found no database", "request", gate.RequestID(ctx), "error", err)
		p = problem.New(http.StatusServiceUnavailable, "The database cannot be reached at the moment. Memories on disk are safe. Try again shortly.").RetryAfter(retryAfter)
	case errors.Is(err, sync.ErrStopping):
		p = problem.New(http.StatusServiceUnavailable, "Memoir is being stopped. What was taken in so far is kept. Try again when it is back.").RetryAfter(retryAfter)
	case errors.Is(err, sync.ErrOutOfFiles):
		a.options.Log.WarnContext(ctx, "a call found nothing left to open files with", "request", gate.RequestID(ctx), "error", err)
		p = problem.New(http.StatusServiceUnavailable, "Memoir can open no more files at the moment, so it has not seen everything, and has concluded nothing from what it did not see. It looks again by itself. If this lasts, raise the number of files that its server may open (ulimit -n).").RetryAfter(retryAfter)
	case errors.Is(err, context.Canceled):
		p = problem.New(http.StatusServiceUnavailable, "The request was given up before it was answered.")
	default:
		id := gate.RequestID(ctx)
		a.options.Log.ErrorContext(ctx, "a call failed", "request", id, "error", err)
		p = problem.New(http.StatusInternalServerError, "Something went wrong here. The server's log says what, under request "+id+".")
	}
	return p.Request(gate.RequestID(ctx))
}

func noSuchThing() *problem.Problem {
	return problem.New(http.StatusNotFound, "There is no such agent, memory or content here.")
}

func badBody(fields ...problem.Field) *problem.Problem {
	return problem.New(http.StatusBadRequest, "The body is not the JSON that this call needs. Nothing was changed.", fields...)
}

func unprocessable(fields ...problem.Field) *problem.Problem {
	said := make([]string, len(fields))
	for i, f := range fields {
		said[i] = strings.TrimPrefix(strings.TrimPrefix(f.Location, "body."), "query.") + " " + f.Message
	}
	return problem.New(http.StatusUnprocessableEntity, "Nothing was changed: "+strings.Join(said, "; ")+".", fields...)
}

// What the framework refuses by itself is said in the same form. It has no other place to set this than its globals.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return refusal(status, message, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		return refusal(status, message, errs).Request(gate.RequestID(ctx.Context()))
	}
	huma.ValidateStrictCasing = true // "Name" is an unknown field, as the document says
}

// refusal is the problem of a request that the framework did not hand on. The offending values are not repeated: they may be
// megabytes.
func refusal(status int, message string, errs []error) *problem.Problem {
	var fields []problem.Field
	for _, err := range errs {
		var known *problem.Problem
		if errors.As(err, &known) {
			return known
		}
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			fields = append(fields, named(detail))
		}
	}
	switch status {
	case http.StatusUnprocessableEntity:
		return unprocessable(fields...)
	case http.StatusBadRequest:
		return badBody(fields...)
	case http.StatusUnsupportedMediaType:
		return unsupportedMediaType()
	default:
		return problem.New(status, message, fields...)
	}
}

// named returns the field that the framework complains of. A missing one it names in its message, not in the location.
func named(detail *huma.ErrorDetail) problem.Field {
	var missing string
	if n, err := fmt.Sscanf(detail.Message, validation.MsgExpectedRequiredProperty, &missing); n == 1 && err == nil {
		return problem.Field{Location: detail.Location + "." + missing, Message: "is required"}
	}
	return problem.Field{Location: detail.Location, Message: "is not as it should be: " + detail.Message}
}

func notFound(w http.ResponseWriter, r *http.Request) {
	problem.New(http.StatusNotFound, "There is nothing at this address. The calls are listed in /api/openapi.json.").
		Request(gate.RequestID(r.Context())).Write(w)
}

// methodNotAllowed names the methods that the path does take, as HTTP demands.
func methodNotAllowed(router chi.Router) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			asked := method
			if asked == http.MethodHead {
				asked = http.MethodGet
			}
			if router.Match(chi.NewRouteContext(), asked, path) {
				allowed = append(allowed, method)
			}
		}
		detail := "This address does not take " + r.Method + ". It takes " + strings.Join(allowed, ", ") + "."
		if reads := chi.NewRouteContext(); router.Match(reads, http.MethodGet, path) && strings.HasPrefix(reads.RoutePattern(), logsPath) {
			detail = "Logs are only ever added to: what is there is neither changed nor removed, and nothing was. POST an entry to …/logs instead."
		}
		problem.New(http.StatusMethodNotAllowed, detail).
			Header("Allow", strings.Join(allowed, ", ")).Request(gate.RequestID(r.Context())).Write(w)
	}
}
