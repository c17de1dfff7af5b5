package api

import (
	"context"
	"time"

	"memoir/internal/records"
)

// Revision is one content that a memory has had.
type Revision struct {
	Hash        *string   `json:"hash"`
	Type        *string   `json:"type" doc:"feedback, user, project or reference; null: it has none."`
	Description *string   `json:"description"`
	Body        *string   `json:"body"`
	Path        string    `json:"path"`
	Session     *string   `json:"session"`
	SeenAt      time.Time `json:"seen_at"`
}

// RevisionList is one page of the history of a memory, newest first, the current content included.
type RevisionList struct {
	Revisions  []Revision `json:"revisions" nullable:"false"`
	NextCursor *string    `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

type listRevisionsInput struct {
	MemoryPath
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"500"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page, or the hash of the revision to start with."`
}

func (a *api) registerRevisions() {
	register(a, get("/agents/{slug}/memories/{id}/revisions", "list-revisions", "List the revisions of a memory, newest first"), a.listRevisions)
}

func (a *api) listRevisions(ctx context.Context, in *listRevisionsInput) (*answer[RevisionList], error) {
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	page, err := a.store.Revisions(ctx, row, in.ID, records.RevisionList{From: in.Cursor, Limit: in.Limit})
	list := RevisionList{Revisions: make([]Revision, len(page.Revisions)), NextCursor: text(page.Next)}
	for i, r := range page.Revisions {
		list.Revisions[i] = Revision{
			Hash: text(r.Hash), Type: text(r.Type), Description: text(r.Description), Body: text(r.Body), Path: r.Path,
			Session: text(r.Session), SeenAt: r.SeenAt.UTC(),
		}
	}
	return ok(list), err
}
