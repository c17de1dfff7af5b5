package memorystore

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"memoir/internal/cli/remote"
	"memoir/internal/memories"
	"memoir/internal/wire"
)

// pageSize is the number of memories in a request. The API allows 500, but each may have 1 MiB.
const pageSize = 100

// Served is the memoryStore of an agent on a server.
type Served struct {
	remote.Server
	Slug string
}

func (s Served) path() string { return "/agents/" + url.PathEscape(s.Slug) }

func (s Served) List(ctx context.Context, filter memories.Filter) (Answer[wire.MemoryList], error) {
	query := filter.Values()
	query.Set("limit", strconv.Itoa(pageSize))
	var whole Answer[wire.MemoryList]
	raw := rawList{Memories: []json.RawMessage{}}
	for {
		var page wire.MemoryList
		text, err := s.Call(ctx, http.MethodGet, s.path()+"/memories?"+query.Encode(), nil, &page)
		if err != nil {
			return whole, err
		}
		var rawPage rawList
		if err := json.Unmarshal(text, &rawPage); err != nil {
			return whole, err
		}
		whole.Value.Memories = append(whole.Value.Memories, page.Memories...)
		whole.Value.Total, raw.Total = page.Total, page.Total
		raw.Memories = append(raw.Memories, rawPage.Memories...)
		if page.NextCursor == nil {
			break
		}
		query.Set("cursor", *page.NextCursor)
	}
	text, err := json.Marshal(raw)
	whole.JSON = text
	return whole, err
}

// rawList is a memory list of the API with the server's own JSON of each memory.
type rawList struct {
	Memories   []json.RawMessage `json:"memories"`
	Total      int               `json:"total"`
	Near       bool              `json:"near"`
	NextCursor *string           `json:"next_cursor"`
}

func (s Served) Find(ctx context.Context, name string) (Answer[wire.Memory], error) {
	var found rawList
	query := memories.Filter{Name: name}.Values()
	query.Set("limit", "10")
	if _, err := s.Call(ctx, http.MethodGet, s.path()+"/memories?"+query.Encode(), nil, &found); err != nil {
		return Answer[wire.Memory]{}, err
	}
	if len(found.Memories) == 0 {
		return Answer[wire.Memory]{}, &UnknownError{name}
	}
	var first Answer[wire.Memory]
	for i, raw := range found.Memories { // a private memory precedes a team memory of that name
		one := Answer[wire.Memory]{JSON: raw}
		if err := json.Unmarshal(raw, &one.Value); err != nil || one.Value.Scope != string(memories.TeamScope) {
			return one, err
		}
		if i == 0 {
			first = one
		}
	}
	return first, nil
}

func (s Served) Save(ctx context.Context, d Draft) (Answer[wire.Memory], error) {
	current, err := s.Find(ctx, d.Name)
	var unknown *UnknownError
	switch {
	case errors.As(err, &unknown):
		if d.Kind == "" {
			return Answer[wire.Memory]{}, ErrNeedsType
		}
		body := map[string]any{"name": d.Name, "type": d.Kind, "description": d.Description, "body": d.Body, "asked_as": d.AskedAs}
		return Change[wire.Memory](ctx, s, http.MethodPost, "/memories", body)
	case err != nil:
		return Answer[wire.Memory]{}, err
	}
	body := map[string]any{}
	if d.Kind != "" {
		body["type"] = d.Kind
	}
	if d.Description != nil {
		body["description"] = d.Description
	}
	if d.Body != nil {
		body["body"] = d.Body
	}
	if d.AskedAs != nil {
		body["asked_as"] = d.AskedAs
	}
	return Change[wire.Memory](ctx, s, http.MethodPatch, "/memories/"+current.Value.ID, body)
}

func (s Served) Delete(ctx context.Context, name string) (Deletion, error) {
	current, err := s.Find(ctx, name)
	if err != nil {
		return Deletion{}, err
	}
	gone, err := Change[wire.Memory](ctx, s, http.MethodDelete, "/memories/"+current.Value.ID, nil)
	if err != nil {
		return Deletion{}, err
	}
	d := Deletion{Answer: gone, Trash: true}
	if gone.Value.Pending != nil {
		return d, nil
	}
	for _, f := range current.Value.Files {
		d.Files = append(d.Files, f.Path)
	}
	return d, nil
}

func (s Served) Share(ctx context.Context, name string) (Answer[wire.Memory], error) {
	current, err := s.Find(ctx, name)
	if err != nil {
		return Answer[wire.Memory]{}, err
	}
	return Change[wire.Memory](ctx, s, http.MethodPost, "/memories/"+current.Value.ID+"/move", map[string]any{"to": memories.SharedScope})
}

func (s Served) Recall(ctx context.Context, query string, limit int) (Answer[Recalled], error) {
	return Change[Recalled](ctx, s, http.MethodPost, "/recall", map[string]any{"query": query, "session": nil, "limit": limit})
}

// Change sends a request about the agent to the API, with body as JSON unless it is nil, and
// returns the decoded response. path is relative to the agent's path in the API. It returns
// *remote.AbsentError if no Memoir answers, and an error for users if the server refuses.
func Change[T any](ctx context.Context, s Served, method, path string, body any) (Answer[T], error) {
	var a Answer[T]
	var err error
	a.JSON, err = s.Call(ctx, method, s.path()+path, body, &a.Value)
	return a, err
}
