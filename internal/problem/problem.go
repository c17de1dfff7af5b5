// Package problem is how Memoir says over HTTP that something went wrong: one problem document (RFC 9457) for every
// call of the API, whoever refuses it. It decides no status: the API maps the domain's errors, and the gate its own
// refusals.
package problem

import (
	"encoding/json"
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

	headers http.Header
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
		headers: http.Header{},
	}
}

// Header adds a response header and returns the problem.
func (p *Problem) Header(name, value string) *Problem {
	p.headers.Set(name, value)
	return p
}

// RetryAfter tells the client to come back after that many seconds.
func (p *Problem) RetryAfter(seconds int) *Problem {
	return p.Header("Retry-After", strconv.Itoa(seconds))
}

// Request notes the id of the request that failed and returns the problem.
func (p *Problem) Request(id string) *Problem {
	p.RequestID = id
	return p
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus, GetHeaders and ContentType are what the API's framework asks of an error.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that belong to the problem.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// MediaType is that of a problem document.
const MediaType = "application/problem+json"

// ContentType returns the media type of a problem document, whatever the answer's would have been.
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
