package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/access"
	"memoir/internal/gate"
	"memoir/internal/problem"
)

// maxBody limits the body of a request, in bytes: a memory of 1 MiB with room for JSON escapes.
const maxBody = 2 << 20

// receive returns a handler that reads the whole body, stores the URL's agent and directory in the
// context, and calls next. It answers 405 to methods other than POST, 413 for a body over maxBody, and 400 for
// an incomplete body, invalid UTF-8 or a batch. One batch could start thousands of calls at once.
func receive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(p *problem.Problem) { p.Request(gate.RequestID(r.Context())).Write(w) }
		if r.Method != http.MethodPost {
			refuse(problem.New(http.StatusMethodNotAllowed, "Memoir's MCP server accepts only POST. Add this address to an agent as an MCP server over HTTP.").Header("Allow", http.MethodPost))
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			refuse(problem.New(http.StatusRequestEntityTooLarge, "The body is larger than 2 MiB. Nothing was changed. Send a shorter text."))
		case err != nil:
			refuse(problem.New(http.StatusBadRequest, "The body is incomplete. Nothing was changed. Send it again."))
		case !utf8.Valid(body):
			refuse(problem.New(http.StatusBadRequest, "The body is not valid UTF-8. Nothing was changed. Send JSON in UTF-8."))
		case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")):
			refuse(problem.New(http.StatusBadRequest, "Batches are not supported. Nothing was changed. Send the calls one by one."))
		default:
			query := r.URL.Query()
			r = r.WithContext(context.WithValue(r.Context(), targetKey{}, target{query.Get("agent"), query.Get("dir")}))
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		}
	})
}

// target is the part of the URL that selects the agent. Both fields may be empty.
type target struct {
	agent string // slug
	dir   string // working directory of the client
}

// targetKey is the context key of the target.
type targetKey struct{}

// fixedAgent returns the slug that receive found in the URL's ?agent=, or "" without one.
func fixedAgent(ctx context.Context) string {
	from, _ := ctx.Value(targetKey{}).(target)
	return from.agent
}

// clientDir returns the directory that receive found in the URL's ?dir=, or "" without one.
func clientDir(ctx context.Context) string {
	from, _ := ctx.Value(targetKey{}).(target)
	return from.dir
}

// needs are the scopes that tools and prompts need, if that is more than access.Read.
var needs = map[string]access.Scope{toolSave: access.Agent, toolDelete: access.Write, toolMove: access.Write, toolAppendLog: access.Agent, promptSave: access.Agent}

// restrictScope returns a handler that calls next. It refuses calls of the tools and prompts that
// need a larger scope than the caller's, and removes them from lists. A refused tool call is a
// result with IsError; a refused prompt is a JSON-RPC error.
func (e *endpoint) restrictScope(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		grant := access.Of(ctx)
		isRefused := func(name string) bool { return needs[name] != "" && !grant.Scope.Allows(needs[name]) }
		switch req := req.(type) {
		case *sdk.CallToolRequest:
			if isRefused(req.Params.Name) {
				return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: grant.Refusal(needs[req.Params.Name])}}}, nil
			}
		case *sdk.GetPromptRequest:
			if isRefused(req.Params.Name) {
				return nil, e.asProtocol(ctx, refusal(grant.Refusal(needs[req.Params.Name])))
			}
		}
		result, err := next(ctx, method, req)
		switch result := result.(type) {
		case *sdk.ListToolsResult:
			result.Tools = slices.DeleteFunc(result.Tools, func(t *sdk.Tool) bool { return isRefused(t.Name) })
		case *sdk.ListPromptsResult:
			result.Prompts = slices.DeleteFunc(result.Prompts, func(p *sdk.Prompt) bool { return isRefused(p.Name) })
		}
		return result, err
	}
}
