package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/problem"
)

// refusal is an error text for the model or the person. It includes the way out.
type refusal string

func (r refusal) Error() string { return string(r) }

// notFound returns an error that wraps a refusal with text and memories.ErrNotFound.
func notFound(text string) error { return errors.Join(refusal(text), memories.ErrNotFound) }

// hints replace the way out of a problem by the tool to call.
var hints = map[problem.Code]string{
	problem.NotFound:    "Nothing was changed. See list_memories.",
	problem.Changed:     "Read it again with get_memory, then retry.",
	problem.Interrupted: "Check with get_memory before you retry.",
}

// errorText returns the refusal that the model or the person reads. If err wraps a refusal, it
// returns that one. Otherwise it logs err and returns the text of its problem. If hints has the
// problem's code, the hint replaces the way out.
func (e *endpoint) errorText(ctx context.Context, err error) error {
	var refused refusal
	if errors.As(err, &refused) {
		return refused
	}
	id := gate.RequestID(ctx)
	p := problem.Of(err).Request(id)
	e.options.Log.Log(ctx, p.Level, "MCP call failed", "request", id, "error", err)
	if hint := hints[p.Code]; hint != "" {
		return refusal(p.Advise(hint))
	}
	return refusal(p.Detail)
}

// errPanic is the error of a request that panicked. Its problem is an internal error.
var errPanic = errors.New("panic")

// asProtocol returns err as a JSON-RPC error, for requests whose results cannot report a failure.
// The code is CodeInvalidParams for a refusal, an invalid field or memories.ErrNotFound, else
// CodeInternalError. The message is the text of errorText. It logs err unless it is a refusal.
func (e *endpoint) asProtocol(ctx context.Context, err error) error {
	var refused refusal
	code := int64(jsonrpc.CodeInternalError)
	if errors.As(err, &refused) {
		code = jsonrpc.CodeInvalidParams
	} else if kind := problem.Of(err).Code; kind == problem.Invalid || kind == problem.NotFound {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: e.errorText(ctx, err).Error()}
}

// noSuchResource returns the JSON-RPC error CodeInvalidParams for a URI without a resource. why is
// its message, and its data has the URI.
func noSuchResource(uri, why string) error {
	data, err := json.Marshal(map[string]string{"uri": shortened(uri)})
	if err != nil {
		data = nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why, Data: data}
}

// recoverPanic returns a handler that calls next. If next panics, the handler logs the panic and
// returns the JSON-RPC error CodeInternalError. The SDK runs requests in goroutines of its own,
// where a panic would end the server.
func (e *endpoint) recoverPanic(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				id := gate.RequestID(ctx)
				e.options.Log.ErrorContext(ctx, "MCP call panicked", "request", id, "method", method, "panic", cause, "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: problem.Of(errPanic).Request(id).Detail}
			}
		}()
		return next(ctx, method, req)
	}
}

// shortened returns at most the first 100 characters of a caller's text, and an ellipsis if it is
// longer.
func shortened(text string) string { return beginningOf(text, 100) }

// beginningOf returns at most the first limit characters of text, and an ellipsis if it is longer.
func beginningOf(text string, limit int) string {
	chars := []rune(text)
	if len(chars) <= limit {
		return text
	}
	return string(chars[:limit]) + "…"
}
