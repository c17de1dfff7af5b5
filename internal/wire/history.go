package wire

import (
	"time"

	"memoir/internal/memories"
)

// Revision is a past or current content of a memory.
type Revision struct {
	Hash        *string   `json:"hash"`
	Type        *string   `json:"type" doc:"feedback, user, project or reference; null: it has none."`
	Description *string   `json:"description"`
	Body        *string   `json:"body"`
	Path        string    `json:"path"`
	Session     *string   `json:"session"`
	SeenAt      time.Time `json:"seen_at"`
}

// RevisionList is one page of a memory's contents, newest first. The current content is included.
type RevisionList struct {
	Revisions  []Revision `json:"revisions" nullable:"false"`
	NextCursor *string    `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

// RevisionOf returns r as the API sends it, with null for empty texts other than the path.
func RevisionOf(r memories.Revision) Revision {
	return Revision{
		Hash: Text(r.Hash), Type: Text(r.Type), Description: Text(r.Description), Body: Text(r.Body), Path: r.Path,
		Session: Text(r.Session), SeenAt: r.SeenAt.UTC(),
	}
}

// Blocked is a deleted content that was found on disk again and blocked.
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

// BlockedList is one page of an agent's blocked contents, newest first.
type BlockedList struct {
	Blocked    []Blocked `json:"blocked" nullable:"false"`
	NextCursor *string   `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

// BlockedOf returns b as the API sends it, with null for empty texts other than name and path.
func BlockedOf(b memories.Blocked) Blocked {
	return Blocked{
		ID: b.ID, Name: b.Name, Type: Text(b.Type), Description: Text(b.Description), Body: Text(b.Body), Path: b.Path,
		Session: Text(b.Session), Hash: Text(b.Hash), SeenAt: b.SeenAt.UTC(),
	}
}
