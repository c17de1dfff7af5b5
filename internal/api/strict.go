package api

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// cursorParam is the only parameter that may be empty: scripts send an empty cursor for the first
// page. Another empty parameter would make a list longer, and a script may delete all its entries.
const cursorParam = "cursor"

// strict calls next if huma would use the whole request. Otherwise it writes a problem and does not
// call next. The status is 415 for a body that is not JSON, if the operation has a body. It is 422
// for a malformed query, or one with an unknown, repeated or empty parameter.
func strict(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	r, w := humachi.Unwrap(ctx)
	if refused := checkRequest(op, r); refused != nil {
		refused.Request(gate.RequestID(r.Context())).Write(w)
		return
	}
	next(ctx)
}

// checkRequest returns a 415 problem if op has a body and the body of r is not JSON. Otherwise it
// returns the problem of checkQuery, which is nil for a query with parameters of op only.
func checkRequest(op *huma.Operation, r *http.Request) *problem.Problem {
	takesJSON := op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil
	if takesJSON && r.Body != nil && r.Body != http.NoBody && !isJSON(r.Header.Get("Content-Type")) {
		return unsupportedMediaType()
	}
	var known, lists []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
			if p.Explode != nil && *p.Explode {
				lists = append(lists, p.Name)
			}
		}
	}
	return checkQuery(r.URL.RawQuery, known, lists...)
}

// checkQuery returns a 422 problem if the query is malformed or has unknown, repeated or empty
// parameters. It lists each of them. It returns nil for another query. Only cursorParam may be
// empty, and only those of lists may be repeated.
func checkQuery(raw string, known []string, lists ...string) *problem.Problem {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return unprocessable(problem.Field{Location: "query", Message: "is malformed: escape % as %25, & as %26 and ; as %3B in values"})
	}
	var wrong []problem.Field
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if slices.Contains(lists, name) && !slices.Contains(values, "") {
			values = values[:1]
		}
		if reason := checkParam(name, values, known); reason != "" {
			wrong = append(wrong, problem.Field{Location: "query." + shortened(name), Message: reason})
		}
	}
	if wrong == nil {
		return nil
	}
	return unprocessable(wrong...)
}

// checkParam returns the reason why a query parameter is refused, because it is unknown, repeated
// or empty. It returns "" if the parameter is accepted.
func checkParam(name string, values, known []string) string {
	switch {
	case !slices.Contains(known, name) && len(known) == 0:
		return "is unknown: this call has no query parameters"
	case !slices.Contains(known, name):
		return "is unknown: this call has " + strings.Join(known, ", ")
	case len(values) > 1:
		return fmt.Sprintf("is given %d times: give it once", len(values))
	case values[0] == "" && name != cursorParam:
		return "is empty: give it a value, or leave it out"
	}
	return ""
}

// maxEchoed is the maximum length of a client's parameter name in a problem, in bytes. Arbitrary.
const maxEchoed = 100

// shortened returns name as valid UTF-8. If it is longer than maxEchoed bytes, it is cut to that
// length and ends with an ellipsis.
func shortened(name string) string {
	if len(name) <= maxEchoed {
		return strings.ToValidUTF8(name, "�")
	}
	return strings.ToValidUTF8(name[:maxEchoed], "") + "…"
}

// withoutQuery returns a handler that answers 422 if the request has a query, and calls next
// otherwise.
func withoutQuery(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if refused := checkQuery(r.URL.RawQuery, nil); refused != nil {
			refused.Request(gate.RequestID(r.Context())).Write(w)
			return
		}
		next(w, r)
	}
}

func unsupportedMediaType() *problem.Problem {
	return problem.New(http.StatusUnsupportedMediaType,
		"The body is not sent as JSON. Nothing was changed. Send it with the header Content-Type: application/json, as curl --json does.")
}
