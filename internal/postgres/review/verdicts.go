package review

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// ReviewVerdicts returns what the model has said about the agent's memories, in no order.
func (i *Items) ReviewVerdicts(ctx context.Context, agentID int64) ([]records.ReviewVerdict, error) {
	rows, err := i.q.ReviewVerdicts(ctx, agentID)
	if err != nil {
		return nil, dberr.Wrap("read verdicts", err)
	}
	return dbconv.TryAll(rows, func(row queries.ReviewVerdictsRow) (records.ReviewVerdict, error) {
		v := records.ReviewVerdict{ReviewQuestion: questionOf(row.ID, row.Kind, row.MemoryIds, row.Score, row.Asked), Reason: row.Reason}
		if row.Verdict != nil {
			v.Verdict = *row.Verdict
		}
		if row.Keep != nil {
			v.Keep = row.Keep.String()
		}
		var err error
		v.Merge, err = mergedText(row.Merge)
		return v, err
	})
}

func questionOf(id, kind string, memories []uuid.UUID, score float32, asked int32) records.ReviewQuestion {
	ids := dbconv.All(memories, uuid.UUID.String)
	return records.ReviewQuestion{ID: id, Kind: kind, Memories: ids, Score: float64(score), Asked: int(asked)}
}

// mergedText decodes the proposed text of a merge. It returns nil for NULL.
func mergedText(raw []byte) (*records.MergedText, error) {
	if raw == nil {
		return nil, nil
	}
	var m records.MergedText
	err := json.Unmarshal(raw, &m)
	return &m, err
}

// SaveReviewQuestions makes questions the agent's open ones. A question that has a verdict about the
// same memories is not opened again.
func (i *Items) SaveReviewQuestions(ctx context.Context, agentID int64, questions []records.ReviewQuestion) error {
	type row struct {
		ID       string   `json:"id"`
		Kind     string   `json:"kind"`
		Memories []string `json:"memories"`
		Score    float64  `json:"score"`
	}
	raw, err := dbconv.ListJSON(dbconv.All(questions, func(q records.ReviewQuestion) row { return row{q.ID, q.Kind, q.Memories, q.Score} }))
	if err != nil {
		return err
	}
	ids := dbconv.All(questions, func(q records.ReviewQuestion) string { return q.ID })
	if err := i.q.DeleteReviewQuestionsBut(ctx, queries.DeleteReviewQuestionsButParams{AgentID: agentID, Ids: ids}); err != nil {
		return dberr.Wrap("delete old questions", err)
	}
	return dberr.Wrap("save questions", i.q.SaveReviewQuestions(ctx, queries.SaveReviewQuestionsParams{AgentID: agentID, Questions: raw}))
}

// ReviewQuestions returns the first open questions of the agent about pairs, or about single
// memories, at most most: those that were asked least, then the most similar pairs.
func (i *Items) ReviewQuestions(ctx context.Context, agentID int64, pairs bool, most int) ([]records.ReviewQuestion, error) {
	rows, err := i.q.ReviewQuestions(ctx, queries.ReviewQuestionsParams{AgentID: agentID, Pairs: pairs, Most: int32(most)})
	return dbconv.Rows("read questions", rows, err, func(row queries.ReviewQuestionsRow) records.ReviewQuestion {
		return questionOf(row.ID, row.Kind, row.MemoryIds, row.Score, row.Asked)
	})
}

// DeleteReviewQuestions deletes open questions. Unknown ids are no error.
func (i *Items) DeleteReviewQuestions(ctx context.Context, ids []string) error {
	return dberr.Wrap("delete questions", i.q.DeleteReviewQuestions(ctx, ids))
}

// SaveReviewVerdicts saves what the model has answered to the agent's questions. One without a
// verdict stays open; only its number of questions is saved. A question that was deleted is skipped.
func (i *Items) SaveReviewVerdicts(ctx context.Context, agentID int64, verdicts []records.ReviewVerdict, at time.Time) error {
	type row struct {
		ID      string              `json:"id"`
		Asked   int                 `json:"asked"`
		Verdict *string             `json:"verdict"`
		Reason  string              `json:"reason"`
		Keep    *string             `json:"keep"`
		Merge   *records.MergedText `json:"merge"`
	}
	raw, err := dbconv.ListJSON(dbconv.All(verdicts, func(v records.ReviewVerdict) row {
		r := row{ID: v.ID, Asked: v.Asked, Reason: v.Reason, Merge: v.Merge}
		if v.Verdict != "" {
			r.Verdict = &v.Verdict
		}
		if v.Keep != "" {
			r.Keep = &v.Keep
		}
		return r
	}))
	if err != nil {
		return err
	}
	return dberr.Wrap("save verdicts", i.q.SaveReviewVerdicts(ctx, queries.SaveReviewVerdictsParams{AgentID: agentID, JudgedAt: &at, Verdicts: raw}))
}
