package mcp

import (
	"cmp"
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memories"
	"memoir/internal/sync"
)

// What a tool does to memories.
var (
	reads = sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}
	// saves is not destructive: what a memory said before stays in its history.
	saves = sdk.ToolAnnotations{DestructiveHint: new(bool), IdempotentHint: true, OpenWorldHint: new(bool)}
	// appends does something more each time.
	appends = sdk.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)}
	deletes = sdk.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true, OpenWorldHint: new(bool)}
	yes     = true
)

// readable is the result of a tool: what programs read, and the same as text.
type readable interface{ text() string }

// add gives the server a tool. Where the address fixes the agent, the tool does not take one. What it fails with is a result too,
// so that the model reads it.
func add[In any, Out readable](e *endpoint, server *sdk.Server, agentIsFixed bool, tool sdk.Tool, does sdk.ToolAnnotations, do func(context.Context, In) (Out, error)) {
	does.Title = tool.Title
	tool.Annotations, tool.InputSchema, tool.OutputSchema = &does, inputOf[In](agentIsFixed), outputOf[Out]()
	e.inputs[tool.Name] = inputOf[In](false)
	sdk.AddTool(server, &tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		var out Out
		work := func(ctx context.Context) (err error) {
			out, err = do(ctx, in)
			return err
		}
		var err error
		if does.ReadOnlyHint {
			err = e.reading(ctx, work)
		} else {
			err = e.store.RunDetached(sync.As(ctx, memories.ByScript), e.options.DatabaseTime, work)
		}
		if err != nil {
			var nothing Out // a change that goes on by itself may still be at the other
			return nil, nothing, e.plainly(ctx, err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}}, out, nil
	})
}

// reading does what only reads, for as long as Postgres may take.
func (e *endpoint) reading(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.options.DatabaseTime)
	defer cancel()
	return read(ctx)
}

// inputOf is the schema of a tool's arguments. A name means the same in every tool.
func inputOf[In any](agentIsFixed bool) *jsonschema.Schema {
	schema := schemaOf[In]()
	if agentIsFixed {
		delete(schema.Properties, "agent")
	}
	for _, field := range memories.FilterFields() {
		p := schema.Properties[field.JSON]
		if p == nil {
			continue
		}
		for _, value := range field.Enum {
			p.Enum = append(p.Enum, value)
		}
		p.Description = cmp.Or(p.Description, descriptions[field.JSON], field.Doc)
	}
	for name, p := range schema.Properties {
		p.Description = cmp.Or(p.Description, descriptions[name])
	}
	if p := schema.Properties["limit"]; p != nil {
		least := 1.0
		p.Minimum = &least
	}
	if in, ok := any(*new(In)).(interface{ shape(*jsonschema.Schema) }); ok {
		in.shape(schema)
	}
	return schema
}

// descriptions are those of the properties of lists that tools describe otherwise than the API.
var descriptions = map[string]string{
	"type":   "Only memories of this type.",
	"state":  "Only memories in this state. Left out: all but the deleted ones.",
	"limit":  "How many at most: 50 unless said otherwise, 100 at most.",
	"cursor": "The next_cursor of the page before, to go on with the same list.",
}

// outputOf returns the schema of a tool's result. Nothing in a result is null: a list may be empty,
// and any other value is left out.
func outputOf[Out any]() *jsonschema.Schema {
	schema := schemaOf[Out]()
	neverNull(schema)
	return schema
}

func neverNull(schema *jsonschema.Schema) {
	for _, name := range schema.Types {
		if name != "null" {
			schema.Type = name
		}
	}
	schema.Types = nil
	for _, property := range schema.Properties {
		neverNull(property)
	}
	if schema.Items != nil {
		neverNull(schema.Items)
	}
}

func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a type that has none
	}
	return schema
}

// mostComplaint is how much is said about arguments that a tool does not take, in characters: they may be megabytes.
const mostComplaint = 500

// forgiving reads the arguments of a tool as models mean them, and says in plain words when they do
// not match the tool's schema even so.
func (e *endpoint) forgiving(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, isCall := req.(*sdk.CallToolRequest)
		if !isCall {
			return next(ctx, method, req)
		}
		call.Params.Arguments = normalised(e.inputs[call.Params.Name], call.Params.Arguments)
		result, err := next(ctx, method, req)
		if err != nil { // there is no such tool, and no answer either
			return nil, err
		}
		answer, isAnswer := result.(*sdk.CallToolResult)
		if !isAnswer || !answer.IsError || len(answer.Content) == 0 {
			return result, nil
		}
		if said, ok := answer.Content[0].(*sdk.TextContent); ok {
			if complaint, found := strings.CutPrefix(said.Text, `validating "arguments": `); found {
				said.Text = "These are not the arguments that " + call.Params.Name + " takes. Nothing was changed. Its input schema says which it takes. What is wrong: " +
					beginningOf(complaint, mostComplaint)
			}
		}
		return answer, nil
	}
}
