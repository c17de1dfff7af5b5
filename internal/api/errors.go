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
	"memoir/internal/problem"
)

// problem returns the problem of an error, and logs it. where is the part of the request that an invalid field is in.
func (a *api) problem(ctx context.Context, where string, err error) *problem.Problem {
	p := problem.Of(err)
	if p.Code == problem.Invalid {
		p.Errors[0].Location = where + "." + p.Field
	}
	id := gate.RequestID(ctx)
	a.options.Log.Log(ctx, p.Level, "call failed", "request", id, "error", err)
	return p.Request(id)
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
