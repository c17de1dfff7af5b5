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
)

// problem logs err, at the level of its kind, and returns the problem of it with the id of the
// request. For an invalid field, the location becomes where and the field; where is "body" or
// "query".
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
	return problem.New(http.StatusBadRequest, "The body is not valid JSON for this call. Nothing was changed.", fields...)
}

func unprocessable(fields ...problem.Field) *problem.Problem {
	messages := make([]string, len(fields))
	for i, f := range fields {
		messages[i] = strings.TrimPrefix(strings.TrimPrefix(f.Location, "body."), "query.") + " " + f.Message
	}
	return problem.New(http.StatusUnprocessableEntity, "Nothing was changed: "+strings.Join(messages, "; ")+".", fields...)
}

// checkText returns a 422 problem for the parameter at location if value has invalid UTF-8 or a NUL
// character, which Postgres would refuse. Otherwise it returns nil.
func checkText(location, value string) []error {
	if memories.CanBeText(value) {
		return nil
	}
	return []error{unprocessable(problem.Field{Location: location, Message: "is not valid UTF-8, or contains a NUL character"})}
}

// init makes huma build the errors of package problem, and compare the names of JSON fields in the
// exact case. huma reads these settings from global variables only.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return refusal(status, message, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		return refusal(status, message, errs).Request(gate.RequestID(ctx.Context()))
	}
	huma.ValidateStrictCasing = true // the OpenAPI document has no field "Name"
}

// refusal returns the problem for a request that huma refused with this status and message. If an
// error of errs wraps a problem, refusal returns that one. Only a status other than 400, 415 and
// 422 keeps message. The problem has no invalid values, which could be megabytes long.
func refusal(status int, message string, errs []error) *problem.Problem {
	var fields []problem.Field
	for _, err := range errs {
		var p *problem.Problem
		if errors.As(err, &p) {
			return p
		}
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			fields = append(fields, fieldOf(detail))
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

// fieldOf returns the location of an error of huma, and a message for the caller. For a missing
// field, it appends the field's name to the location, because huma names only the parent.
func fieldOf(detail *huma.ErrorDetail) problem.Field {
	var missing string
	if n, err := fmt.Sscanf(detail.Message, validation.MsgExpectedRequiredProperty, &missing); n == 1 && err == nil {
		return problem.Field{Location: detail.Location + "." + missing, Message: "is required"}
	}
	return problem.Field{Location: detail.Location, Message: "is invalid: " + detail.Message}
}

// notFound answers 404 with a problem, for a path without a call.
func notFound(w http.ResponseWriter, r *http.Request) {
	problem.New(http.StatusNotFound, "Unknown address. /api/openapi.json lists all calls.").
		Request(gate.RequestID(r.Context())).Write(w)
}

// methodNotAllowed returns a handler that answers 405 with a problem, and lists the methods of the
// path in the header Allow. For a path of logs, the detail explains that entries can only be added.
func methodNotAllowed(router chi.Router) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			routed := method
			if routed == http.MethodHead {
				routed = http.MethodGet
			}
			if router.Match(chi.NewRouteContext(), routed, path) {
				allowed = append(allowed, method)
			}
		}
		detail := "Method " + r.Method + " is not allowed here. Allowed: " + strings.Join(allowed, ", ") + "."
		if reads := chi.NewRouteContext(); router.Match(reads, http.MethodGet, path) && strings.HasPrefix(reads.RoutePattern(), logsPath) {
			detail = "Log entries cannot be changed or removed. Nothing was changed. POST new entries to …/logs."
		}
		problem.New(http.StatusMethodNotAllowed, detail).
			Header("Allow", strings.Join(allowed, ", ")).Request(gate.RequestID(r.Context())).Write(w)
	}
}
