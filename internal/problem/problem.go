// Package problem says what an error means to the caller: its status, its sentence, when to try
// again, and how the log has it. Its table is the only one that maps errors to these. A problem is
// the document that the API answers (RFC 9457), and a Failure carries an error from one server to
// another. Transports add what only they know: the location of a field, a title, a hint.
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

// Problem is a problem document. It is an error, so that a handler can return it.
type Problem struct {
	Type      string  `json:"type" doc:"Always about:blank: the status says what kind of problem it is."`
	Title     string  `json:"title" doc:"The status in words."`
	Status    int     `json:"status" doc:"The HTTP status."`
	Detail    string  `json:"detail" doc:"What happened, what was kept, what to do."`
	Errors    []Field `json:"errors" nullable:"false" doc:"The fields and parameters that cannot be taken as they are."`
	RequestID string  `json:"request_id" doc:"Names the request in the server's log."`

	Code  Code       `json:"-"` // empty if no error was the cause
	Field string     `json:"-"` // of Invalid
	Level slog.Level `json:"-"` // for the log; the zero value is information

	headers       http.Header
	sentence, way string
	cause         error
}

// Field is one part of a request that cannot be taken as it is.
type Field struct {
	Location string `json:"location" doc:"Where it stands, such as body.name or query.limit."`
	Message  string `json:"message" doc:"What is wrong with it."`
}

// New returns the problem of a status.
func New(status int, detail string, fields ...Field) *Problem {
	if fields == nil {
		fields = []Field{}
	}
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Errors: fields,
		Level: slog.LevelDebug, headers: http.Header{}, sentence: detail,
	}
}

// Header adds a response header and returns the problem.
func (p *Problem) Header(name, value string) *Problem {
	p.headers.Set(name, value)
	return p
}

// RetryAfter sets the number of seconds after which the client may try again.
func (p *Problem) RetryAfter(seconds int) *Problem {
	return p.Header("Retry-After", strconv.Itoa(seconds))
}

// Request sets the id of the request that failed and returns the problem. An internal error names
// it, because only the log has the cause.
func (p *Problem) Request(id string) *Problem {
	p.RequestID = id
	if p.Code == Internal {
		p.Detail = p.sentence + " The server's log says what, under request " + id + "."
	}
	return p
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus, GetHeaders and ContentType serve the API's framework.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that belong to the problem.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// MediaType is the media type of a problem document.
const MediaType = "application/problem+json"

// ContentType returns the media type of a problem document, for any media type of the answer.
func (p *Problem) ContentType(string) string { return MediaType }

// Write answers a request with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	for name, values := range p.headers {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", MediaType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
