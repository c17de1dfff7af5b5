package api

import (
	"context"
	"time"
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

// RevisionList is the history of a memory, newest first, the current content included.
type RevisionList struct {
	Revisions []Revision `json:"revisions" nullable:"false"`
}

func (a *api) registerRevisions() {
	register(a, get("/agents/{slug}/memories/{id}/revisions", "list-revisions", "The history of a memory, newest first"), a.listRevisions)
}

func (a *api) listRevisions(ctx context.Context, in *MemoryPath) (*answer[RevisionList], error) {
	row, err := a.store.Agent(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	revisions, err := a.store.Revisions(ctx, row, in.ID)
	list := RevisionList{Revisions: make([]Revision, len(revisions))}
	for i, r := range revisions {
		list.Revisions[i] = Revision{
			Hash: text(r.Hash), Type: text(r.Type), Description: text(r.Description), Body: text(r.Body), Path: r.Path,
			Session: text(r.Session), SeenAt: r.SeenAt.UTC(),
		}
	}
	return ok(list), err
}
