package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// maxBody is the largest body of a request, in bytes: a memory of 1 MiB, and room for its JSON escapes.
const maxBody = 2 << 20

// receive reads the whole body before the protocol sees it, and turns away what it would not bound: a batch, which later versions
// of the protocol have no more, would have thousands of calls made at once.
func receive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(p *problem.Problem) { p.Request(gate.RequestID(r.Context())).Write(w) }
		if r.Method != http.MethodPost {
			refuse(problem.New(http.StatusMethodNotAllowed, "This is the address of Memoir's MCP server, which takes POST alone. Add it to an agent as an MCP server over HTTP.").Header("Allow", http.MethodPost))
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			refuse(problem.New(http.StatusRequestEntityTooLarge, "The body is larger than 2 MiB. Nothing was changed. A memory is a note: send a shorter one."))
		case err != nil:
			refuse(problem.New(http.StatusBadRequest, "The body did not arrive whole. Nothing was changed. Send it again."))
		case !utf8.Valid(body):
			refuse(problem.New(http.StatusBadRequest, "The body is not valid UTF-8. Nothing was changed. Send JSON in UTF-8."))
		case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")):
			refuse(problem.New(http.StatusBadRequest, "Several calls in one request are not taken. Nothing was changed. Send them one by one."))
		default:
			r = r.WithContext(context.WithValue(r.Context(), agentOfAddress{}, r.URL.Query().Get("agent")))
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		}
	})
}

type agentOfAddress struct{}

// fixedAgent returns the slug of the agent that the address fixes; empty: it fixes none.
func fixedAgent(ctx context.Context) string {
	slug, _ := ctx.Value(agentOfAddress{}).(string)
	return slug
}
