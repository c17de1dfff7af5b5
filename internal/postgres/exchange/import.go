package exchange

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/exchange"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
)

// Rows writes the history of one agent, whose lock the caller has.
type Rows struct {
	agentID int64
	conn    *pgxpool.Conn
}

// Of returns the Rows of an agent on a connection.
func Of(agentID int64, conn *pgxpool.Conn) Rows { return Rows{agentID, conn} }

// Seed adds memories to the trash, with their contents, in one transaction. Those that lived are
// marked so that the next restore brings them back. A memory's Path is relative to the agent's
// directory. Memories whose name or path the agent has already are left out. It returns the added
// memories, with the ids that they have here, and the last entry of the journal before the restore.
func (r Rows) Seed(ctx context.Context, all []exchange.Memory, at time.Time) (seeded []exchange.Memory, last int64, err error) {
	seeded = slices.Clone(all)
	err = r.inTx(ctx, "add imported memories", func(q *queries.Queries) error {
		known, err := q.KnownIDs(ctx, dbconv.All(seeded, func(m exchange.Memory) uuid.UUID { return m.ID }))
		if err != nil {
			return err
		}
		for i := range seeded {
			if slices.Contains(known, seeded[i].ID) {
				seeded[i].ID = uuid.Must(uuid.NewV7())
			}
		}
		if seeded, err = r.insert(ctx, q, seeded, at); err != nil {
			return err
		}
		if err := importPhrases(ctx, q, r.agentID, seeded); err != nil {
			return err
		}
		last, err = q.LastEntry(ctx, r.agentID)
		return err
	})
	return seeded, last, err
}

// insert adds memories to the trash, with their contents. It leaves out those whose name or path the
// agent has already, and returns the others.
func (r Rows) insert(ctx context.Context, q *queries.Queries, all []exchange.Memory, at time.Time) ([]exchange.Memory, error) {
	rows := dbconv.All(all, func(m exchange.Memory) queries.ImportMemoryParams { return r.memoryParams(m, at) })
	if err := each(q.ImportMemory(ctx, rows)); err != nil {
		return nil, err
	}
	added, err := q.KnownIDs(ctx, dbconv.All(all, func(m exchange.Memory) uuid.UUID { return m.ID }))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m exchange.Memory) bool { return !slices.Contains(added, m.ID) })
	var files []queries.ImportFileParams
	for i, m := range all {
		revisions := r.revisionParams(m)
		j := slices.IndexFunc(m.Revisions, func(rev exchange.Revision) bool { return rev.Content == m.Current })
		revisions[j].ID = rows[slices.IndexFunc(rows, func(p queries.ImportMemoryParams) bool { return p.ID == m.ID })].RevisionID
		if err := each(q.ImportRevision(ctx, revisions)); err != nil {
			return nil, err
		}
		if m.Path != "" && m.Readable {
			c := m.Revisions[j]
			files = append(files, queries.ImportFileParams{
				AgentID: r.agentID, Path: m.Path, MemoryID: &all[i].ID, Fingerprint: m.Current[:], Hash: c.Hash, Size: int64(len(c.Raw)),
				MtimeNs: m.ModifiedAt.UnixNano(), ModifiedAt: m.ModifiedAt, ContentAt: m.ContentAt,
			})
		}
	}
	return all, each(q.ImportFile(ctx, files))
}

func (r Rows) memoryParams(m exchange.Memory, at time.Time) queries.ImportMemoryParams {
	content := m.Content()
	p := queries.ImportMemoryParams{
		ID: m.ID, AgentID: r.agentID, Name: m.Name, Team: m.Team, Readable: m.Readable, Type: dbconv.Optional(string(m.Type)), RevisionID: uuid.Must(uuid.NewV7()),
		Fingerprint: m.Current[:], Hash: content.Hash, Size: int64(len(content.Raw)), Description: content.Description, Path: m.Path,
		ModifiedAt: m.ModifiedAt, ContentAt: m.ContentAt, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
		DeletedAt: &at, DeletedBy: dbconv.Optional("disk"), Restoring: m.Deleted == nil,
	}
	if d := m.Deleted; d != nil {
		p.DeletedAt, p.DeletedBy, p.DeletedActor, p.IndexLines = &d.At, dbconv.Optional(d.By), dbconv.Optional(string(d.Actor)), d.IndexLines
		if !json.Valid(d.IndexLines) {
			p.IndexLines = nil
		}
	}
	return p
}

func (r Rows) revisionParams(m exchange.Memory) []queries.ImportRevisionParams {
	return dbconv.All(m.Revisions, func(rev exchange.Revision) queries.ImportRevisionParams {
		return queries.ImportRevisionParams{
			ID: uuid.Must(uuid.NewV7()), MemoryID: m.ID, Fingerprint: rev.Content[:], Hash: rev.Hash, Type: dbconv.Optional(string(rev.Type)),
			Description: rev.Description, Body: rev.Body, Raw: rev.Raw, Path: rev.Path, Session: dbconv.Optional(rev.Session), SeenAt: rev.SeenAt,
		}
	})
}

func importPhrases(ctx context.Context, q *queries.Queries, agentID int64, all []exchange.Memory) error {
	var phrases []queries.ImportPhrasesParams
	var words []string
	for _, m := range all {
		if m.AskedAs == nil {
			continue
		}
		vector, each := search.Vector(search.Text{AgentID: agentID, Body: strings.Join(m.AskedAs.Phrases, "\n")})
		words = append(words, each...)
		phrases = append(phrases, queries.ImportPhrasesParams{
			MemoryID: m.ID, Fingerprint: m.AskedAs.Content[:], Phrases: append([]string{}, m.AskedAs.Phrases...), WrittenBy: m.AskedAs.By, WrittenAt: m.AskedAs.At, Words: vector,
		})
	}
	if len(phrases) == 0 {
		return nil
	}
	if err := each(q.ImportPhrases(ctx, phrases)); err != nil {
		return err
	}
	return q.AddWords(ctx, search.Distinct(search.AppendCorrections(nil, slices.Values(words))))
}

// FinishSeed gives restored memories their own times again, and removes the entries that the restore
// has added to the journal after the entry last.
func (r Rows) FinishSeed(ctx context.Context, seeded []exchange.Memory, last int64) error {
	return r.inTx(ctx, "finish imported memories", func(q *queries.Queries) error {
		ids := dbconv.All(seeded, func(m exchange.Memory) uuid.UUID { return m.ID })
		if err := q.DeleteEntriesSince(ctx, queries.DeleteEntriesSinceParams{AgentID: r.agentID, ID: last, MemoryIds: ids}); err != nil {
			return err
		}
		err := each(q.SetImportedTimes(ctx, dbconv.All(seeded, func(m exchange.Memory) queries.SetImportedTimesParams {
			return queries.SetImportedTimesParams{ID: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, ContentAt: m.ContentAt, ModifiedAt: m.ModifiedAt}
		})))
		if err != nil {
			return err
		}
		for _, m := range seeded {
			err := each(q.SetImportedRevision(ctx, dbconv.All(m.Revisions, func(rev exchange.Revision) queries.SetImportedRevisionParams {
				return queries.SetImportedRevisionParams{MemoryID: m.ID, Fingerprint: rev.Content[:], Path: rev.Path, Session: dbconv.Optional(rev.Session), SeenAt: rev.SeenAt}
			})))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// MergeHistory adds the contents of a memory that the agent's memory with the id lacks. The current
// content stays.
func (r Rows) MergeHistory(ctx context.Context, id uuid.UUID, m exchange.Memory) error {
	m.ID = id
	return r.inTx(ctx, "merge a history", func(q *queries.Queries) error { return each(q.ImportRevision(ctx, r.revisionParams(m))) })
}

// AddTombstones adds those of the tombstones that the agent lacks, except of contents that memories
// have.
func (r Rows) AddTombstones(ctx context.Context, all []exchange.Tombstone) error {
	return r.inTx(ctx, "add tombstones", func(q *queries.Queries) error {
		return each(q.ImportTombstone(ctx, dbconv.All(all, func(t exchange.Tombstone) queries.ImportTombstoneParams {
			return queries.ImportTombstoneParams{AgentID: r.agentID, Name: t.Name, Team: t.Team, Fingerprint: t.Content[:], DeletedAt: t.DeletedAt}
		})))
	})
}

// AddDecisions adds the decisions about items without one.
func (r Rows) AddDecisions(ctx context.Context, all []exchange.Decision) error {
	return r.inTx(ctx, "add decisions", func(q *queries.Queries) error {
		return each(q.ImportDecision(ctx, dbconv.All(all, func(d exchange.Decision) queries.ImportDecisionParams {
			return queries.ImportDecisionParams{ItemID: d.Item, AgentID: r.agentID, Kind: d.Kind, Decision: d.Decision, DecidedAt: d.At, DecidedBy: string(d.By), Until: d.Until}
		})))
	})
}

// AddJournal adds the entries that the journal lacks. Entries of memories that had a journal before
// are left out, unless they are from before it, so all entries of a memory must be in one call. ids
// are the memories' ids here, by their ids there. RecountGrowth must follow.
func (r Rows) AddJournal(ctx context.Context, all []exchange.Entry, ids map[uuid.UUID]uuid.UUID) error {
	if len(all) == 0 {
		return nil
	}
	return r.inTx(ctx, "add to the journal", func(q *queries.Queries) error {
		var asked []uuid.UUID
		params := make([]queries.ImportEntryParams, len(all))
		for i, e := range all {
			params[i] = queries.ImportEntryParams{
				AgentID: r.agentID, At: e.At, Name: e.Name, Kind: e.Kind, Actor: string(e.Actor), Path: e.Path, Session: e.Session,
				State: e.State, Type: e.Type, ModifiedAt: e.ModifiedAt, OtherName: e.OtherName, Team: e.Team,
			}
			if e.Memory != nil {
				id := *e.Memory
				if here, ok := ids[id]; ok {
					id = here
				}
				params[i].MemoryID, asked = &id, append(asked, id)
			}
			if e.Content != nil {
				params[i].Content = e.Content[:]
			}
		}
		rows, err := q.FirstEntries(ctx, asked)
		if err != nil {
			return err
		}
		begins := map[uuid.UUID]time.Time{}
		for _, row := range rows {
			begins[row.MemoryID] = row.At
		}
		params = slices.DeleteFunc(params, func(p queries.ImportEntryParams) bool {
			if p.MemoryID == nil {
				return false
			}
			begin, ok := begins[*p.MemoryID]
			return ok && !p.At.Before(begin)
		})
		if len(params) == 0 {
			return nil
		}
		for page := range slices.Chunk(params, entriesAtOnce) {
			if err := each(q.ImportEntry(ctx, page)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RecountGrowth counts the agent's memories by day again, from its journal.
func (r Rows) RecountGrowth(ctx context.Context) error {
	return r.inTx(ctx, "count memories by day", func(q *queries.Queries) error {
		if err := q.DeleteGrowth(ctx, r.agentID); err != nil {
			return err
		}
		return q.RecountGrowth(ctx, r.agentID)
	})
}

func (r Rows) inTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return dberr.Wrap(doing, pgx.BeginFunc(ctx, r.conn, func(tx pgx.Tx) error { return do(queries.New(tx)) }))
}

// each runs all statements of a batch and returns the first error, or nil.
func each(results interface{ Exec(func(int, error)) }) error {
	var first error
	results.Exec(func(_ int, err error) {
		if first == nil {
			first = err
		}
	})
	return first
}
