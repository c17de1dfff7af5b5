package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
	"memoir/internal/words"
)

// RecallSources returns the agents whose memories a recall for the agent can return: the agent
// itself first, then the agents that share theirs with it. An agent whose memory is off receives
// none. It fails with memories.ErrNotFound if the slug is unknown.
func (s *Store) RecallSources(ctx context.Context, slug string) (records.RecallSources, error) {
	agent, err := s.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	shared, err := s.Shared(ctx, agent)
	return append(records.RecallSources{agent}, shared...), err
}

// WordsWithPrefix returns the words of memories and facts of all agents that begin with one of the
// prefixes, each once, in any order. For each prefix it returns the first 60 in alphabetical order.
// It finds only words of 3 to 32 letters, and no words with digits.
func (s *Store) WordsWithPrefix(ctx context.Context, beginnings []string) ([]string, error) {
	found, err := s.q.WordsWithPrefix(ctx, beginnings)
	return found, dberr.Wrap("look for words", err)
}

// SimilarWords returns by typed word those words of memories and facts of all agents that words.Slips
// has, and at most 60 similar ones, most similar first. Words without a similar one have no entry.
// Without fuzzy search in the database it returns only the former.
func (s *Store) SimilarWords(ctx context.Context, typed []string) (map[string][]string, error) {
	if len(typed) == 0 {
		return nil, nil
	}
	var params queries.SlipsOfParams
	for _, word := range typed {
		for _, slip := range words.Slips(word) {
			params.Typed, params.Words = append(params.Typed, word), append(params.Words, slip)
		}
	}
	alike := map[string][]string{}
	slips, err := s.q.SlipsOf(ctx, params)
	for _, row := range slips {
		alike[row.Typed] = append(alike[row.Typed], row.Word)
	}
	if err != nil || !s.nearMisses {
		return alike, dberr.Wrap("look for misspelt words", err)
	}
	rows, err := s.q.SimilarWords(ctx, typed)
	for _, row := range rows {
		if !slices.Contains(alike[row.Typed], row.Word) {
			alike[row.Typed] = append(alike[row.Typed], row.Word)
		}
	}
	return alike, dberr.Wrap("look for words that look alike", err)
}

// Hits returns for each term of sought, in the same order, the ids of the sources' memories and
// facts that contain it, in their texts or in the phrases as which they are asked. A list has at most
// twice most memories, also from the trash, and at most most facts, in any order, each once. It is nil
// if nothing contains the term. from and each term must not be empty.
func (s *Store) Hits(ctx context.Context, from records.RecallSources, sought []records.RecallTerm, most int) ([][]uuid.UUID, error) {
	matches := dbconv.All(sought, func(term records.RecallTerm) string { return search.MatchAny(from.IDs(), term.Words, term.Runs) })
	hits := make([][]uuid.UUID, len(sought))
	err := s.inTx(ctx, "look for what to recall", func(q *queries.Queries) error {
		if err := q.DisableSeqScan(ctx); err != nil {
			return err
		}
		rows, err := q.RecallHits(ctx, queries.RecallHitsParams{Matches: matches, Most: int32(most)})
		for _, row := range rows {
			hits[row.Place-1] = row.Ids
		}
		return err
	})
	return hits, err
}

// Texts returns the sources' readable, undeleted memories among ids, in any order, with their
// descriptions, the first most characters of their bodies, and the phrases as which they are asked. The
// sources' facts among ids follow, with their whole texts. It omits other ids.
func (s *Store) Texts(ctx context.Context, from records.RecallSources, ids []uuid.UUID, most int) ([]memories.Memory, error) {
	rows, err := s.q.RecallTexts(ctx, queries.RecallTextsParams{AgentIds: from.IDs(), Ids: ids, Most: int32(most)})
	if err != nil {
		return nil, dberr.Wrap("read what to recall", err)
	}
	found := dbconv.All(rows, func(row queries.RecallTextsRow) memories.Memory { return recallableOf(from, row) })
	facts, err := s.factsToRecall(ctx, from, ids)
	return append(found, facts...), err
}

func recallableOf(from records.RecallSources, row queries.RecallTextsRow) memories.Memory {
	return memories.Memory{
		ID: row.ID.String(), Agent: from.Of(row.AgentID).Slug, AgentID: row.AgentID, Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)), Path: row.Path,
		ModifiedAt: row.ModifiedAt.UTC(), Description: row.Description, Body: row.Body, AskedAs: row.AskedAs,
	}
}

// Newest returns at most most readable, undeleted memories of the sources, newest first, except
// those with the ids in besides. A memory has a body only if it has no description: its first 500
// characters. If there are fewer than most, the newest facts follow, up to most in total.
func (s *Store) Newest(ctx context.Context, from records.RecallSources, besides []uuid.UUID, most int) ([]memories.Memory, error) {
	if besides == nil {
		besides = []uuid.UUID{}
	}
	rows, err := s.q.RecallManifest(ctx, queries.RecallManifestParams{AgentIds: from.IDs(), Besides: besides, Most: int32(most)})
	if err != nil {
		return nil, dberr.Wrap("list what to recall", err)
	}
	found := dbconv.All(rows, func(row queries.RecallManifestRow) memories.Memory {
		return recallableOf(from, queries.RecallTextsRow(row))
	})
	if len(found) == most {
		return found, nil
	}
	facts, err := s.newestFacts(ctx, from, besides, most-len(found))
	return append(found, facts...), err
}

// MemoryExcerpts returns by id the sources' readable, undeleted memories among ids, with the first
// most bytes of their files. It adds the sources' facts among ids, with their whole texts. Other
// ids have no entry. dead has by id those citations of the first source's memories that lead
// nowhere; memories without one have no entry.
func (s *Store) MemoryExcerpts(ctx context.Context, from records.RecallSources, ids []uuid.UUID, most int) (found map[string]records.MemoryExcerpt, dead map[string][]memories.CheckedCitation, err error) {
	rows, err := s.q.RecallFiles(ctx, queries.RecallFilesParams{AgentIds: from.IDs(), Ids: ids, Most: int32(most)})
	if err != nil {
		return nil, nil, dberr.Wrap("read what was chosen", err)
	}
	found = make(map[string]records.MemoryExcerpt, len(rows))
	for _, row := range rows {
		id := row.ID.String()
		found[id] = records.MemoryExcerpt{Memory: memories.Memory{
			ID: id, Agent: from.Of(row.AgentID).Slug, AgentID: row.AgentID, Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)), Path: row.Path,
			ModifiedAt: row.ModifiedAt.UTC(), Description: row.Description, Size: row.Size,
		}, File: row.Beginning}
	}
	if dead, err = deadCitations(ctx, s.q, from[0], ids); err != nil || len(found) == len(ids) {
		return found, dead, dberr.Wrap("read what was chosen", err)
	}
	facts, err := s.factsToRecall(ctx, from, ids)
	for _, f := range facts {
		found[f.ID] = records.MemoryExcerpt{Memory: f, File: []byte(f.Body)}
	}
	return found, dead, err
}

// ToRecall returns the number of undeleted memories and facts of the sources. received are the
// memories that the session of the first source has received and still has in its context. received
// is zero, with a nil map, if session is empty.
func (s *Store) ToRecall(ctx context.Context, from records.RecallSources, session string) (n int, received records.SessionDelivery, err error) {
	counted, err := s.q.CountToRecall(ctx, from.IDs())
	if err != nil || session == "" {
		return int(counted), received, dberr.Wrap("count what to recall", err)
	}
	received, err = s.Delivered(ctx, from[0].ID, session)
	return int(counted), received, err
}

// Delivered returns the memories that recalls have returned to a session and that are still in its
// context: those since its conversation was last compacted. It returns an empty set, not an error,
// for an unknown session.
func (s *Store) Delivered(ctx context.Context, agentID int64, session string) (records.SessionDelivery, error) {
	received, err := deliveredTo(ctx, s.q, agentID, session)
	return received, dberr.Wrap("read what a session was given", err)
}

func deliveredTo(ctx context.Context, q *queries.Queries, agentID int64, session string) (records.SessionDelivery, error) {
	rows, err := q.DeliveredToSession(ctx, queries.DeliveredToSessionParams{AgentID: agentID, Session: session})
	received := records.SessionDelivery{Memories: make(map[uuid.UUID]bool, len(rows))}
	for _, row := range rows {
		received.Memories[row.MemoryID] = true
		received.Bytes += int(row.Bytes)
	}
	return received, err
}

// RefreshSession records that a session's context has lost all memories that were delivered before
// at, because its conversation was compacted. Later recalls can return them again.
func (s *Store) RefreshSession(ctx context.Context, agentID int64, session string, at time.Time) error {
	return dberr.Wrap("refresh a session", s.q.RefreshRecallSession(ctx, queries.RefreshRecallSessionParams{AgentID: agentID, Session: session, At: at}))
}
