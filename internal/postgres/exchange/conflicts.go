package exchange

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/exchange"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// NewConflict is a conflict between a deletion and a change of the same memory, to be saved.
type NewConflict struct {
	records.DeletionConflict // MemoryID can be uuid.Nil if Deleted: the name has no memory
	// Changed is the other machine's memory if Deleted, with its Path relative to the agent's directory.
	Changed  exchange.Memory
	Problems []memories.Problem // of Changed
	Actor    memories.Actor
	At       time.Time // later than all changes of the memory
}

// AddDeletionConflict saves a conflict in one transaction, and makes the review of the agent
// outdated. The memory in the trash gets the changed content and its history; if there is none, it is
// added. It returns the memory's id. It fails with memories.ErrChanged if the memory is not living or
// deleted as the conflict says.
func (r Rows) AddDeletionConflict(ctx context.Context, c NewConflict) (id uuid.UUID, err error) {
	id = c.MemoryID
	err = r.inTx(ctx, "save a conflict", func(q *queries.Queries) error {
		if c.Deleted {
			if id, err = r.replaceTrash(ctx, q, c); err != nil {
				return err
			}
		}
		n, err := q.SaveDeletionConflict(ctx, queries.SaveDeletionConflictParams{MemoryID: id, AgentID: r.agentID, Deleted: c.Deleted, OtherAt: c.OtherAt})
		if err != nil {
			return err
		}
		if n == 0 {
			return memories.ErrChanged
		}
		return q.OutdateReviewRun(ctx, queries.OutdateReviewRunParams{AgentID: r.agentID, At: records.Now()})
	})
	return id, err
}

// replaceTrash gives a memory in the trash the changed content of a conflict, and returns its id.
func (r Rows) replaceTrash(ctx context.Context, q *queries.Queries, c NewConflict) (uuid.UUID, error) {
	problems, err := dbconv.ListJSON(c.Problems)
	if err != nil {
		return uuid.Nil, err
	}
	m, kind := c.Changed, memories.ActivityChanged
	if m.ID = c.MemoryID; m.ID == uuid.Nil {
		m.ID, kind = uuid.Must(uuid.NewV7()), memories.ActivityDeleted
		m.Deleted = &exchange.Deletion{At: c.At, By: string(records.ByPerson), Actor: c.Actor}
		m.Revisions = []exchange.Revision{*m.Content()} // the history was purged
		if _, err := r.insert(ctx, q, []exchange.Memory{m}, c.At); err != nil {
			return uuid.Nil, err
		}
		if err := q.SetImportedProblems(ctx, queries.SetImportedProblemsParams{ID: m.ID, Problems: problems}); err != nil {
			return uuid.Nil, err
		}
	} else {
		if err := each(q.ImportRevision(ctx, r.revisionParams(m))); err != nil {
			return uuid.Nil, err
		}
		n, err := q.ReplaceTrash(ctx, queries.ReplaceTrashParams{
			ID: m.ID, AgentID: r.agentID, Fingerprint: m.Current[:], Problems: problems, ModifiedAt: m.ModifiedAt, ContentAt: m.ContentAt, At: c.At,
		})
		if err != nil || n == 0 { // it has the content already
			return m.ID, err
		}
	}
	state := string(memories.Deleted)
	return m.ID, each(q.ImportEntry(ctx, []queries.ImportEntryParams{{
		AgentID: r.agentID, At: c.At, MemoryID: &m.ID, Name: m.Name, Team: m.Team, Kind: string(kind), Actor: string(c.Actor), Path: m.Path,
		State: &state, Type: dbconv.Optional(string(m.Type)), Content: m.Current[:], ModifiedAt: &m.ModifiedAt,
	}}))
}

// DeletionConflicts returns the agent's memories about whose deletion a person has to decide.
func (a *Archives) DeletionConflicts(ctx context.Context, agentID int64) ([]records.DeletionConflict, error) {
	rows, err := a.q.DeletionConflicts(ctx, agentID)
	return dbconv.Rows("read conflicts", rows, err, func(row queries.DeletionConflictsRow) records.DeletionConflict {
		return records.DeletionConflict{MemoryID: row.MemoryID, Deleted: row.Deleted, OtherAt: row.OtherAt.UTC()}
	})
}

// ReopenDeletionConflict makes a memory wait again for the decision about its deletion. It fails with
// memories.ErrChanged if the memory is not living or deleted as the conflict says.
func (a *Archives) ReopenDeletionConflict(ctx context.Context, agentID int64, c records.DeletionConflict) error {
	return dberr.Wrap("reopen a conflict", pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		q := a.q.WithTx(tx)
		n, err := q.SaveDeletionConflict(ctx, queries.SaveDeletionConflictParams{MemoryID: c.MemoryID, AgentID: agentID, Deleted: c.Deleted, OtherAt: c.OtherAt})
		if err != nil {
			return err
		}
		if n == 0 {
			return memories.ErrChanged
		}
		return q.AllowConflicting(ctx, c.MemoryID)
	}))
}
