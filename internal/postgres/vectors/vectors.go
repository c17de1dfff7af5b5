// Package vectors has the statements about vectors of memories, for recall by meaning.
package vectors

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/visible"
	"memoir/internal/records"
)

// Vectors reads and writes the vectors of all agents. It is safe for concurrent use.
type Vectors struct {
	pool *visible.Pool
	q    *queries.Queries
}

// New returns the Vectors of a database.
func New(pool *visible.Pool) *Vectors { return &Vectors{pool, queries.New(pool)} }

// UseEmbeddingModel returns the stored model with a name and a version of the texts, and inserts an
// unknown one. It records that the model is used. probe is the vector of a fixed text. If isSame is
// false for the stored one, the endpoint has another model: UseEmbeddingModel deletes the stored
// model with all its vectors, and replaced is true.
func (v *Vectors) UseEmbeddingModel(ctx context.Context, name string, textVersion int, probe []byte, at time.Time, isSame func(stored []byte) bool) (model records.EmbeddingModel, replaced bool, err error) {
	params := queries.UseEmbeddingModelParams{Name: name, TextVersion: int32(textVersion), Probe: probe, UsedAt: at}
	err = v.inTx(ctx, "save an embedding model", func(q *queries.Queries) error {
		row, err := q.UseEmbeddingModel(ctx, params)
		if err == nil && !isSame(row.Probe) {
			replaced = true
			if err = q.DeleteEmbeddingModel(ctx, row.ID); err == nil {
				row, err = q.UseEmbeddingModel(ctx, params)
			}
		}
		model = records.EmbeddingModel{ID: row.ID, Name: name, Dimensions: len(row.Probe)}
		return err
	})
	return model, replaced && err == nil, err
}

// DeleteUnusedEmbeddings deletes models that were last used before a time, vectors of texts that no
// memory has, those of quarantined memories, and counts of tokens older than 30 days.
func (v *Vectors) DeleteUnusedEmbeddings(ctx context.Context, before time.Time) error {
	return v.inTx(ctx, "delete unused vectors", func(q *queries.Queries) error {
		if err := q.LockEmbeddingModels(ctx); err != nil {
			return err
		}
		if err := q.DeleteOldEmbeddingModels(ctx, before); err != nil {
			return err
		}
		if err := q.DeleteQuarantinedEmbeddings(ctx); err != nil {
			return err
		}
		if err := q.DeleteUnusedEmbeddings(ctx); err != nil {
			return err
		}
		return q.DeleteOldEmbeddingTokens(ctx, dayOf(time.Now().AddDate(0, 0, -30)))
	})
}

// Unembedded returns at most most of the agent's memories that the model has not embedded as they
// are now: the readable, undeleted ones outside of quarantine after an id, in the order of ids.
// Bodies are cut to mostCharacters.
func (v *Vectors) Unembedded(ctx context.Context, agentID, modelID int64, after uuid.UUID, most, mostCharacters int) ([]records.UnembeddedMemory, error) {
	rows, err := v.q.Unembedded(ctx, queries.UnembeddedParams{
		AgentID: agentID, ModelID: modelID, After: after, Most: int32(most), MostCharacters: int32(mostCharacters),
	})
	found := make([]records.UnembeddedMemory, len(rows))
	for i, row := range rows {
		found[i] = records.UnembeddedMemory(row)
	}
	return found, dberr.Wrap("read memories to embed", err)
}

// EmbeddedTexts returns those of the hashes whose texts have vectors of the model.
func (v *Vectors) EmbeddedTexts(ctx context.Context, modelID int64, hashes []records.TextHash) (map[records.TextHash]bool, error) {
	rows, err := v.q.EmbeddedTexts(ctx, queries.EmbeddedTextsParams{ModelID: modelID, Hashes: bytesOf(hashes)})
	known := make(map[records.TextHash]bool, len(rows))
	for _, row := range rows {
		known[records.TextHash(row)] = true
	}
	return known, dberr.Wrap("read which texts are embedded", err)
}

// SaveEmbeddings saves vectors by text, the texts of an agent's memories, and the used tokens, in one
// transaction. It omits memories that were removed, and texts without a vector. It fails with
// memories.ErrNotFound, and saves nothing, if the model was deleted.
func (v *Vectors) SaveEmbeddings(ctx context.Context, agentID, modelID int64, vectors map[records.TextHash][]byte, embedded []records.EmbeddedMemory, tokens int64) error {
	hashes := slices.SortedFunc(maps.Keys(vectors), func(a, b records.TextHash) int { return bytes.Compare(a[:], b[:]) })
	save := queries.SaveEmbeddingsParams{ModelID: modelID, Hashes: bytesOf(hashes), Vectors: make([][]byte, len(hashes))}
	for i, hash := range hashes {
		save.Vectors[i] = vectors[hash]
	}
	texts := queries.SaveMemoryEmbeddingsParams{ModelID: modelID}
	var ids []uuid.UUID
	for _, m := range embedded {
		ids = append(ids, m.ID)
		of := bytesOf(m.Texts)
		if len(of) == 0 {
			of = [][]byte{{}}
		}
		for i, hash := range of {
			texts.MemoryIds, texts.Positions = append(texts.MemoryIds, m.ID), append(texts.Positions, int32(i))
			texts.RevisionIds, texts.Names, texts.Hashes = append(texts.RevisionIds, m.RevisionID), append(texts.Names, m.Name), append(texts.Hashes, hash)
		}
	}
	return v.inTx(ctx, "save vectors", func(q *queries.Queries) error {
		if _, err := q.ShareEmbeddingModel(ctx, modelID); err != nil {
			return err
		}
		if err := q.SaveEmbeddings(ctx, save); err != nil {
			return err
		}
		if err := q.DeleteMemoryEmbeddings(ctx, queries.DeleteMemoryEmbeddingsParams{ModelID: modelID, MemoryIds: ids}); err != nil {
			return err
		}
		if err := q.SaveMemoryEmbeddings(ctx, texts); err != nil {
			return err
		}
		if err := q.RaiseEmbeddingVersion(ctx, agentID); err != nil || tokens == 0 {
			return err
		}
		return q.AddEmbeddingTokens(ctx, queries.AddEmbeddingTokensParams{Day: dayOf(time.Now()), Tokens: tokens})
	})
}

// EachVector calls each with every vector of the agent's memories that can be recalled, the newest
// memories first, and those of a memory in the order of its texts. It omits vectors of former
// contents, and stops after most vectors. A vector is valid until each returns.
func (v *Vectors) EachVector(ctx context.Context, agentID, modelID int64, most int, each func(id uuid.UUID, vector []byte)) error {
	// ForEachRow returns the error of Query.
	rows, _ := v.pool.Query(ctx, `SELECT m.id, e.vector
		FROM memories m
		JOIN memory_embeddings t ON t.memory_id = m.id AND t.model_id = $2 AND t.revision_id = m.revision_id AND t.name = m.name
		JOIN embeddings e ON e.id = t.embedding_id
		WHERE m.agent_id = $1 AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined
		ORDER BY m.id DESC, t.position LIMIT $3`, agentID, modelID, most)
	var id uuid.UUID
	var vector pgtype.DriverBytes
	_, err := pgx.ForEachRow(rows, []any{&id, &vector}, func() error {
		each(id, vector)
		return nil
	})
	return dberr.Wrap("read vectors", err)
}

// EmbeddingVersions returns by id the versions of the agents' memories and vectors. Unknown agents
// have no entry.
func (v *Vectors) EmbeddingVersions(ctx context.Context, agentIDs []int64) (map[int64]records.EmbeddingVersion, error) {
	rows, err := v.q.EmbeddingVersions(ctx, agentIDs)
	found := make(map[int64]records.EmbeddingVersion, len(rows))
	for _, row := range rows {
		found[row.ID] = records.EmbeddingVersion{Memories: row.MemoriesVersion, Vectors: row.Version}
	}
	return found, dberr.Wrap("read the versions of vectors", err)
}

// CountEmbedded counts the agent's memories that may be embedded, and those that the model has
// embedded as they are now.
func (v *Vectors) CountEmbedded(ctx context.Context, agentID, modelID int64) (records.EmbeddingCounts, error) {
	row, err := v.q.CountEmbedded(ctx, queries.CountEmbeddedParams{AgentID: agentID, ModelID: modelID})
	return records.EmbeddingCounts{Memories: int(row.Memories), Embedded: int(row.Embedded), Withheld: int(row.Withheld)}, dberr.Wrap("count vectors", err)
}

// EmbeddingTokens returns the input tokens that were used on the day of a time, in UTC.
func (v *Vectors) EmbeddingTokens(ctx context.Context, at time.Time) (int64, error) {
	tokens, err := v.q.EmbeddingTokens(ctx, dayOf(at))
	return tokens, dberr.Wrap("sum up tokens", err)
}

func (v *Vectors) inTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return dberr.Wrap(doing, pgx.BeginFunc(ctx, v.pool, func(tx pgx.Tx) error { return do(v.q.WithTx(tx)) }))
}

func bytesOf(hashes []records.TextHash) [][]byte {
	all := make([][]byte, len(hashes))
	for i := range hashes {
		all[i] = hashes[i][:]
	}
	return all
}

func dayOf(at time.Time) pgtype.Date {
	return pgtype.Date{Time: at.UTC().Truncate(24 * time.Hour), Valid: true}
}
