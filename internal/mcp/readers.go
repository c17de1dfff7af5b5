package mcp

import (
	"context"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/gate"
)

// writing is the set of tools and prompts that need a token with write access.
var writing = map[string]bool{toolSave: true, toolDelete: true, toolAppendLog: true, promptSave: true}

// restrictReaders hides the names in writing from read-only callers, and refuses calls of them.
func (e *endpoint) restrictReaders(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if !gate.ReadOnly(ctx) {
			return next(ctx, method, req)
		}
		const detail = "This token may only read. Nothing was changed. What changes something takes the token that Memoir was started with as --token."
		switch req := req.(type) {
		case *sdk.CallToolRequest:
			if writing[req.Params.Name] {
				return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: detail}}}, nil
			}
		case *sdk.GetPromptRequest:
			if writing[req.Params.Name] {
				return nil, e.asProtocol(ctx, refusal(detail))
			}
		}
		result, err := next(ctx, method, req)
		switch result := result.(type) {
		case *sdk.ListToolsResult:
			result.Tools = slices.DeleteFunc(result.Tools, func(t *sdk.Tool) bool { return writing[t.Name] })
		case *sdk.ListPromptsResult:
			result.Prompts = slices.DeleteFunc(result.Prompts, func(p *sdk.Prompt) bool { return writing[p.Name] })
		}
		return result, err
	}
}
