// Package problem maps errors to problem documents (RFC 9457): the status, the text, the retry time
// and the log level. Its table is the only such mapping. A Failure sends an error to another
// server. Transports add the location of a field, a title or a hint.
//
//	p := problem.Of(err).Request(id)
//	log.Log(ctx, p.Level, "call failed", "request", id, "error", err)
//	p.Write(w)
package problem

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
)

// Problem is a problem document, and an error that handlers can return.
type Problem struct {
	Type      string  `json:"type" doc:"Always about:blank: the status says what kind of problem it is."`
	Title     string  `json:"title" doc:"The status in words."`
	Status    int     `json:"status" doc:"The HTTP status."`
	Detail    string  `json:"detail" doc:"Cause, state and way out."`
	Errors    []Field `json:"errors" nullable:"false" doc:"Invalid fields and parameters."`
	RequestID string  `json:"request_id" doc:"Id of the request in the server's log."`

	Code  Code       `json:"-"` // the kind of the error; empty if New made the problem
	Field string     `json:"-"` // the invalid field if Code is Invalid
	Level slog.Level `json:"-"` // for the log

	headers       http.Header
	sentence, way string // the cause and state, and the way out
	cause         error
}

// Field is one invalid part of a request.
type Field struct {
	Location string `json:"location" doc:"Place of the field, such as body.name or query.limit."`
	Message  string `json:"message" doc:"Why it is invalid."`
}

// New returns a problem with this status and detail. Its title is the text of the status, its log
// level slog.LevelDebug, and its Code empty. For the problem of an error, use Of.
func New(status int, detail string, fields ...Field) *Problem {
	if fields == nil {
		fields = []Field{}
	}
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Errors: fields,
		Level: slog.LevelDebug, headers: http.Header{}, sentence: detail,
	}
}

// Header sets a header of the response, in place of earlier values, and returns p.
func (p *Problem) Header(name, value string) *Problem {
	p.headers.Set(name, value)
	return p
}

// RetryAfter sets the Retry-After header of the response to seconds and returns p.
func (p *Problem) RetryAfter(seconds int) *Problem {
	return p.Header("Retry-After", strconv.Itoa(seconds))
}

// Request sets the id of the failed request in p and returns p. If Code is Internal, it also adds
// the id to the detail, because only the log has the cause.
func (p *Problem) Request(id string) *Problem {
	p.RequestID = id
	if p.Code == Internal {
		p.Detail = p.sentence + " Find request " + id + " in the server's log."
	}
	return p
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status. Huma, the API's framework, calls it.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the response headers. Huma calls it.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// MediaType is the media type of a problem document.
const MediaType = "application/problem+json"

// ContentType returns MediaType for any media type. Huma calls it.
func (p *Problem) ContentType(string) string { return MediaType }

// Write sends the problem as JSON with its headers and status. It ignores an error of w, because
// the client may have disconnected.
func (p *Problem) Write(w http.ResponseWriter) {
	for name, values := range p.headers {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", MediaType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may have disconnected
}
