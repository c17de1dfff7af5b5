package api

import (
	"context"

	"memoir/internal/records"
	"memoir/internal/wire"
)

type listRevisionsInput struct {
	MemoryPath
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"500"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page, or the hash of the revision to start with."`
}

func (a *api) registerRevisions() {
	register(a, get("/agents/{slug}/memories/{id}/revisions", "list-revisions", "List the revisions of a memory, newest first"), a.listRevisions)
}

func (a *api) listRevisions(ctx context.Context, in *listRevisionsInput) (*answer[wire.RevisionList], error) {
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	page, err := a.store.Revisions(ctx, row, in.ID, records.RevisionList{From: in.Cursor, Limit: in.Limit})
	list := wire.RevisionList{Revisions: make([]wire.Revision, len(page.Revisions)), NextCursor: wire.Text(page.Next)}
	for i, r := range page.Revisions {
		list.Revisions[i] = wire.RevisionOf(r)
	}
	return ok(list), err
}
