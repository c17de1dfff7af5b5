package postgres

import (
	"context"
	"encoding/hex"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Revisions returns one page of the memory's different contents, newest first, including the
// current one, also of a deleted memory. The page begins with the content whose id or hash is
// list.From, or with the newest. It fails with memories.ErrNotFound if the agent has no such
// memory, and with records.ErrCursor if list.From is unknown.
func (s *Store) Revisions(ctx context.Context, agent records.Agent, id string, list records.RevisionList) (records.RevisionPage, error) {
	if _, err := s.Memory(ctx, agent, id); err != nil {
		return records.RevisionPage{}, err
	}
	if !memories.CanBeText(list.From) {
		return records.RevisionPage{}, records.ErrCursor
	}
	rows, err := s.q.Revisions(ctx, queries.RevisionsParams{
		MemoryID: uuid.MustParse(id), FromID: dbconv.Optional(list.From), Most: int32(list.Limit + 1),
	})
	if err != nil {
		return records.RevisionPage{}, dberr.Wrap("read revisions", err)
	}
	switch {
	case len(rows) == 0 && list.From == "": // the memory was purged since it was found
		return records.RevisionPage{}, memories.ErrNotFound
	case len(rows) == 0:
		return records.RevisionPage{}, records.ErrCursor
	}
	page := records.RevisionPage{Skipped: int(rows[0].Total - rows[0].Rest), Total: int(rows[0].Total)}
	if len(rows) > list.Limit {
		page.Next = hex.EncodeToString(rows[list.Limit].Fingerprint)
		rows = rows[:list.Limit]
	}
	for _, row := range rows {
		page.Revisions = append(page.Revisions, memories.Revision{
			ID: hex.EncodeToString(row.Fingerprint), Hash: row.Hash, Type: memories.Type(dbconv.OrZero(row.Type)),
			Description: row.Description, Body: row.Body, Path: row.Path, Session: dbconv.OrZero(row.Session), SeenAt: row.SeenAt.UTC(),
		})
	}
	return page, nil
}

// Raw returns the exact bytes of the file that the memory's current content came from. It returns
// nil and no error if they were not saved. It fails with memories.ErrNotFound if the agent has no
// such memory.
func (s *Store) Raw(ctx context.Context, agent records.Agent, id string) ([]byte, error) {
	if _, err := s.Memory(ctx, agent, id); err != nil {
		return nil, err
	}
	raw, err := s.q.CurrentRaw(ctx, uuid.MustParse(id))
	return raw, dberr.Wrap("read the memory's bytes", err)
}

// LastGood returns the bytes of the last accepted content of the memory's file at path, from the
// database. It returns nil and no error if they were not saved or the agent's memory has no such
// file. It fails with memories.ErrNotFound if the id is malformed.
func (s *Store) LastGood(ctx context.Context, agent records.Agent, id, path string) ([]byte, error) {
	memory, err := dbconv.ParseID(id)
	if err != nil {
		return nil, err
	}
	raw, err := s.q.LastGood(ctx, queries.LastGoodParams{AgentID: agent.ID, Path: path, MemoryID: memory})
	return raw, dberr.Wrap("read a file's last good bytes", dbconv.IgnoreNoRows(err))
}

// RawOfHash returns the saved bytes with the hash among the contents that the memory has or had. It
// returns nil and no error if they were not saved or hash is unknown. It fails with
// memories.ErrNotFound if the agent has no such memory.
func (s *Store) RawOfHash(ctx context.Context, agent records.Agent, id, hash string) ([]byte, error) {
	if _, err := s.Memory(ctx, agent, id); err != nil {
		return nil, err
	}
	if !memories.CanBeText(hash) {
		return nil, nil
	}
	raw, err := s.q.RawOfHash(ctx, queries.RawOfHashParams{MemoryID: uuid.MustParse(id), Hash: hash})
	return raw, dberr.Wrap("read a file's earlier bytes", dbconv.IgnoreNoRows(err))
}
