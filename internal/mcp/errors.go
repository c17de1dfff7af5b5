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
)

// refusal is an error that says itself what to do.
type refusal string

func (r refusal) Error() string { return string(r) }

// plainly words an error for the model or the person that made a call: what happened, what was kept, what to do.
func (e *endpoint) plainly(ctx context.Context, err error) error {
	var known refusal
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, memories.ErrNotFound):
		return refusal("There is no such agent or memory any more. Nothing was changed. Look at what there is with list_memories.")
	case errors.Is(err, memories.ErrChanged):
		return refusal("The memory has changed since it was read. Nothing was changed. Read it again with get_memory, and decide anew.")
	case errors.As(err, &conflict):
		return refusal(conflict.Reason)
	case errors.As(err, &invalid):
		return refusal("Nothing was changed: " + invalid.Field + " " + invalid.Reason + ".")
	case errors.Is(err, memories.ErrInterrupted):
		e.options.Log.WarnContext(ctx, "an MCP call was interrupted", "request", gate.RequestID(ctx), "error", err)
		return refusal("The connection was lost and the call interrupted. It may be done already, or be done later. Memories on disk are safe. Look with get_memory before you try again.")
	case errors.Is(err, memories.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		e.options.Log.WarnContext(ctx, "an MCP call found no database", "request", gate.RequestID(ctx), "error", err)
		return refusal("Memoir's database cannot be reached at the moment. Nothing was changed, and memories on disk are safe. Try again shortly.")
	case errors.Is(err, context.Canceled):
		return refusal("The call was given up before it was answered.")
	}
	e.options.Log.ErrorContext(ctx, "an MCP call failed", "request", gate.RequestID(ctx), "error", err)
	return broken(ctx)
}

func broken(ctx context.Context) refusal {
	return refusal("Something went wrong in Memoir. Its log says what, under request " + gate.RequestID(ctx) + ".")
}

// asProtocol is the error of what is no tool, and has no result that could say that it failed.
func (e *endpoint) asProtocol(ctx context.Context, err error) error {
	var known refusal
	var invalid *memories.InvalidError
	code := int64(jsonrpc.CodeInternalError)
	if errors.As(err, &known) || errors.As(err, &invalid) || errors.Is(err, memories.ErrNotFound) {
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
				e.options.Log.ErrorContext(ctx, "an MCP call broke", "request", gate.RequestID(ctx), "method", method, "panic", cause, "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: broken(ctx).Error()}
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
