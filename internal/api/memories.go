package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"memoir/internal/access"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// MemoryPath contains the path parameters for a memory.
type MemoryPath struct {
	AgentPath
	ID string `path:"id" doc:"The memory's id."`
}

// memoryAnswer is the response with one memory and its entity tag.
type memoryAnswer struct {
	Status   int
	ETag     string `header:"ETag" doc:"Strong; covers content and state."`
	Location string `header:"Location" doc:"Address of a new memory."`
	Body     wire.Memory
}

func (a *api) registerMemories() {
	const memory = "/agents/{slug}/memories/{id}"
	register(a, get("/agents/{slug}/memories", "list-memories", "List the memories of an agent"), ofAgent(a, a.listMemories))
	register(a, a.alsoCreates(post("/agents/{slug}/memories", "save-memory", "Save a memory under its name", http.StatusConflict, http.StatusPreconditionFailed)), a.saveMemory)
	register(a, alsoNotModified(get(memory, "get-memory", "Get one memory, or a fact of MEMORY.md")), ofAgent(a, a.getMemory))
	register(a, patch(memory, "patch-memory", "Change parts of a memory, or rename it", http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.patchMemory))
	register(a, del(memory, "delete-memory", "Delete a memory everywhere", http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.deleteMemory))
	register(a, post("/agents/{slug}/memories/{id}/restore", "restore-memory", "Restore a memory from the trash, or write back a missing one",
		http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.restoreMemory))
	register(a, get("/agents/{slug}/memories/{id}/revisions", "list-revisions", "List the revisions of a memory, newest first"), ofAgent(a, a.listRevisions))
}

// alsoCreates returns op with 200 as its default status, and with the response 201 documented for a
// memory that was created or restored.
func (a *api) alsoCreates(op huma.Operation) huma.Operation {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[wire.Memory](), true, "")
	op.DefaultStatus = http.StatusOK
	op.Responses = map[string]*huma.Response{"201": {
		Description: "The memory is new, or was restored.",
		Headers:     map[string]*huma.Param{"ETag": entityTag, "Location": {Description: "Address of the memory.", Schema: &huma.Schema{Type: huma.TypeString}}},
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
	return op
}

// alsoNotModified returns op with the documentation of the response 304.
func alsoNotModified(op huma.Operation) huma.Operation {
	op.Responses = map[string]*huma.Response{"304": {
		Description: "The client has the current version.",
		Headers:     map[string]*huma.Param{"ETag": entityTag},
	}}
	return op
}

// entityTag documents the ETag header of a memory.
var entityTag = &huma.Param{Description: "Strong; covers content and state.", Schema: &huma.Schema{Type: huma.TypeString}}

type getMemoryInput struct {
	MemoryPath
	AsOf
	Reveal      bool   `query:"reveal" doc:"The texts of a memory in quarantine without masks. 403 with the read-only token."`
	IfNoneMatch string `header:"If-None-Match" doc:"Returns 304 without a body if one of these entity tags matches."`
}

// getMemory answers the memory with the id, or else the fact of an index with the id. It answers
// 304 if If-None-Match has the current tag. With an as_of in the past, it answers the memory as it
// was then, without facts and without 304. It returns memories.ErrNotFound if nothing has the id,
// and *memories.InvalidError for a malformed as_of.
func (a *api) getMemory(ctx context.Context, row records.Agent, in *getMemoryInput) (*memoryAnswer, error) {
	at, err := in.moment(time.Now())
	if err != nil {
		return nil, err
	}
	if !at.IsZero() {
		m, err := a.store.MemoryAsOf(ctx, row, in.ID, at)
		return &memoryAnswer{Status: http.StatusOK, Body: wire.MemoryOf(m, "", at)}, err
	}
	read := a.store.Memory
	if in.Reveal {
		if grant := access.Of(ctx); !grant.Scope.Allows(access.Write) {
			return nil, huma.Error403Forbidden("Secrets are not revealed. " + grant.Refusal(access.Write))
		}
		read = a.store.Revealed
	}
	m, err := read(ctx, row, in.ID)
	if errors.Is(err, memories.ErrNotFound) {
		m, err = a.store.IndexFact(ctx, row, in.ID)
	}
	if err != nil {
		return nil, err
	}
	found := memoryAnswerOf(http.StatusOK, m, row.ClaudeMD.Problem)
	if in.Reveal {
		if m.IsQuarantined() {
			if err := a.store.AddReveal(ctx, row.ID, m.ID, memories.ByScript); err != nil {
				return nil, err
			}
		}
		found.Body = wire.Revealed(m, row.ClaudeMD.Problem, time.Now())
	}
	if noneMatches(in.IfNoneMatch, found.ETag) {
		found.Status = http.StatusNotModified
	}
	return found, nil
}

type saveMemoryInput struct {
	AgentPath
	IfMatch     string `header:"If-Match" doc:"The ETag of the memory with that name as you read it; 412 if it has changed since, or is missing."`
	IfNoneMatch string `header:"If-None-Match" enum:"*" doc:"With *, the answer is 412 if a memory has that name, and nothing is overwritten."`
	Body        struct {
		Name        string   `json:"name"`
		Type        string   `json:"type" enum:"feedback,user,project,reference"`
		Scope       string   `json:"scope" required:"false" enum:"private,team" doc:"Default: private. A text that looks like a credential is 422 in team memory."`
		Description *string  `json:"description" required:"false"`
		Body        *string  `json:"body" required:"false" doc:"Markdown, at most 1 MiB."`
		AskedAs     []string `json:"asked_as" required:"false" doc:"Short questions that it answers, in other words: at most 24, each of at most 120 characters. Absent or null keeps those it has."`
	} `nameHint:"SaveMemory"`
}

func (a *api) saveMemory(ctx context.Context, in *saveMemoryInput) (*memoryAnswer, error) {
	save := a.engine.Save
	switch {
	case in.IfMatch != "":
		etags := entityTags(in.IfMatch)
		if len(etags) == 0 || in.IfNoneMatch != "" {
			return nil, memories.ErrChanged // conditions that no memory meets
		}
		save = func(ctx context.Context, slug string, draft engine.Draft) (engine.Result, error) {
			return a.engine.Replace(ctx, slug, etags, draft)
		}
	case in.IfNoneMatch != "":
		save = a.engine.Create
	}
	result, err := save(ctx, in.Slug, engine.Draft{
		Name: in.Body.Name, Team: in.Body.Scope == string(memories.TeamScope), Type: memories.Type(in.Body.Type), Description: orEmpty(in.Body.Description), Body: orEmpty(in.Body.Body),
		AskedAs: in.Body.AskedAs,
	})
	var taken *memories.NameTakenError
	if errors.As(err, &taken) {
		return nil, problem.New(http.StatusPreconditionFailed, taken.Error())
	}
	return saved(result, err)
}

type patchMemoryInput struct {
	MemoryWrite
	Body struct {
		Name        optional     `json:"name" required:"false" nullable:"false" doc:"Another name renames the memory."`
		Type        optional     `json:"type" required:"false" nullable:"false" enum:"feedback,user,project,reference"`
		Description optional     `json:"description" required:"false" doc:"Null clears it."`
		Body        optional     `json:"body" required:"false" doc:"Markdown, at most 1 MiB. Null clears it."`
		AskedAs     optionalList `json:"asked_as" required:"false" doc:"As for a save; null clears it. Alone, it changes no file. Those that a person has written stay, and these are added."`
	} `nameHint:"PatchMemory"`
}

func (a *api) patchMemory(ctx context.Context, in *patchMemoryInput, match string) (*memoryAnswer, error) {
	if err := in.Body.Name.notNull("name"); err != nil {
		return nil, err
	}
	if err := in.Body.Type.notNull("type"); err != nil {
		return nil, err
	}
	return written(a.engine.Patch(ctx, in.Slug, in.ID, match, engine.Patch{
		Name: in.Body.Name.value, Type: (*memories.Type)(in.Body.Type.value),
		Description: in.Body.Description.value, Body: in.Body.Body.value, AskedAs: in.Body.AskedAs.value,
	}))
}

type deleteMemoryInput struct {
	MemoryWrite
	Purge bool `query:"purge" doc:"Also removes it from the trash, permanently."`
}

func (a *api) deleteMemory(ctx context.Context, in *deleteMemoryInput, match string) (*memoryAnswer, error) {
	remove := a.engine.Delete
	if in.Purge {
		remove = a.engine.Purge
	}
	return written(remove(ctx, in.Slug, in.ID, match))
}

// saved returns the response to a write: 201 with the memory's address if the memory was created or
// restored, else 200. If err is not nil, it returns nil and err.
func saved(result engine.Result, err error) (*memoryAnswer, error) {
	response, err := written(result, err)
	if err == nil && result.Created {
		response.Status = http.StatusCreated
		response.Location = "/api/v1/agents/" + url.PathEscape(result.Memory.Agent) + "/memories/" + result.Memory.ID
	}
	return response, err
}

// written returns the response 200 with the memory of result. If err is not nil, it returns nil and
// err.
func written(result engine.Result, err error) (*memoryAnswer, error) {
	if err != nil {
		return nil, err
	}
	return memoryAnswerOf(http.StatusOK, result.Memory, result.ClaudeMDProblem), nil
}

func memoryAnswerOf(status int, m memories.Memory, claudeMDProblem string) *memoryAnswer {
	return &memoryAnswer{Status: status, ETag: engine.ETag(m), Body: wire.MemoryOf(m, claudeMDProblem, time.Now())}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

type listMemoriesInput struct {
	AgentPath
	memories.Filter
	memories.PageRequest
}

// Resolve returns a 404 problem for an invalid slug, else a 422 problem for an invalid filter, else
// nil. huma calls only this method, and not AgentPath.Resolve.
func (in *listMemoriesInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	return checkFilter(in.Filter)
}

// checkFilter returns a 422 problem for an invalid filter, else nil.
func checkFilter(filter memories.Filter) []error {
	var invalid *memories.InvalidError
	if err := filter.Check(); errors.As(err, &invalid) {
		return []error{unprocessable(problem.Field{Location: "query." + invalid.Field, Message: invalid.Reason})}
	}
	return nil
}

func (a *api) listMemories(ctx context.Context, agent records.Agent, in *listMemoriesInput) (*answer[wire.MemoryList], error) {
	claudeMDProblem, now := agent.ClaudeMD.Problem, time.Now()
	if at := in.AsOf.Time(); in.AsOf != "" && at.After(now) {
		in.AsOf = ""
	} else if in.AsOf != "" {
		claudeMDProblem, now = "", at
	}
	page, err := a.store.Memories(ctx, agent, in.Filter, in.PageRequest)
	if err != nil {
		return nil, err
	}
	return ok(wire.MemoryListOf(page, func(string) string { return claudeMDProblem }, now)), nil
}

func (a *api) restoreMemory(ctx context.Context, in *MemoryWrite, match string) (*memoryAnswer, error) {
	return written(a.engine.Restore(ctx, in.Slug, in.ID, match))
}

type listRevisionsInput struct {
	MemoryPath
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"500"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page, or the hash of the revision to start with."`
}

func (a *api) listRevisions(ctx context.Context, row records.Agent, in *listRevisionsInput) (*answer[wire.RevisionList], error) {
	page, err := a.store.Revisions(ctx, row, in.ID, records.RevisionList{From: in.Cursor, Limit: in.Limit})
	return ok(wire.RevisionList{Revisions: wire.List(page.Revisions, wire.RevisionOf), NextCursor: wire.Text(page.Next)}), err
}

// optional is a text field of a patch. An absent field is kept, and null clears it.
type optional struct {
	value  *string // nil if the field is absent; empty for null
	isNull bool    // true if the field is null
}

// UnmarshalJSON sets the value to a JSON string. For null, the value is empty and isNull is true.
// It returns an error for other JSON. encoding/json does not call it for an absent field.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.value, o.isNull = new(string), string(data) == "null"
	return json.Unmarshal(data, o.value)
}

// Schema returns the schema of a string or null.
func (o optional) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

// optionalList is a list of texts of a patch. An absent field is kept, and null clears it.
type optionalList struct {
	value *[]string // nil if the field is absent
}

// UnmarshalJSON sets the value to a JSON array of strings, or to an empty list for null.
func (o *optionalList) UnmarshalJSON(data []byte) error {
	o.value = &[]string{}
	return json.Unmarshal(data, o.value)
}

// Schema returns the schema of an array of strings, or null.
func (o optionalList) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, Nullable: true}
}

// notNull returns *memories.InvalidError if the field is null, and nil otherwise. It is for fields
// that cannot be cleared.
func (o optional) notNull(field string) error {
	if o.isNull {
		return &memories.InvalidError{Field: field, Reason: "is null; leave the field out to keep the value"}
	}
	return nil
}
