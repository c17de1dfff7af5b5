// Package exchange has the statements for exports and imports: an agent's memories with all their
// contents, tombstones, journal and decisions.
package exchange

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/visible"

	"memoir/internal/exchange"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
)

// Archives reads all agents for exports. It is safe for concurrent use.
type Archives struct {
	pool *visible.Pool
	q    *queries.Queries
}

// New returns the Archives of a database.
func New(pool *visible.Pool) *Archives { return &Archives{pool, queries.New(pool)} }

// Numbers of rows of one statement. A memory can have several contents of 1 MiB.
const (
	memoriesAtOnce = 50
	entriesAtOnce  = 2000
)

// Export reads an agent at one moment. It calls head once, with all but the memories, and then each
// for every memory, in the order of names. A memory's Path is relative to the agent's directory.
// Memories whose current bytes are not stored are left out. Revisions without bytes are included.
func (a *Archives) Export(ctx context.Context, agentID int64, head func(exchange.Agent) error, each func(exchange.Memory) error) error {
	var failed error // of a callback, which is no error of the database
	err := pgx.BeginTxFunc(ctx, a.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		q := a.q.WithTx(tx)
		agent, err := readHead(ctx, q, agentID)
		if err != nil {
			return err
		}
		if failed = head(agent); failed != nil {
			return failed
		}
		after := queries.ExportMemoriesParams{AgentID: agentID, Most: memoriesAtOnce}
		for {
			rows, err := q.ExportMemories(ctx, after)
			if err != nil || len(rows) == 0 {
				return err
			}
			page, err := memoriesOf(ctx, q, rows)
			if err != nil {
				return err
			}
			for _, m := range page {
				if content := m.Content(); content == nil || content.Raw == nil {
					continue
				}
				if failed = each(m); failed != nil {
					return failed
				}
			}
			last := rows[len(rows)-1]
			after.AfterName, after.AfterTeam, after.AfterID = last.Name, last.Team, last.ID
		}
	})
	if failed != nil {
		return failed
	}
	return dberr.Wrap("read an agent for an export", err)
}

func readHead(ctx context.Context, q *queries.Queries, agentID int64) (exchange.Agent, error) {
	var agent exchange.Agent
	tombstones, err := q.ExportTombstones(ctx, agentID)
	if err != nil {
		return agent, err
	}
	agent.Tombstones = dbconv.All(tombstones, func(row queries.ExportTombstonesRow) exchange.Tombstone {
		return exchange.Tombstone{Name: row.Name, Team: row.Team, Content: fingerprint(row.Fingerprint), DeletedAt: row.DeletedAt.UTC()}
	})
	decisions, err := q.ExportDecisions(ctx, agentID)
	if err != nil {
		return agent, err
	}
	agent.Decisions = dbconv.All(decisions, func(row queries.ExportDecisionsRow) exchange.Decision {
		return exchange.Decision{Item: row.ItemID, Kind: row.Kind, Decision: row.Decision, At: row.DecidedAt.UTC(), By: memories.Actor(row.DecidedBy), Until: utc(row.Until)}
	})
	pending, err := q.ExportPending(ctx, agentID)
	if err != nil {
		return agent, err
	}
	agent.Pending = dbconv.All(pending, func(row queries.ExportPendingRow) exchange.Key { return exchange.Key{Name: row.Name, Team: row.Team} })
	page := queries.ExportJournalParams{AgentID: agentID, Most: entriesAtOnce}
	for {
		rows, err := q.ExportJournal(ctx, page)
		if err != nil {
			return agent, err
		}
		if len(rows) == 0 {
			break
		}
		agent.Journal = append(agent.Journal, dbconv.All(rows, entryOf)...)
		page.At, page.ID = rows[len(rows)-1].At, rows[len(rows)-1].ID
	}
	// Ids differ between databases, so they only order the entries of one memory.
	slices.SortStableFunc(agent.Journal, func(a, b exchange.Entry) int {
		one, other := dbconv.OrZero(a.Memory), dbconv.OrZero(b.Memory)
		return cmp.Or(a.At.Compare(b.At), bytes.Compare(one[:], other[:]))
	})
	return agent, nil
}

func entryOf(row queries.ExportJournalRow) exchange.Entry {
	e := exchange.Entry{
		At: row.At.UTC(), Kind: row.Kind, Actor: memories.Actor(row.Actor), Memory: row.MemoryID, Name: row.Name, OtherName: row.OtherName, Team: row.Team,
		Path: row.Path, Session: row.Session, State: row.State, Type: row.Type, ModifiedAt: utc(row.ModifiedAt),
	}
	if row.Fingerprint != nil {
		content := fingerprint(row.Fingerprint)
		e.Content = &content
	}
	return e
}

// memoriesOf returns memories with their revisions and phrases.
func memoriesOf(ctx context.Context, q *queries.Queries, rows []queries.ExportMemoriesRow) ([]exchange.Memory, error) {
	all, at, ids := make([]exchange.Memory, len(rows)), map[uuid.UUID]*exchange.Memory{}, make([]uuid.UUID, len(rows))
	for i, row := range rows {
		m := exchange.Memory{
			ID: row.ID, Name: row.Name, Team: row.Team, Readable: row.Readable, Type: memories.Type(dbconv.OrZero(row.Type)), Path: row.Home,
			Current: fingerprint(row.Fingerprint), CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
			ModifiedAt: row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(), Revisions: []exchange.Revision{},
		}
		if row.State == string(memories.Deleted) {
			m.Deleted = &exchange.Deletion{
				At: dbconv.TimeOrZero(row.DeletedAt), By: dbconv.OrZero(row.DeletedBy), Actor: memories.Actor(dbconv.OrZero(row.DeletedActor)), IndexLines: row.IndexLines,
			}
		}
		all[i], at[row.ID], ids[i] = m, &all[i], row.ID
	}
	revisions, err := q.ExportRevisions(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range revisions {
		m := at[r.MemoryID]
		m.Revisions = append(m.Revisions, exchange.Revision{
			Content: fingerprint(r.Fingerprint), Hash: r.Hash, Type: memories.Type(dbconv.OrZero(r.Type)), Description: r.Description, Body: r.Body,
			Raw: r.Raw, Path: r.Path, Session: dbconv.OrZero(r.Session), SeenAt: r.SeenAt.UTC(),
		})
	}
	phrases, err := q.ExportPhrases(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, p := range phrases {
		at[p.MemoryID].AskedAs = &exchange.Phrases{Phrases: p.Phrases, By: p.WrittenBy, At: p.WrittenAt.UTC(), Content: fingerprint(p.Fingerprint)}
	}
	return all, nil
}

// ExchangeState returns what the agent has of each name, as exchange.Decide takes it.
func (a *Archives) ExchangeState(ctx context.Context, agentID int64) (map[exchange.Key]exchange.Known, error) {
	rows, err := a.q.ExchangeState(ctx, queries.ExchangeStateParams{ContentKinds: exchange.ContentKinds, KeepingKinds: exchange.KeepingKinds, AgentID: agentID})
	if err != nil {
		return nil, dberr.Wrap("read the state for an import", err)
	}
	all := make(map[exchange.Key]exchange.Known, len(rows))
	for _, row := range rows {
		k := exchange.Known{
			ID: row.ID, Readable: true, Living: row.State != string(memories.Deleted), Current: fingerprint(row.Fingerprint),
			History: dbconv.All(row.History, fingerprint), Since: later(row.Since.UTC(), row.ContentAt.UTC()), KeptAt: row.KeptAt.UTC(),
		}
		if !k.Living {
			k.Since = dbconv.TimeOrZero(row.DeletedAt)
		}
		all[exchange.Key{Name: row.Name, Team: row.Team}] = k
	}
	tombstones, err := a.q.ExportTombstones(ctx, agentID)
	if err != nil {
		return nil, dberr.Wrap("read tombstones", err)
	}
	for _, t := range tombstones {
		key := exchange.Key{Name: t.Name, Team: t.Team}
		k := all[key]
		if k.Tombstones == nil {
			k.Tombstones = map[exchange.Fingerprint]time.Time{}
		}
		k.Tombstones[fingerprint(t.Fingerprint)] = t.DeletedAt.UTC()
		all[key] = k
	}
	pending, err := a.q.ExportPending(ctx, agentID)
	for _, p := range pending {
		key := exchange.Key{Name: p.Name, Team: p.Team}
		k := all[key]
		k.Pending = true
		all[key] = k
	}
	return all, dberr.Wrap("read what waits for a decision", err)
}

// UnreadableFiles returns the paths of the agent's unreadable files, relative to its directory, by
// the ids of their memories. The paths of deleted ones are empty.
func (a *Archives) UnreadableFiles(ctx context.Context, agentID int64) (map[uuid.UUID]string, error) {
	rows, err := a.q.UnreadableFiles(ctx, agentID)
	found := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		found[row.ID] = row.Path
	}
	return found, dberr.Wrap("read unreadable files", err)
}

func fingerprint(raw []byte) exchange.Fingerprint { return exchange.Fingerprint(raw) }

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
