// Package askedas has the statements about the phrases as which memories are asked: short questions
// that a memory answers, in other words. They are in a table of their own, with the fingerprint of
// the content for which they were written, and never in a file.
//
// A memory keeps its phrases when its name, scope or file change, and in the trash. When its content
// changes, they are stale: they stay in use until the model, an agent or a person writes others. The
// model never replaces those of a person, and an agent only adds to them. A purge deletes them.
package askedas

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/postgres/visible"
	"memoir/internal/records"
	"memoir/internal/words"
)

// Phrases reads and writes the phrases of all agents. It is safe for concurrent use.
type Phrases struct {
	pool *visible.Pool
	q    *queries.Queries
}

// New returns the Phrases of a database.
func New(pool *visible.Pool) *Phrases { return &Phrases{pool, queries.New(pool)} }

// AskedAs returns the phrases of a memory, also of a deleted one. By is empty if none
// were written. It fails with memories.ErrNotFound if the id is malformed.
func (p *Phrases) AskedAs(ctx context.Context, id string) (memories.AskedAs, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return memories.AskedAs{}, err
	}
	return Of(ctx, p.q, parsed)
}

// Of is AskedAs on a connection.
func Of(ctx context.Context, q *queries.Queries, id uuid.UUID) (memories.AskedAs, error) {
	row, err := q.AskedAs(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return memories.AskedAs{Phrases: []string{}}, nil
	}
	return memories.AskedAs{Phrases: row.Phrases, By: memories.PhraseWriter(row.WrittenBy), IsStale: row.Stale}, dberr.Wrap("read phrases", err)
}

// SaveAskedAs replaces the phrases of a memory by clean ones for its present content, and returns
// the saved ones. If they are an agent's and the memory has some of a person, it adds them to those
// instead, as many as fit. It fails with memories.ErrNotFound.
func (p *Phrases) SaveAskedAs(ctx context.Context, id string, phrases []string, by memories.PhraseWriter) ([]string, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return nil, err
	}
	err = p.inTx(ctx, "save phrases", func(q *queries.Queries) error {
		known, err := q.AskedAsToChange(ctx, parsed)
		if err != nil {
			return err
		}
		if by != memories.ByPerson && known.WrittenBy == string(memories.ByPerson) {
			all := slices.Clone(known.Phrases)
			for _, phrase := range phrases {
				all = memories.AddPhrase(all, phrase)
			}
			phrases, by = all[:min(len(all), memories.MaxPhrases)], memories.ByPerson
		}
		return save(ctx, q, known, records.Phrases{MemoryID: parsed, Fingerprint: memories.Fingerprint(known.Fingerprint), Phrases: phrases}, by)
	})
	return phrases, err
}

// CopyAskedAs gives a memory the phrases of another one with the same content, if that has some.
func (p *Phrases) CopyAskedAs(ctx context.Context, from, to string) error {
	asked, err := p.AskedAs(ctx, from)
	if err == nil && !asked.IsStale && len(asked.Phrases) > 0 {
		_, err = p.SaveAskedAs(ctx, to, asked.Phrases, asked.By)
	}
	return err
}

// SaveModelPhrases saves phrases of the model, one memory after the other. It leaves out those of
// memories whose content has changed or has phrases by now, and of memories with phrases of a person.
func (p *Phrases) SaveModelPhrases(ctx context.Context, all []records.Phrases) error {
	for _, one := range all {
		// A transaction of each, because two with words of several memories could block each other.
		err := p.inTx(ctx, "save phrases of the model", func(q *queries.Queries) error {
			known, err := q.AskedAsToChange(ctx, one.MemoryID)
			if err == nil {
				err = save(ctx, q, known, one, memories.ByModel)
			}
			return dbconv.IgnoreNoRows(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// save saves phrases in place of the known ones, with their words for recall. It does nothing if the
// memory has another content, or they may not replace the known ones.
func save(ctx context.Context, q *queries.Queries, known queries.AskedAsToChangeRow, of records.Phrases, by memories.PhraseWriter) error {
	vector, each := search.Vector(textOf(known.AgentID, of.Phrases))
	n, err := q.SaveAskedAs(ctx, queries.SaveAskedAsParams{
		MemoryID: of.MemoryID, Fingerprint: of.Fingerprint[:], Phrases: append([]string{}, of.Phrases...), WrittenBy: string(by), WrittenAt: records.Now(), Words: vector,
	})
	if err != nil || n == 0 {
		return err
	}
	if err := q.AddWords(ctx, search.Distinct(search.AppendCorrections(nil, slices.Values(each)))); err != nil {
		return err
	}
	replaced := search.AppendCorrections(nil, words.All(strings.Join(known.Phrases, "\n")))
	return q.DeleteUnusedWords(ctx, search.Distinct(replaced))
}

// textOf returns the text of phrases for a vector.
func textOf(agentID int64, phrases []string) search.Text {
	return search.Text{AgentID: agentID, Body: strings.Join(phrases, "\n")}
}

// indexed is the number of rows of one statement.
const indexed = 500

// IndexAskedAs computes the missing words for recall. A migration that changes how words are folded
// removes them.
func (p *Phrases) IndexAskedAs(ctx context.Context) error {
	for {
		rows, err := p.q.UnindexedAskedAs(ctx, indexed)
		if err != nil || len(rows) == 0 {
			return dberr.Wrap("index phrases", err)
		}
		for _, row := range rows {
			vector, each := search.Vector(textOf(row.AgentID, row.Phrases))
			if err := p.q.IndexAskedAs(ctx, queries.IndexAskedAsParams{MemoryID: row.MemoryID, Phrases: row.Phrases, Words: vector}); err != nil {
				return dberr.Wrap("index phrases", err)
			}
			if err := p.q.AddWords(ctx, search.Distinct(search.AppendCorrections(nil, slices.Values(each)))); err != nil {
				return dberr.Wrap("index phrases", err)
			}
		}
	}
}

// AgentsToAsk returns those of the slugs, or without any of all, whose agents are present, have their
// memory on, and have memories that TextsToAsk returns.
func (p *Phrases) AgentsToAsk(ctx context.Context, slugs []string) ([]string, error) {
	found, err := p.q.AgentsToAsk(ctx, append([]string{}, slugs...)) // nil would be NULL
	return found, dberr.Wrap("list agents without phrases", err)
}

// TextsToAsk returns memories of the agent for which the model is to write phrases, the newest first,
// at most most. None is in quarantine.
func (p *Phrases) TextsToAsk(ctx context.Context, agentID int64, most int) ([]records.TextToAsk, error) {
	rows, err := p.q.TextsToAsk(ctx, queries.TextsToAskParams{AgentID: agentID, Most: int32(most)})
	return dbconv.Rows("read texts without phrases", rows, err, func(row queries.TextsToAskRow) records.TextToAsk {
		return records.TextToAsk{
			ID: row.ID, Fingerprint: memories.Fingerprint(row.Fingerprint),
			Content: memories.Content{Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description, Body: row.Body},
		}
	})
}

// PhrasesOfTexts returns by id the phrases that other memories with the same name and content have,
// of any agent. Texts without any have no entry.
func (p *Phrases) PhrasesOfTexts(ctx context.Context, texts []records.TextToAsk) (map[uuid.UUID][]string, error) {
	var of queries.PhrasesOfTextsParams
	for _, t := range texts {
		of.Ids, of.Names, of.Fingerprints = append(of.Ids, t.ID), append(of.Names, t.Name), append(of.Fingerprints, t.Fingerprint[:])
	}
	rows, err := p.q.PhrasesOfTexts(ctx, of)
	found := make(map[uuid.UUID][]string, len(rows))
	for _, row := range rows {
		found[row.ID] = row.Phrases
	}
	return found, dberr.Wrap("read phrases of texts", err)
}

func (p *Phrases) inTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return dberr.Wrap(doing, pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error { return do(p.q.WithTx(tx)) }))
}
