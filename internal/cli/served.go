package cli

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

// served is the memoryStore of an agent on a server.
type served struct {
	remote.Server
	slug string
}

func (s served) path() string { return "/agents/" + url.PathEscape(s.slug) }

func (s served) list(ctx context.Context, filter memories.Filter) (answer[wire.MemoryList], error) {
	query := filter.Values()
	query.Set("limit", strconv.Itoa(pageSize))
	var whole answer[wire.MemoryList]
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
		whole.value.Memories = append(whole.value.Memories, page.Memories...)
		whole.value.Total, raw.Total = page.Total, page.Total
		raw.Memories = append(raw.Memories, rawPage.Memories...)
		if page.NextCursor == nil {
			break
		}
		query.Set("cursor", *page.NextCursor)
	}
	text, err := json.Marshal(raw)
	whole.json = text
	return whole, err
}

// rawList is a memory list of the API with the server's own JSON of each memory.
type rawList struct {
	Memories   []json.RawMessage `json:"memories"`
	Total      int               `json:"total"`
	Near       bool              `json:"near"`
	NextCursor *string           `json:"next_cursor"`
}

func (s served) find(ctx context.Context, name string) (answer[wire.Memory], error) {
	var found rawList
	query := memories.Filter{Name: name}.Values()
	query.Set("limit", "10")
	if _, err := s.Call(ctx, http.MethodGet, s.path()+"/memories?"+query.Encode(), nil, &found); err != nil {
		return answer[wire.Memory]{}, err
	}
	if len(found.Memories) == 0 {
		return answer[wire.Memory]{}, &unknownError{name}
	}
	var first answer[wire.Memory]
	for i, raw := range found.Memories { // a private memory precedes a team memory of that name
		one := answer[wire.Memory]{json: raw}
		if err := json.Unmarshal(raw, &one.value); err != nil || one.value.Scope != string(memories.TeamScope) {
			return one, err
		}
		if i == 0 {
			first = one
		}
	}
	return first, nil
}

func (s served) save(ctx context.Context, d draft) (answer[wire.Memory], error) {
	current, err := s.find(ctx, d.name)
	var unknown *unknownError
	switch {
	case errors.As(err, &unknown):
		if d.kind == "" {
			return answer[wire.Memory]{}, errNeedsType
		}
		body := map[string]any{"name": d.name, "type": d.kind, "description": d.description, "body": d.body, "asked_as": d.askedAs}
		return change[wire.Memory](ctx, s, http.MethodPost, "/memories", body)
	case err != nil:
		return answer[wire.Memory]{}, err
	}
	body := map[string]any{}
	if d.kind != "" {
		body["type"] = d.kind
	}
	if d.description != nil {
		body["description"] = d.description
	}
	if d.body != nil {
		body["body"] = d.body
	}
	if d.askedAs != nil {
		body["asked_as"] = d.askedAs
	}
	return change[wire.Memory](ctx, s, http.MethodPatch, "/memories/"+current.value.ID, body)
}

func (s served) delete(ctx context.Context, name string) (deletion, error) {
	current, err := s.find(ctx, name)
	if err != nil {
		return deletion{}, err
	}
	gone, err := change[wire.Memory](ctx, s, http.MethodDelete, "/memories/"+current.value.ID, nil)
	if err != nil {
		return deletion{}, err
	}
	d := deletion{answer: gone, trash: true}
	for _, f := range current.value.Files {
		d.files = append(d.files, f.Path)
	}
	return d, nil
}

func (s served) share(ctx context.Context, name string) (answer[wire.Memory], error) {
	current, err := s.find(ctx, name)
	if err != nil {
		return answer[wire.Memory]{}, err
	}
	return change[wire.Memory](ctx, s, http.MethodPost, "/memories/"+current.value.ID+"/move", map[string]any{"to": memories.SharedScope})
}

func (s served) recall(ctx context.Context, query string, limit int) (answer[recalled], error) {
	return change[recalled](ctx, s, http.MethodPost, "/recall", map[string]any{"query": query, "session": nil, "limit": limit})
}

// change sends a request about the agent to the API, with body as JSON unless it is nil, and
// returns the decoded response. path is relative to the agent's path in the API. It returns
// *remote.AbsentError if no Memoir answers, and an error for users if the server refuses.
func change[T any](ctx context.Context, s served, method, path string, body any) (answer[T], error) {
	var a answer[T]
	var err error
	a.json, err = s.Call(ctx, method, s.path()+path, body, &a.value)
	return a, err
}
