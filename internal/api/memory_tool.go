package api

import (
	"context"
	"reflect"

	"memoir/internal/access"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/files"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memorytool"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// MemoryToolInput documents the input of a tool_use block of the memory tool of the Messages API.
// It is used for the OpenAPI document only. Package memorytool parses the input, so that the model
// gets its errors as a tool result.
type MemoryToolInput struct {
	_          struct{} `additionalProperties:"true"`
	Command    string   `json:"command" enum:"view,create,str_replace,insert,delete,rename"`
	Path       *string  `json:"path" required:"false" doc:"/memories, or a path below it. Required for every command but rename."`
	ViewRange  []int    `json:"view_range" required:"false" minItems:"2" maxItems:"2" doc:"view: the first and the last line to show; -1 is the end of the file. Not for directories. Numbers may be strings."`
	FileText   *string  `json:"file_text" required:"false" doc:"create: the text of the file, at most 1 MiB."`
	OldStr     *string  `json:"old_str" required:"false" doc:"str_replace: a text that occurs once in the file."`
	NewStr     *string  `json:"new_str" required:"false" doc:"str_replace: its replacement; default: nothing."`
	InsertLine *int     `json:"insert_line" required:"false" doc:"insert: the line after which the text is inserted; 0 is the beginning. May be a string."`
	InsertText *string  `json:"insert_text" required:"false" doc:"insert: the new lines."`
	OldPath    *string  `json:"old_path" required:"false" doc:"rename: a path below /memories."`
	NewPath    *string  `json:"new_path" required:"false" doc:"rename: a new path below /memories."`
}

// MemoryToolResult is the content of the tool_result block.
type MemoryToolResult struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error" doc:"The command failed; content explains it to the model."`
}

func (a *api) registerMemoryTool() {
	op := post("/agents/{slug}/memory-tool", "use-memory-tool", "Run a command of the Messages API's memory tool on an agent's files")
	op.SkipValidateBody = true
	op.RequestBody = &huma.RequestBody{}
	register(a, op, a.useMemoryTool)
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[MemoryToolInput](), true, "")
	op.RequestBody.Content["application/json"].Schema = schema
}

type memoryToolInput struct {
	AgentPath
	RawBody []byte `contentType:"application/json"`
}

func (a *api) useMemoryTool(ctx context.Context, in *memoryToolInput) (*answer[MemoryToolResult], error) {
	var input memorytool.Input
	if err := unmarshal(in.RawBody, &input); err != nil {
		return nil, badBody()
	}
	// A refused path never reaches the files, so Run would not report an unknown agent.
	if _, err := a.store.AgentUncounted(ctx, in.Slug); err != nil {
		return nil, err
	}
	if grant := access.Of(ctx); input.Command == "delete" && !grant.Scope.Allows(access.Write) {
		return nil, huma.Error403Forbidden(grant.Refusal(access.Write))
	}
	result, err := memorytool.Run(ctx, toolFiles{a.engine, in.Slug}, input.Parse())
	if err != nil {
		return nil, err
	}
	result.Content = quarantine.MaskSecrets(result.Content)
	return ok(MemoryToolResult(result)), nil
}

// toolFiles gives the memory tool access to one agent's files.
type toolFiles struct {
	engine *engine.Engine
	slug   string
}

func (f toolFiles) Read(ctx context.Context, path string) ([]byte, error) {
	return f.engine.ReadFile(ctx, f.slug, path)
}

func (f toolFiles) List(ctx context.Context, dir string) ([]memorytool.Entry, error) {
	listed, err := f.engine.ListFiles(ctx, f.slug, dir)
	return wire.List(listed, func(file engine.ListedFile) memorytool.Entry { return memorytool.Entry(file) }), err
}

func (f toolFiles) Create(ctx context.Context, path string, text []byte) error {
	return f.engine.CreateFile(ctx, f.slug, path, text)
}

// Replace overwrites the file at path with after. If the file's content is not before, it returns
// memories.ErrChanged and writes nothing. It returns memories.ErrNoFile if there is no such file.
func (f toolFiles) Replace(ctx context.Context, path string, before, after []byte) error {
	return f.engine.ReplaceFile(ctx, f.slug, path, files.Hash(before), after)
}

func (f toolFiles) Remove(ctx context.Context, path string) error {
	return f.engine.RemoveFile(ctx, f.slug, path)
}

func (f toolFiles) Rename(ctx context.Context, from, to string) error {
	return f.engine.RenameFile(ctx, f.slug, from, to)
}
