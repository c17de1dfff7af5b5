package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/fence"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// The effects of tools on memories, as clients see them.
var (
	reads = sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}
	// saves is not destructive: the history has the text that a save replaces.
	saves = sdk.ToolAnnotations{DestructiveHint: new(bool), IdempotentHint: true, OpenWorldHint: new(bool)}
	// appends and moves are not idempotent.
	appends = sdk.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)}
	moves   = appends
	deletes = sdk.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true, OpenWorldHint: new(bool)}
	yes     = true
)

// addTools adds all tools to the server. If agentIsFixed, they have no agent argument.
func (e *endpoint) addTools(server *sdk.Server, agentIsFixed bool) {
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolList, Title: "List memories",
		Description: "Lists an agent's memories, latest change first: name, type, description, age and state, without the text. Use it for an overview. To find memories for a task, use recall; to read one, use get_memory.",
	}, reads, e.listMemories)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolSearch, Title: "Search memories",
		Description: "Finds memories by words in their name, description or text, best first, each with the matching passage. Use it when you know a word of the memory. For a question or a task in whole sentences, use recall.",
	}, reads, e.searchMemories)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolGet, Title: "Read a memory",
		Description: "Reads one memory, by its name or its id: its text, age, file and problems. Memories in the trash can be read too; their state is deleted.",
	}, reads, e.getMemory)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolSave, Title: "Save a memory",
		Description: "Saves a memory under its name, for all later conversations of the agent. It replaces the text of an existing memory of that name, whose history stays. So read that one first with get_memory, and keep the parts that are still true. Search before you save, and update instead of saving a second memory about the same subject. Save knowledge that will matter later, not facts from the code or from this conversation only.",
	}, saves, e.saveMemory)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolDelete, Title: "Delete a memory",
		Description: "Deletes one memory, by its name or its id: all its files, its lines in the index, and its part of CLAUDE.md. It moves to the trash, where a person can restore it. If the same content returns, it is blocked. Use it for a memory that is no longer true. To correct a memory, use save_memory.",
	}, deletes, e.deleteMemory)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolMove, Title: "Move a memory",
		Description: "Moves one memory, by its name or its id: into the team memory of its agent, back to private memory, or to all agents, for a fact that holds in all projects. Team memory enters the conversations of the whole team, and that of all agents those of every project. So never move a fact about one user there, or a credential.",
	}, moves, e.moveMemory)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolRecall, Title: "Recall",
		Description: "Finds the few memories that fit a question or a task best, with their text and age. Use it at the beginning of a task, and whenever earlier knowledge may help. It returns nothing if no memory fits.",
	}, reads, e.recall)
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolAppendLog, Title: "Add to the log",
		Description: "Appends an entry to the agent's log of today. Entries cannot be changed or removed. Use it to record events during long work. Save facts and rules that will matter later with save_memory instead.",
	}, appends, e.appendLog)
}

// readable is the result of a tool. text returns it for the model; its JSON is for programs.
type readable interface{ text() string }

// add adds a tool to the server. A call of it finds the agent and calls do. An error becomes a
// result with IsError and the text of errorText, so that the model reads it. If does is read-only,
// do ends after Options.DatabaseTime. Otherwise do runs to its end even if the client disconnects,
// and the journal records memories.ByScript.
func add[In interface{ slug() string }, Out readable](
	e *endpoint, server *sdk.Server, agentIsFixed bool, tool sdk.Tool, does sdk.ToolAnnotations, do func(context.Context, records.Agent, In) (Out, error),
) {
	does.Title = tool.Title
	tool.Annotations, tool.InputSchema, tool.OutputSchema = &does, inputOf[In](agentIsFixed), outputOf[Out]()
	e.inputs[tool.Name] = inputOf[In](false)
	sdk.AddTool(server, &tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		var out Out
		work := func(ctx context.Context) error {
			agent, err := e.agent(ctx, in.slug())
			if err == nil {
				out, err = do(ctx, agent, in)
			}
			return err
		}
		var err error
		if does.ReadOnlyHint {
			err = e.reading(ctx, work)
		} else {
			err = e.store.RunDetached(engine.As(ctx, memories.ByScript), e.options.DatabaseTime, work)
		}
		if err != nil {
			var nothing Out // a detached change may still write to out
			return nil, nothing, e.errorText(ctx, err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}}, out, nil
	})
}

// reading calls read with a context that ends after Options.DatabaseTime, and returns its error.
func (e *endpoint) reading(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.options.DatabaseTime)
	defer cancel()
	return read(ctx)
}

// inputOf returns the schema of a tool's arguments. A field keeps its own description, or else gets
// the one in descriptions, or else that in memories.FilterFields. If In has a shape method, it
// edits the schema. If agentIsFixed, the schema has no agent.
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

// descriptions replace the API's descriptions of some arguments, and add some.
var descriptions = map[string]string{
	"agent":  agentArgument,
	"type":   "Only memories of this type.",
	"state":  "Only memories in this state. Default: all but deleted ones.",
	"limit":  "Maximum number; default 50, at most 100.",
	"cursor": "The next_cursor of the previous page of the same list.",
}

// outputOf returns the schema of a tool's result. It does not allow null: a list without elements
// is [], and other values without content are absent.
func outputOf[Out any]() *jsonschema.Schema {
	schema := schemaOf[Out]()
	neverNull(schema)
	return schema
}

// neverNull removes null from the types in schema, and in the schemas of its properties and items,
// at every depth.
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

// schemaOf returns the schema of T. It panics if jsonschema cannot derive one.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	return schema
}

// maxComplaint limits the error about wrong arguments, in characters. It quotes them, and they may
// have megabytes. Arbitrary.
const maxComplaint = 500

// correctArguments returns a handler that replaces a tool's arguments by those of normalised and
// calls next. If they still do not match the schema, it rewords the SDK's text in the result.
func (e *endpoint) correctArguments(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, isCall := req.(*sdk.CallToolRequest)
		if !isCall {
			return next(ctx, method, req)
		}
		call.Params.Arguments = normalised(e.inputs[call.Params.Name], call.Params.Arguments)
		result, err := next(ctx, method, req)
		if err != nil { // for example, there is no such tool
			return nil, err
		}
		answer, isAnswer := result.(*sdk.CallToolResult)
		if !isAnswer || !answer.IsError || len(answer.Content) == 0 {
			return result, nil
		}
		if content, ok := answer.Content[0].(*sdk.TextContent); ok {
			if complaint, found := strings.CutPrefix(content.Text, `validating "arguments": `); found {
				content.Text = "Invalid arguments for " + call.Params.Name + ". Nothing was changed. See its input schema. Error: " +
					beginningOf(complaint, maxComplaint)
			}
		}
		return answer, nil
	}
}

// escapeResults returns a handler that calls next and escapes texts in a tool's result with
// fence.Defuse: those of errors, which quote names, and of structured content. Claude Code shows
// its model only that, so a memory must not be able to end the block that encloses it there. The
// text of other results is escaped by its tool.
func (e *endpoint) escapeResults(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		answer, isAnswer := result.(*sdk.CallToolResult)
		if err != nil || !isAnswer {
			return result, err
		}
		for _, content := range answer.Content {
			if content, ok := content.(*sdk.TextContent); ok && answer.IsError {
				content.Text = fence.Defuse(content.Text)
			}
		}
		if answer.StructuredContent == nil {
			return answer, nil
		}
		raw, err := json.Marshal(answer.StructuredContent)
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		answer.StructuredContent = escaped(value)
		return answer, nil
	}
}

// escaped returns a decoded JSON value with each text in it escaped. It changes value.
func escaped(value any) any {
	switch value := value.(type) {
	case string:
		return fence.Defuse(value)
	case []any:
		for i := range value {
			value[i] = escaped(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = escaped(value[name])
		}
	}
	return value
}

// maxPartBytes limits each of the two parts of a result, JSON and text. Claude Code cuts results
// over 25,000 tokens. At three bytes a token, as in Chinese, both parts have 20,000 tokens.
const maxPartBytes = 30_000

// cut returns the beginning of text that takes at most limit bytes as JSON, and in whole whether
// that is all of text. A cut text ends after a line, unless that would leave out half of the
// beginning or more.
func cut(text string, limit int) (kept string, whole bool) {
	taken, line := 0, 0
	for i, r := range text {
		if taken += jsonSize(r); taken > limit {
			if line > i/2 {
				i = line
			}
			return text[:i], false
		}
		if r == '\n' {
			line = i + 1
		}
	}
	return text, true
}

// jsonSize returns the number of bytes that a character takes in a JSON string.
func jsonSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
		return 2
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
		return 6
	case r == utf8.RuneError:
		return 6 // an invalid byte is written as \ufffd
	}
	return utf8.RuneLen(r)
}

// isTooLarge reports whether the JSON or the text of a result exceeds maxPartBytes. It also returns
// true if the result cannot be encoded.
func isTooLarge(r readable) bool {
	raw, err := json.Marshal(r)
	return err != nil || len(raw) > maxPartBytes || len(r.text()) > maxPartBytes
}
