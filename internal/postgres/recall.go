package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
)

// RecallSources returns those of the agent of that slug, itself first. It fails with memories.ErrNotFound.
func (s *Store) RecallSources(ctx context.Context, slug string) (records.RecallSources, error) {
	agent, err := s.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	shared, err := s.Shared(ctx, agent)
	return append(records.RecallSources{agent}, shared...), err
}

// WordsBeginning returns words that memories of any agent have and that begin as one of those does, 60 of each at most.
// Words that a slip of the hand cannot lead to (see words.CanBeMeant) are not known.
func (s *Store) WordsBeginning(ctx context.Context, beginnings []string) ([]string, error) {
	found, err := s.q.WordsBeginning(ctx, beginnings)
	return found, wrap("look for words", err)
}

// WordsAlike returns, for each of those words, words of memories that look alike, the most alike first; none where the database
// cannot tell (see NearMisses).
func (s *Store) WordsAlike(ctx context.Context, typed []string) (map[string][]string, error) {
	if !s.nearMisses || len(typed) == 0 {
		return nil, nil
	}
	rows, err := s.q.SimilarWords(ctx, typed)
	if err != nil {
		return nil, wrap("look for words that look alike", err)
	}
	alike := map[string][]string{}
	for _, row := range rows {
		alike[row.Typed] = append(alike[row.Typed], row.Word)
	}
	return alike, nil
}

// Hits returns for each thing that is sought the memories of the agents that have it, most of each at most and in no order. Some may be
// in the trash.
func (s *Store) Hits(ctx context.Context, from records.RecallSources, sought []records.RecallTerm, most int) ([][]uuid.UUID, error) {
	matches := make([]string, len(sought))
	for i, each := range sought {
		matches[i] = search.MatchAny(from.IDs(), each.Words, each.Runs)
	}
	hits := make([][]uuid.UUID, len(sought))
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if err := q.GoByIndexes(ctx); err != nil {
			return err
		}
		rows, err := q.RecallHits(ctx, queries.RecallHitsParams{Matches: matches, Most: int32(most)})
		for _, row := range rows {
			hits[row.Place-1] = row.Ids
		}
		return err
	})
	return hits, wrap("look for what to recall", err)
}

// Texts returns those of the memories that can be recalled, each with the beginning of its body, in Unicode characters, and in no
// order.
func (s *Store) Texts(ctx context.Context, from records.RecallSources, ids []uuid.UUID, most int) ([]memories.Memory, error) {
	rows, err := s.q.RecallTexts(ctx, queries.RecallTextsParams{AgentIds: from.IDs(), Ids: ids, Most: int32(most)})
	if err != nil {
		return nil, wrap("read what to recall", err)
	}
	found := make([]memories.Memory, len(rows))
	for i, row := range rows {
		found[i] = memories.Memory{
			ID: row.ID.String(), Agent: from.Of(row.AgentID).Slug, AgentID: row.AgentID, Name: row.Name, Type: memories.Type(text(row.Type)), Path: row.Path,
			ModifiedAt: row.ModifiedAt.UTC(), Description: row.Description, Body: row.Body,
		}
	}
	facts, err := s.factsToRecall(ctx, from, ids)
	return append(found, facts...), err
}

// Newest returns the memories of the agents that can be recalled, besides those, the newest modification first. Only those
// without a description have the beginning of their bodies. Facts of indexes follow.
func (s *Store) Newest(ctx context.Context, from records.RecallSources, besides []uuid.UUID, most int) ([]memories.Memory, error) {
	if besides == nil {
		besides = []uuid.UUID{}
	}
	rows, err := s.q.RecallManifest(ctx, queries.RecallManifestParams{AgentIds: from.IDs(), Besides: besides, Most: int32(most)})
	if err != nil {
		return nil, wrap("list what to recall", err)
	}
	found := make([]memories.Memory, len(rows))
	for i, row := range rows {
		found[i] = memories.Memory{
			ID: row.ID.String(), Agent: from.Of(row.AgentID).Slug, AgentID: row.AgentID, Name: row.Name, Type: memories.Type(text(row.Type)), Path: row.Path,
			ModifiedAt: row.ModifiedAt.UTC(), Description: row.Description, Body: row.Body,
		}
	}
	if len(found) == most {
		return found, nil
	}
	facts, err := s.newestFacts(ctx, from, besides, most-len(found))
	return append(found, facts...), err
}

// MemoryExcerpts returns those of the memories that can be recalled, each with so many bytes of its file, by id, and what is gone of
// what those of the first agent cite.
func (s *Store) MemoryExcerpts(ctx context.Context, from records.RecallSources, ids []uuid.UUID, most int) (found map[string]records.MemoryExcerpt, gone map[string][]memories.CheckedCitation, err error) {
	if found, err = beginnings(ctx, s.q, from, ids, most); err != nil {
		return nil, nil, wrap("read what was chosen", err)
	}
	if gone, err = goneOf(ctx, s.q, from[0], ids); err != nil || len(found) == len(ids) {
		return found, gone, wrap("read what was chosen", err)
	}
	facts, err := s.factsToRecall(ctx, from, ids)
	for _, f := range facts {
		found[f.ID] = records.MemoryExcerpt{Memory: f, File: []byte(f.Body)}
	}
	return found, gone, err
}

func beginnings(ctx context.Context, q *queries.Queries, from records.RecallSources, ids []uuid.UUID, most int) (map[string]records.MemoryExcerpt, error) {
	rows, err := q.RecallFiles(ctx, queries.RecallFilesParams{AgentIds: from.IDs(), Ids: ids, Most: int32(most)})
	found := make(map[string]records.MemoryExcerpt, len(rows))
	for _, row := range rows {
		id := row.ID.String()
		found[id] = records.MemoryExcerpt{Memory: memories.Memory{
			ID: id, Agent: from.Of(row.AgentID).Slug, AgentID: row.AgentID, Name: row.Name, Type: memories.Type(text(row.Type)), Path: row.Path,
			ModifiedAt: row.ModifiedAt.UTC(), Description: row.Description, Size: row.Size,
		}, File: row.Beginning}
	}
	return found, err
}

// ToRecall returns how many memories of the agents there are to choose from, and what a session of the first was given before;
// without a session nothing.
func (s *Store) ToRecall(ctx context.Context, from records.RecallSources, session string) (n int, given records.Given, err error) {
	counted, err := s.q.CountToRecall(ctx, from.IDs())
	if err != nil || session == "" {
		return int(counted), given, wrap("count what to recall", err)
	}
	given, err = s.Given(ctx, from[0].ID, session)
	return int(counted), given, err
}

// Given returns what a session was given and has not lost again.
func (s *Store) Given(ctx context.Context, agentID int64, session string) (records.Given, error) {
	given, err := givenTo(ctx, s.q, agentID, session)
	return given, wrap("read what a session was given", err)
}

func givenTo(ctx context.Context, q *queries.Queries, agentID int64, session string) (records.Given, error) {
	rows, err := q.GivenToSession(ctx, queries.GivenToSessionParams{AgentID: agentID, Session: session})
	given := records.Given{Memories: make(map[uuid.UUID]bool, len(rows))}
	for _, row := range rows {
		given.Memories[row.MemoryID] = true
		given.Bytes += int(row.Bytes)
	}
	return given, err
}

// Refresh notes that a session has lost what it was given: its conversation was compacted.
func (s *Store) Refresh(ctx context.Context, agentID int64, session string, at time.Time) error {
	return wrap("refresh a session", s.q.RefreshRecallSession(ctx, queries.RefreshRecallSessionParams{AgentID: agentID, Session: session, At: at}))
}
