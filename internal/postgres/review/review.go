// Package review has the statements about the review: decisions of people, and texts to examine.
package review

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Rows reads and writes the review of one agent, whose lock the caller has.
type Rows struct {
	agentID int64
	q       *queries.Queries
}

// Of returns the Rows of an agent on a connection.
func Of(agentID int64, q *queries.Queries) Rows { return Rows{agentID, q} }

// Decisions returns the decisions about the items, by their ids. Items without one have no entry.
func (r Rows) Decisions(ctx context.Context, items []string) (map[string]records.ReviewDecision, error) {
	rows, err := r.q.ReviewDecisions(ctx, items)
	found := make(map[string]records.ReviewDecision, len(rows))
	for _, row := range rows {
		found[row.ItemID] = decisionOf(row)
	}
	return found, dberr.Wrap("read decisions", err)
}

func decisionOf(row queries.ReviewDecisionsRow) records.ReviewDecision {
	return records.ReviewDecision{
		Item: row.ItemID, Agent: row.Slug, Kind: row.Kind, Decision: row.Decision, At: row.DecidedAt.UTC(), By: memories.Actor(row.DecidedBy), Until: dbconv.TimeOrZero(row.Until), Undo: row.Undo,
	}
}

// SaveDecision saves a decision, in place of an earlier one about the same item.
func (r Rows) SaveDecision(ctx context.Context, d records.ReviewDecision) error {
	var ids []uuid.UUID
	if d.Memories != nil {
		found, err := dbconv.TryAll(d.Memories, dbconv.ParseID)
		if err != nil {
			return err
		}
		ids = append([]uuid.UUID{}, found...) // nil would mean that it is about the item alone
	}
	return dberr.Wrap("save a decision", r.q.SaveReviewDecision(ctx, queries.SaveReviewDecisionParams{
		ItemID: d.Item, AgentID: r.agentID, Kind: d.Kind, Decision: d.Decision, DecidedAt: d.At, DecidedBy: string(d.By), Until: dbconv.OptionalTime(d.Until), Undo: d.Undo,
		MemoryIds: ids,
	}))
}

// DeleteDecision takes a decision back. An item without one is no error.
func (r Rows) DeleteDecision(ctx context.Context, item string) error {
	return dberr.Wrap("take a decision back", r.q.DeleteReviewDecision(ctx, item))
}

// TextsToExamine returns the texts of the agent's readable undeleted memories with ids after a
// given one, at most most, in the order of their ids.
func (r Rows) TextsToExamine(ctx context.Context, after uuid.UUID, most int) ([]records.TextToExamine, error) {
	rows, err := r.q.TextsToExamine(ctx, queries.TextsToExamineParams{AgentID: r.agentID, After: after, Most: int32(most)})
	if err != nil {
		return nil, dberr.Wrap("read texts to examine", err)
	}
	return dbconv.TryAll(rows, func(row queries.TextsToExamineRow) (records.TextToExamine, error) {
		t := records.TextToExamine{
			ID: row.ID, RevisionID: row.RevisionID, Name: row.Name, Description: row.Description, Body: row.Body, Fingerprint: memories.Fingerprint(row.Fingerprint),
		}
		err := json.Unmarshal(row.Problems, &t.Problems)
		return t, err
	})
}

// SetExamined records the version of the rules by which all memories of the agent were examined.
func (r Rows) SetExamined(ctx context.Context, version int) error {
	return dberr.Wrap("record the examination", r.q.SetExaminedVersion(ctx, queries.SetExaminedVersionParams{ID: r.agentID, Version: int32(version)}))
}

// SetProblems replaces the problems of a memory. The caller must invalidate what is published.
func SetProblems(ctx context.Context, q *queries.Queries, id uuid.UUID, problems []memories.Problem, at time.Time) error {
	raw, err := dbconv.ListJSON(problems)
	if err != nil {
		return err
	}
	return q.SetProblems(ctx, queries.SetProblemsParams{ID: id, Problems: raw, At: at})
}

// TextsOf returns all that a memory says or has said: descriptions, bodies and bytes of files.
func (r Rows) TextsOf(ctx context.Context, id uuid.UUID) ([]string, error) {
	rows, err := r.q.RevisionsOf(ctx, id)
	var texts []string
	for _, row := range rows {
		texts = append(texts, row.Description, row.Body, string(row.Raw))
	}
	return texts, dberr.Wrap("read all contents of a memory", err)
}

// RemoveValues deletes the earlier contents of a memory that have a credential or one of the values,
// and replaces the values in the memory's journal, proposals and steps of plans. The journal refers
// to the current content instead. The caller must run it in a transaction, and delete unused words.
func (r Rows) RemoveValues(ctx context.Context, id uuid.UUID, values []string) error {
	if err := r.q.DeleteReviewVerdictsOf(ctx, id); err != nil {
		return err
	}
	if err := r.q.DeleteAskedAsWith(ctx, queries.DeleteAskedAsWithParams{MemoryID: id, Removed: values}); err != nil {
		return err
	}
	rows, err := r.q.RevisionsOf(ctx, id)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, row := range rows {
		for _, text := range []string{row.Description, row.Body, string(row.Raw)} {
			if secrets.RemoveValues(text, values) != text {
				ids = append(ids, row.ID)
				break
			}
		}
	}
	if err := r.q.ForgetRevisions(ctx, queries.ForgetRevisionsParams{MemoryID: id, Ids: ids}); err != nil {
		return err
	}
	if err := r.q.ForgetIndexLines(ctx, id); err != nil {
		return err
	}
	if err := r.q.ForgetFormerFiles(ctx, r.agentID); err != nil {
		return err
	}
	for _, value := range values {
		if secrets.ReplaceValues(value, values) == value {
			continue // it is too short to be replaced everywhere
		}
		if err := r.q.RemoveFromNames(ctx, queries.RemoveFromNamesParams{MemoryID: &id, Value: value, By: secrets.Removed}); err != nil {
			return err
		}
		if err := r.q.RemoveFromProposals(ctx, queries.RemoveFromProposalsParams{AgentID: r.agentID, MemoryID: id, Value: value, By: secrets.Removed}); err != nil {
			return err
		}
		inJSON, err := jsonText(value)
		if err != nil {
			return err
		}
		if err := r.q.RemoveFromDecisions(ctx, queries.RemoveFromDecisionsParams{AgentID: r.agentID, Value: inJSON, By: secrets.Removed}); err != nil {
			return err
		}
		if err := r.q.RemoveFromSteps(ctx, queries.RemoveFromStepsParams{AgentID: r.agentID, MemoryID: id.String(), Value: inJSON, By: secrets.Removed}); err != nil {
			return err
		}
	}
	return nil
}

// jsonText returns a text as it is between the quotes in a jsonb value.
func jsonText(text string) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(text)
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`), err
}

// ReopenProposal makes a decided proposal wait again. It fails with memories.ErrNotFound if the
// agent has no such decided proposal.
func (i *Items) ReopenProposal(ctx context.Context, agentID int64, id string) error {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return err
	}
	n, err := i.q.ReopenProposal(ctx, queries.ReopenProposalParams{AgentID: agentID, ID: parsed})
	if err == nil && n == 0 {
		return memories.ErrNotFound
	}
	return dberr.Wrap("reopen a proposal", err)
}
