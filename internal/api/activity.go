package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// Activity is one entry of the journal: one event of a memory, or of a blocked content.
type Activity struct {
	ID          int64     `json:"id" doc:"Increases with each entry."`
	At          time.Time `json:"at" doc:"Time of the event. For content first seen in a file, the file's modification time."`
	Agent       string    `json:"agent" doc:"The agent's slug."`
	MemoryID    *string   `json:"memory_id" doc:"Null if a content was blocked without a memory."`
	Exists      bool      `json:"exists" doc:"Whether the memory can still be read, also in the trash. A purged one cannot."`
	Name        string    `json:"name" doc:"Name of the memory."`
	Kind        string    `json:"kind" enum:"learned,changed,renamed,verified,deleted,restored,missing,returned,cleared,purged,blocked,allowed,discarded,revealed,kept" doc:"cleared: the entry of an unreadable file was removed. blocked, allowed, discarded: a deleted content that returned, and the decision about it. revealed: its secret was shown; nothing has changed. kept: another machine had deleted it."`
	Actor       string    `json:"actor" enum:"session,disk,browser,script,memoir,extraction" doc:"disk: a writer of the agent's memory directory. script: a request to this API. memoir: Memoir itself. extraction: found in a conversation."`
	Person      *string   `json:"person" doc:"Name of the token with which a script or browser made the change; null for the owner and for changes on disk."`
	Session     *string   `json:"session" doc:"The session of the content; null for the agent's own memory."`
	Path        string    `json:"path" doc:"Path of the file with the content, relative to the agent's dir."`
	State       *string   `json:"state" doc:"State after the event: active, needs_attention, missing or deleted; null if unchanged."`
	Type        *string   `json:"type" doc:"Type after the event, or of the blocked or allowed content; null if there is none."`
	Description *string   `json:"description" doc:"Description after the event; null if the memory was purged."`
	Hash        *string   `json:"hash" doc:"Hash of the revision after the event."`
	Renamed     *string   `json:"renamed" doc:"For kind renamed, the earlier name; the same name after a move between private and team memory. If a file changes to another name, learned has the old name and deleted the new one."`
}

// ActivityList is one page of journal entries, newest first.
type ActivityList struct {
	Activity   []Activity `json:"activity" nullable:"false"`
	NextCursor *string    `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

// ActivityFilter contains the query parameters of a journal list. It is exported because huma
// ignores embedded structs that are unexported.
type ActivityFilter struct {
	Kind    string `query:"kind" enum:"learned,changed,renamed,verified,deleted,restored,missing,returned,cleared,purged,blocked,allowed,discarded,revealed,kept"`
	Actor   string `query:"actor" enum:"session,disk,browser,script,memoir,extraction"`
	Session string `query:"session" doc:"The name of the session of the content."`
	Name    string `query:"name" doc:"The exact name of the memory."`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor  string `query:"cursor" doc:"The next_cursor of the previous page of the same list."`
}

// Resolve returns a 422 problem if session or name has invalid UTF-8 or a NUL character, else nil.
func (f *ActivityFilter) Resolve(huma.Context) []error {
	if errs := checkText("query.session", f.Session); errs != nil {
		return errs
	}
	return checkText("query.name", f.Name)
}

func (a *api) registerActivity() {
	register(a, get("/activity", "list-all-activity", "List the changes of all agents' memories, newest first"), a.listAllActivity)
	register(a, get("/agents/{slug}/activity", "list-activity", "List the changes of an agent's memories, newest first"), ofAgent(a, a.listActivity))
	register(a, get("/agents/{slug}/memories/{id}/activity", "list-memory-activity", "List the changes of a memory, newest first"), ofAgent(a, a.listMemoryActivity))
}

func (a *api) listAllActivity(ctx context.Context, in *ActivityFilter) (*answer[ActivityList], error) {
	return a.activity(ctx, *in, records.ActivityList{})
}

type activityInput struct {
	AgentPath
	ActivityFilter
}

// Resolve returns a 404 problem for an invalid slug, else a 422 problem for an invalid session or
// name, else nil. huma calls only this method, not those of the embedded structs.
func (in *activityInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	return in.ActivityFilter.Resolve(ctx)
}

func (a *api) listActivity(ctx context.Context, row records.Agent, in *activityInput) (*answer[ActivityList], error) {
	return a.activity(ctx, in.ActivityFilter, records.ActivityList{AgentID: row.ID})
}

type memoryActivityInput struct {
	MemoryPath
	ActivityFilter
}

// Resolve returns a 404 problem for an invalid slug, else a 422 problem for an invalid session or
// name, else nil. huma calls only this method, not those of the embedded structs.
func (in *memoryActivityInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	return in.ActivityFilter.Resolve(ctx)
}

func (a *api) listMemoryActivity(ctx context.Context, row records.Agent, in *memoryActivityInput) (*answer[ActivityList], error) {
	if _, err := a.store.Memory(ctx, row, in.ID); err != nil {
		return nil, err
	}
	return a.activity(ctx, in.ActivityFilter, records.ActivityList{AgentID: row.ID, MemoryID: in.ID})
}

// activity returns one page of the journal, newest first. query selects an agent or one of its
// memories; the zero value selects all agents. in has the other filters, the limit and the cursor.
// It returns records.ErrCursor for a cursor of another list.
func (a *api) activity(ctx context.Context, in ActivityFilter, query records.ActivityList) (*answer[ActivityList], error) {
	query.Kind, query.Actor = memories.ActivityKind(in.Kind), memories.Actor(in.Actor)
	query.Session, query.Name, query.Limit, query.Cursor = in.Session, in.Name, in.Limit, in.Cursor
	page, err := a.store.Activity(ctx, query)
	if err != nil {
		return nil, err
	}
	list := ActivityList{Activity: make([]Activity, len(page.Activity)), NextCursor: wire.Text(page.NextCursor)}
	for i, h := range page.Activity {
		list.Activity[i] = Activity{
			ID: h.ID, At: h.At.UTC(), Agent: h.Agent, MemoryID: wire.Text(h.MemoryID), Exists: h.Exists, Name: h.Name, Kind: string(h.Kind),
			Actor: string(h.Actor), Person: wire.Text(h.Person), Session: wire.Text(h.Session), Path: h.Path, State: wire.Text(h.State), Type: wire.Text(h.Type),
			Description: wire.Text(h.Description), Hash: wire.Text(h.Hash), Renamed: wire.Text(h.Renamed),
		}
	}
	return ok(list), nil
}
