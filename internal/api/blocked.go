package api

import (
	"context"
	"net/http"
	"time"

	"memoir/internal/memories"
)

// Blocked is a deleted content that has turned up on disk again and is kept out.
type Blocked struct {
	ID          string    `json:"id" format:"uuid"`
	Name        string    `json:"name"`
	Type        *string   `json:"type" doc:"feedback, user, project or reference; null: it has none."`
	Description *string   `json:"description"`
	Body        *string   `json:"body"`
	Path        string    `json:"path"`
	Session     *string   `json:"session"`
	Hash        *string   `json:"hash"`
	SeenAt      time.Time `json:"seen_at"`
}

// BlockedList is one page of an agent's contents that are kept out, newest first.
type BlockedList struct {
	Blocked    []Blocked `json:"blocked" nullable:"false"`
	NextCursor *string   `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

type listBlockedInput struct {
	AgentPath
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"500"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

type blockedPath struct {
	AgentPath
	ID string `path:"id" doc:"The blocked content's id."`
}

func (a *api) registerBlocked() {
	register(a, get("/agents/{slug}/blocked", "list-blocked", "List the blocked contents: deleted content that returned"), a.listBlocked)
	register(a, post("/agents/{slug}/blocked/{id}/allow", "allow-blocked", "Allow a blocked content, which restores its memory",
		http.StatusConflict), a.allowBlocked)
	register(a, del("/agents/{slug}/blocked/{id}", "remove-blocked", "Remove the file of a blocked content from disk",
		http.StatusConflict), a.removeBlocked)
}

func (a *api) listBlocked(ctx context.Context, in *listBlockedInput) (*answer[BlockedList], error) {
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	page, err := a.store.BlockedPage(ctx, row.ID, in.Limit, in.Cursor)
	list := BlockedList{Blocked: make([]Blocked, len(page.Blocked)), NextCursor: text(page.NextCursor)}
	for i, b := range page.Blocked {
		list.Blocked[i] = blockedOf(b)
	}
	return ok(list), err
}

func blockedOf(b memories.Blocked) Blocked {
	return Blocked{
		ID: b.ID, Name: b.Name, Type: text(b.Type), Description: text(b.Description), Body: text(b.Body), Path: b.Path,
		Session: text(b.Session), Hash: text(b.Hash), SeenAt: b.SeenAt.UTC(),
	}
}

func (a *api) allowBlocked(ctx context.Context, in *blockedPath) (*memoryAnswer, error) {
	return written(a.engine.Allow(ctx, in.Slug, in.ID))
}

func (a *api) removeBlocked(ctx context.Context, in *blockedPath) (*answer[Blocked], error) {
	removed, err := a.engine.RemoveBlocked(ctx, in.Slug, in.ID)
	return ok(blockedOf(removed)), err
}
