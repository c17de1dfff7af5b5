package api

import (
	"context"
	"net/http"

	"memoir/internal/records"
	"memoir/internal/wire"
)

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
	register(a, get("/agents/{slug}/blocked", "list-blocked", "List the blocked contents: deleted content that returned"), ofAgent(a, a.listBlocked))
	register(a, post("/agents/{slug}/blocked/{id}/allow", "allow-blocked", "Allow a blocked content, which restores its memory",
		http.StatusConflict), a.allowBlocked)
	register(a, del("/agents/{slug}/blocked/{id}", "remove-blocked", "Remove the file of a blocked content from disk",
		http.StatusConflict), a.removeBlocked)
}

func (a *api) listBlocked(ctx context.Context, row records.Agent, in *listBlockedInput) (*answer[wire.BlockedList], error) {
	page, err := a.store.BlockedPage(ctx, row.ID, in.Limit, in.Cursor)
	return ok(wire.BlockedList{Blocked: wire.List(page.Blocked, wire.BlockedOf), NextCursor: wire.Text(page.NextCursor)}), err
}

func (a *api) allowBlocked(ctx context.Context, in *blockedPath) (*memoryAnswer, error) {
	return written(a.engine.Allow(ctx, in.Slug, in.ID))
}

func (a *api) removeBlocked(ctx context.Context, in *blockedPath) (*answer[wire.Blocked], error) {
	removed, err := a.engine.RemoveBlocked(ctx, in.Slug, in.ID)
	return ok(wire.BlockedOf(removed)), err
}
