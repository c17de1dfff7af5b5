package api

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"memoir/internal/records"
	"memoir/internal/wire"
)

// Disagreement is a memory whose files have different contents: two primary files, or a session
// file that is newer than the primary ones.
type Disagreement struct {
	ID         string    `json:"id" format:"uuid" doc:"The memory's id."`
	Name       string    `json:"name"`
	Versions   int       `json:"versions" doc:"The different contents on disk."`
	Sessions   int       `json:"sessions" doc:"The sessions with files of the memory."`
	HasPrimary bool      `json:"durable" doc:"Whether a primary file has the memory too."`
	Primary    int       `json:"primary_versions" doc:"Number of different contents in primary files. More than one is a conflict, until the others are removed or changed."`
	NewestAt   time.Time `json:"newest_at" doc:"Time of the newest content."`
}

// DisagreementList lists an agent's memories whose files have different contents, by name.
type DisagreementList struct {
	Disagreements []Disagreement `json:"disagreements" nullable:"false"`
}

// Version is one content of a memory, with the files on disk that have it now.
type Version struct {
	ID          string        `json:"id" doc:"Fingerprint of the content; it names the version to keep."`
	Type        *string       `json:"type" doc:"feedback, user, project or reference; null: it has none."`
	Description *string       `json:"description"`
	Body        *string       `json:"body"`
	Current     bool          `json:"current" doc:"Whether this is the memory's content."`
	Files       []VersionFile `json:"files" nullable:"false"`
}

// VersionFile is one file with the content of a Version.
type VersionFile struct {
	Path       string    `json:"path"`
	Session    *string   `json:"session" doc:"Null for the agent's own file."`
	Hash       *string   `json:"hash"`
	ModifiedAt time.Time `json:"modified_at"`
	NewAt      time.Time `json:"new_at" doc:"Time when the files got this content. The newest is the memory's content."`
}

// VersionList lists the different contents of a memory's files, newest first.
type VersionList struct {
	Versions []Version `json:"versions" nullable:"false"`
	Settled  bool      `json:"settled" doc:"False: the files differ, and no decision was made. Keep one version, or PATCH the memory."`
}

func (a *api) registerDisagreements() {
	register(a, get("/agents/{slug}/disagreements", "list-disagreements", "List the memories whose files have different contents"), ofAgent(a, a.listDisagreements))
	register(a, get("/agents/{slug}/memories/{id}/versions", "list-versions", "List the different contents of a memory's files"), ofAgent(a, a.listVersions))
	register(a, post("/agents/{slug}/memories/{id}/versions/{version}/keep", "keep-version",
		"Keep one content of a memory, and remove the primary files with another one",
		http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.keepVersion))
}

type keepVersionInput struct {
	MemoryWrite
	Version string `path:"version" doc:"The version's id."`
}

func (a *api) keepVersion(ctx context.Context, in *keepVersionInput, match string) (*memoryAnswer, error) {
	return written(a.engine.Keep(ctx, in.Slug, in.ID, match, in.Version))
}

func (a *api) listDisagreements(ctx context.Context, row records.Agent, in *AgentPath) (*answer[DisagreementList], error) {
	found, err := a.store.Disagreements(ctx, row)
	return ok(DisagreementList{wire.List(found, func(d records.Disagreement) Disagreement { return Disagreement(d) })}), err
}

func (a *api) listVersions(ctx context.Context, row records.Agent, in *MemoryPath) (*answer[VersionList], error) {
	m, err := a.store.Memory(ctx, row, in.ID)
	if err != nil {
		return nil, err
	}
	disagreement, err := a.store.Disagreement(ctx, m)
	if err != nil {
		return nil, err
	}
	versions, err := a.store.Versions(ctx, m)
	list := VersionList{Versions: make([]Version, len(versions)), Settled: disagreement == nil}
	for i, v := range versions {
		list.Versions[i] = Version{
			ID: hex.EncodeToString(v.Fingerprint[:]), Type: wire.Text(v.Type), Description: wire.Text(v.Description), Body: wire.Text(v.Body), Current: v.Current, Files: make([]VersionFile, len(v.Files)),
		}
		for j, f := range v.Files {
			list.Versions[i].Files[j] = VersionFile{
				Path: f.Path, Session: wire.Text(f.Session), Hash: wire.Text(f.Hash), ModifiedAt: f.ModifiedAt, NewAt: f.ContentAt,
			}
		}
	}
	return ok(list), err
}
