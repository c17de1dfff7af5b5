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

// maxBody limits the body of a request, in bytes: a memory of 1 MiB with room for JSON escapes.
const maxBody = 2 << 20

// receive reads the whole body and stores the URL's agent in the context before it calls next. It
// rejects other methods than POST, bodies over maxBody or with invalid UTF-8, and batches: one
// batch could start thousands of calls at once.
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
			r = r.WithContext(context.WithValue(r.Context(), agentKey{}, r.URL.Query().Get("agent")))
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		}
	})
}

// agentKey is the context key of the agent in the URL.
type agentKey struct{}

// fixedAgent returns the slug in the URL's ?agent=, or "" if there is none.
func fixedAgent(ctx context.Context) string {
	slug, _ := ctx.Value(agentKey{}).(string)
	return slug
}
