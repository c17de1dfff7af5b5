package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// refusal is an error that says itself what to do.
type refusal string

func (r refusal) Error() string { return string(r) }

// hints say which tool to call, in place of the way out that a problem has.
var hints = map[problem.Code]string{
	problem.NotFound:    "Nothing was changed. Look at what there is with list_memories.",
	problem.Changed:     "Read it again with get_memory, and decide anew.",
	problem.Interrupted: "Look with get_memory before you try again.",
}

// plainly words an error for the model or the person that made a call: what happened, what was kept, what to do.
func (e *endpoint) plainly(ctx context.Context, err error) error {
	var known refusal
	if errors.As(err, &known) {
		return known
	}
	id := gate.RequestID(ctx)
	p := problem.Of(err).Request(id)
	e.options.Log.Log(ctx, p.Level, "MCP call failed", "request", id, "error", err)
	if hint := hints[p.Code]; hint != "" {
		return refusal(p.Advise(hint))
	}
	return refusal(p.Detail)
}

// errPanic is the cause of a problem that names no other.
var errPanic = errors.New("panic")

// asProtocol is the error of what is no tool, and has no result that could say that it failed.
func (e *endpoint) asProtocol(ctx context.Context, err error) error {
	var known refusal
	code := int64(jsonrpc.CodeInternalError)
	if errors.As(err, &known) {
		code = jsonrpc.CodeInvalidParams
	} else if kind := problem.Of(err).Code; kind == problem.Invalid || kind == problem.NotFound {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: e.plainly(ctx, err).Error()}
}

// noSuchResource says that there is nothing at a URI, and why.
func noSuchResource(uri, why string) error {
	data, err := json.Marshal(map[string]string{"uri": shortened(uri)})
	if err != nil {
		data = nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why, Data: data}
}

// unbroken keeps a panic to its request: the protocol's own goroutines would take the server down with it.
func (e *endpoint) unbroken(next sdk.MethodHandler) sdk.MethodHandler {
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

// shortened is the beginning of what a caller sent, as it may be said back.
func shortened(sent string) string { return beginningOf(sent, 100) }

// beginningOf cuts a text, in characters.
func beginningOf(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
