package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// smallBatch is the number of new rows up to which a change set is saved with cached plans, which
// inKeyedTx selects. It is arbitrary.
const smallBatch = 32

// Apply saves the change set in one transaction: rows, contents, journal, search index and renames.
// It marks CLAUDE.md as out of date if a memory changes. A content that the memory had before keeps
// its revision id, and Apply replaces the new id in b. It does nothing if b.Empty returns true. At
// an error nothing is saved, but b may have changed.
func (w *Writer) Apply(ctx context.Context, b *records.ChangeSet) error {
	if b.Empty() {
		return nil
	}
	if err := w.keepRevisions(ctx, b); err != nil {
		return err
	}
	commit := w.inTx
	if len(b.NewHeads)+len(b.NewRevisions)+len(b.Revisions)+len(b.NewFiles)+len(b.Block)+len(b.Activity) <= smallBatch {
		commit = w.inKeyedTx
	}
	return commit(ctx, "save what changed", func(q *queries.Queries) error {
		if err := startRenames(ctx, q, w.agentID, b.Renames); err != nil {
			return err
		}
		if err := insertMemories(ctx, q, w.agentID, b); err != nil {
			return err
		}
		if err := saveRevisions(ctx, q, b.Revisions); err != nil {
			return err
		}
		if err := moveHistories(ctx, q, w.agentID, b.Renames); err != nil {
			return err
		}
		if err := updateRows(ctx, q, b.Heads); err != nil {
			return err
		}
		if err := saveFiles(ctx, q, w.agentID, b); err != nil {
			return err
		}
		if err := invalidatePublished(ctx, q, w.agentID, b.Memories()...); err != nil {
			return err
		}
		if err := journal(ctx, q, w.agentID, b.Activity...); err != nil {
			return err
		}
		for i := range b.Words {
			b.Words[i].AgentID = w.agentID
		}
		return indexBatchOf(b.Words).save(ctx, q)
	})
}

// insertMemories deletes the memories with the ids in b.DropHeads. Then it inserts b.NewHeads and
// b.NewRevisions, their first contents.
func insertMemories(ctx context.Context, q *queries.Queries, agentID int64, b *records.ChangeSet) error {
	// First, because a new entry may have the same path.
	if len(b.DropHeads) > 0 {
		if err := q.DeleteMemories(ctx, b.DropHeads); err != nil {
			return err
		}
	}
	if len(b.NewHeads) == 0 {
		return nil
	}
	rows, err := dbconv.TryAll(b.NewHeads, func(h records.MemoryRow) (queries.InsertMemoriesParams, error) {
		problems, err := dbconv.ListJSON(h.Problems)
		return queries.InsertMemoriesParams{
			ID: h.UUID, AgentID: agentID, Name: h.Name, Readable: h.Readable, State: string(h.State),
			Type: dbconv.Optional(string(h.Type)), RevisionID: h.RevisionID, Description: h.Description, Fingerprint: h.Fingerprint[:], Hash: h.Hash,
			Size: h.Size, Path: h.Path, Session: dbconv.Optional(h.Session), ModifiedAt: h.ModifiedAt, ContentAt: h.ContentAt,
			Problems: problems, ClaudeMdChars: int32(h.ClaudeMDChars), ClaudeMdListed: h.ClaudeMDListed, CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt, Team: h.Team,
			Conflict: dbconv.Optional(string(h.Conflict)),
		}, err
	})
	if err != nil {
		return err
	}
	if _, err := q.InsertMemories(ctx, rows); err != nil {
		return err
	}
	_, err = q.InsertRevisions(ctx, dbconv.All(b.NewRevisions, revisionParams))
	return err
}

// keepRevisions looks up which contents in b.Revisions their memories had before. In b.Heads,
// b.Words and b.Activity, it replaces the revision id of such a content by the saved one. It saves
// nothing.
func (w *Writer) keepRevisions(ctx context.Context, b *records.ChangeSet) error {
	if len(b.Revisions) == 0 {
		return nil
	}
	type content struct {
		memory      uuid.UUID
		fingerprint string
	}
	var query queries.RevisionsByContentParams
	for _, r := range b.Revisions {
		query.MemoryIds = append(query.MemoryIds, r.MemoryID)
		query.Fingerprints = append(query.Fingerprints, r.Fingerprint[:])
	}
	rows, err := w.q.RevisionsByContent(ctx, query)
	if err != nil {
		return dberr.Wrap("read revisions", err)
	}
	ids := make(map[content]uuid.UUID, len(rows))
	for _, row := range rows {
		ids[content{row.MemoryID, string(row.Fingerprint)}] = row.ID
	}
	known := make(map[uuid.UUID]uuid.UUID, len(b.Revisions))
	for _, r := range b.Revisions {
		key := content{r.MemoryID, string(r.Fingerprint[:])}
		if _, isKnown := ids[key]; !isKnown {
			ids[key] = r.ID // the change set may have the content twice
		}
		known[r.ID] = ids[key]
	}
	replace := func(id *uuid.UUID) {
		if knownID, ok := known[*id]; ok {
			*id = knownID
		}
	}
	for i := range b.Heads {
		replace(&b.Heads[i].RevisionID)
	}
	for i := range b.Words {
		replace(&b.Words[i].RevisionID)
	}
	for i := range b.Activity {
		replace(&b.Activity[i].RevisionID)
	}
	return nil
}

// updateRows saves the changed memories in one statement, except IndexLines and their sizes in
// CLAUDE.md. It does nothing if heads is empty. If a memory that was restored becomes Deleted
// again, it also ends the restore.
func updateRows(ctx context.Context, q *queries.Queries, heads []records.MemoryRow) error {
	if len(heads) == 0 {
		return nil
	}
	var p queries.UpdateMemoriesParams
	for i := range heads {
		h := &heads[i]
		problems, err := dbconv.ListJSON(h.Problems)
		if err != nil {
			return err
		}
		p.Ids = append(p.Ids, h.UUID)
		p.Names = append(p.Names, h.Name)
		p.Teams = append(p.Teams, h.Team)
		p.CreatedAt = append(p.CreatedAt, h.CreatedAt)
		p.States = append(p.States, string(h.State))
		p.Types = append(p.Types, string(h.Type))
		p.RevisionIds = append(p.RevisionIds, h.RevisionID)
		p.Descriptions = append(p.Descriptions, h.Description)
		p.Fingerprints = append(p.Fingerprints, h.Fingerprint[:])
		p.Hashes = append(p.Hashes, h.Hash)
		p.Sizes = append(p.Sizes, h.Size)
		p.Paths = append(p.Paths, h.Path)
		p.Sessions = append(p.Sessions, h.Session)
		p.ModifiedAt = append(p.ModifiedAt, h.ModifiedAt)
		p.ContentAt = append(p.ContentAt, h.ContentAt)
		p.Problems = append(p.Problems, problems)
		p.UpdatedAt = append(p.UpdatedAt, h.UpdatedAt)
		p.DeletedAt = append(p.DeletedAt, h.DeletedAt)
		p.DeletedBy = append(p.DeletedBy, string(h.DeletedBy))
		p.DeletedActors = append(p.DeletedActors, string(h.DeletedActor))
		p.Conflicts = append(p.Conflicts, string(h.Conflict))
	}
	return q.UpdateMemories(ctx, p)
}

// saveRevisions adds contents of known memories. A content that its memory had before keeps its
// row. If it is Current, saveRevisions updates hash, bytes, path, session and time of that row;
// otherwise it changes nothing.
func saveRevisions(ctx context.Context, q *queries.Queries, revisions []records.Revision) error {
	if len(revisions) == 0 {
		return nil
	}
	return batchErr(q.SaveRevision(ctx, dbconv.All(revisions, func(r records.Revision) queries.SaveRevisionParams {
		p := revisionParams(r)
		return queries.SaveRevisionParams{
			ID: p.ID, MemoryID: p.MemoryID, Fingerprint: p.Fingerprint, Hash: p.Hash, Type: p.Type, Description: p.Description,
			Body: p.Body, Raw: p.Raw, Path: p.Path, Session: p.Session, SeenAt: p.SeenAt, Current: r.Current,
		}
	})))
}

func revisionParams(r records.Revision) queries.InsertRevisionsParams {
	return queries.InsertRevisionsParams{
		ID: r.ID, MemoryID: r.MemoryID, Fingerprint: r.Fingerprint[:], Hash: r.Hash, Type: dbconv.Optional(string(r.Type)),
		Description: r.Description, Body: r.Body, Raw: r.Raw, Path: r.Path, Session: dbconv.Optional(r.Session), SeenAt: r.SeenAt,
	}
}

// saveFiles inserts the rows of b.NewFiles and updates those of b.Files. Then it deletes the rows
// of blocked contents at the paths in b.Unblock, and saves b.Block. No file on disk changes.
func saveFiles(ctx context.Context, q *queries.Queries, agentID int64, b *records.ChangeSet) error {
	if len(b.NewFiles) > 0 {
		_, err := q.InsertFiles(ctx, dbconv.All(b.NewFiles, func(f records.File) queries.InsertFilesParams {
			return queries.InsertFilesParams{
				AgentID: agentID, Path: f.Path, Session: dbconv.Optional(f.Session), MemoryID: dbconv.Optional(f.MemoryID),
				Status: string(f.Status), Present: f.Present, Fingerprint: f.Fingerprint[:], Hash: f.Hash, Size: f.Size,
				MtimeNs: f.ModTime, ModifiedAt: f.ModifiedAt, ContentAt: f.ContentAt, Problem: dbconv.Optional(f.Problem),
				Signature: dbconv.Optional(f.Signature), Flaws: dbconv.Optional(f.Flaws.String()),
			}
		}))
		if err != nil {
			return err
		}
	}
	if err := updateFiles(ctx, q, agentID, b.Files); err != nil {
		return err
	}
	if len(b.Unblock) > 0 {
		if err := q.DeleteBlocked(ctx, queries.DeleteBlockedParams{AgentID: agentID, Paths: b.Unblock}); err != nil {
			return err
		}
	}
	if len(b.Block) == 0 {
		return nil
	}
	return batchErr(q.SaveBlocked(ctx, dbconv.All(b.Block, func(f records.BlockedFile) queries.SaveBlockedParams {
		return queries.SaveBlockedParams{
			ID: uuid.Must(uuid.NewV7()), AgentID: agentID, Path: f.Path, Session: dbconv.Optional(f.Session), Name: f.Name,
			Fingerprint: f.Fingerprint[:], Hash: f.Hash, Type: dbconv.Optional(string(f.Type)), Description: f.Description,
			Body: f.Body, SeenAt: f.SeenAt, Team: f.Team,
		}
	})))
}

// updateFiles saves all columns of the rows of known files in one statement, by path, and clears
// their expected hashes. It ignores unknown paths, and does nothing if files is empty.
func updateFiles(ctx context.Context, q *queries.Queries, agentID int64, files []records.File) error {
	if len(files) == 0 {
		return nil
	}
	p := queries.UpdateFilesParams{AgentID: agentID}
	for i := range files {
		f := &files[i]
		p.Paths = append(p.Paths, f.Path)
		p.Sessions = append(p.Sessions, f.Session)
		p.MemoryIds = append(p.MemoryIds, f.MemoryID)
		p.Statuses = append(p.Statuses, string(f.Status))
		p.Present = append(p.Present, f.Present)
		p.Fingerprints = append(p.Fingerprints, f.Fingerprint[:])
		p.Hashes = append(p.Hashes, f.Hash)
		p.Sizes = append(p.Sizes, f.Size)
		p.MtimesNs = append(p.MtimesNs, f.ModTime)
		p.Signatures = append(p.Signatures, f.Signature)
		p.ModifiedAt = append(p.ModifiedAt, f.ModifiedAt)
		p.ContentAt = append(p.ContentAt, f.ContentAt)
		p.Problems = append(p.Problems, f.Problem)
		p.Flaws = append(p.Flaws, f.Flaws.String())
		p.Unfinished = append(p.Unfinished, f.Unfinished.String())
	}
	return q.UpdateFiles(ctx, p)
}
