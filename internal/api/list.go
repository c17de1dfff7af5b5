package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
)

// MemoryList is one page of an agent's memories.
type MemoryList struct {
	Memories   []Memory `json:"memories" nullable:"false"`
	Total      int      `json:"total" doc:"Of the whole list."`
	Near       bool     `json:"near" doc:"True: no memory of the agent holds all the words of the search; these come close. Only where near=true asked for them."`
	NextCursor *string  `json:"next_cursor" doc:"For the next page; null: this is the last."`
}

type listMemoriesInput struct {
	AgentPath
	Type       string `query:"type" enum:"feedback,user,project,reference"`
	State      string `query:"state" enum:"active,needs_attention,missing,deleted" doc:"Without it: all but the deleted ones, unless not_removed asks for these."`
	Stale      bool   `query:"stale" doc:"true: stale ones alone, two days old or more."`
	Flagged    bool   `query:"flagged" doc:"true: active ones alone about whose files something is odd; problems says what."`
	NotRemoved bool   `query:"not_removed" doc:"true: deleted ones alone of which a file, or an entry in MEMORY.md, is still there, because it could not be removed; problems says why."`
	Session    string `query:"session" doc:"The name of a session: a file of it carries them now, or their content came from it."`
	Name       string `query:"name" doc:"Exact."`
	Scope      string `query:"scope" enum:"private,team" doc:"Without it: both."`
	Q          string `query:"q" maxLength:"1000" doc:"Search: all words, any letter case, each as a prefix."`
	Near       bool   `query:"near" doc:"true: where no memory of the agent holds all the words of q, those that come close. What is done with a list should not be done with these unseen."`
	Sort       string `query:"sort" enum:"name,updated,age" doc:"updated, newest first, unless there is a search, which is ranked; name by UTF-8 bytes; age oldest first."`
	Limit      int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor     string `query:"cursor" doc:"The next_cursor of the page before, for the same list."`
	AsOf
}

// Resolve refuses what no text of a memory can be. It stands in for the path's, which the framework then leaves out.
func (in *listMemoriesInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	for _, p := range []struct{ name, value string }{{"session", in.Session}, {"name", in.Name}, {"q", in.Q}} {
		if !records.CanBeText(p.value) {
			return []error{unprocessable(problem.Field{Location: "query." + p.name, Message: "is not valid UTF-8, or holds a NUL character"})}
		}
	}
	return nil
}

func (a *api) listMemories(ctx context.Context, in *listMemoriesInput) (*answer[MemoryList], error) {
	at, err := in.moment(time.Now())
	if err != nil {
		return nil, err
	}
	agent, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	if !at.IsZero() {
		return a.listPast(ctx, agent, in, at)
	}
	if in.NotRemoved && in.State == "" {
		in.State = string(memories.Deleted)
	}
	list := records.MemoryList{
		Type: memories.Type(in.Type), State: memories.State(in.State), Stale: in.Stale, Flagged: in.Flagged, NotRemoved: in.NotRemoved,
		Session: in.Session, Name: in.Name, Scope: memories.Scope(in.Scope), Search: in.Q, Near: in.Near,
		Sort: records.Sort(in.Sort), Limit: in.Limit, Cursor: in.Cursor,
	}
	page, err := a.store.Memories(ctx, agent, list)
	if err != nil {
		return nil, err
	}
	return ok(memoryList(page, func(string) string { return agent.ClaudeMD.Problem }, time.Now())), nil
}

// memoryList describes a page; problem says what is wrong with an agent's CLAUDE.md.
func memoryList(page records.MemoryPage, problem func(agent string) string, now time.Time) MemoryList {
	list := MemoryList{Memories: make([]Memory, len(page.Memories)), Total: page.Total, Near: page.Near, NextCursor: text(page.NextCursor)}
	for i, m := range page.Memories {
		list.Memories[i] = memoryOf(m, problem(m.Agent), now)
	}
	return list
}
