package scan

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/findings"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// QuarantineProblems returns the problems of a text that keep it from agents.
func QuarantineProblems(name, description, body string) []memories.Problem {
	var problems []memories.Problem
	for _, m := range quarantine.Examine(findings.Text{Name: name, Description: description, Body: body}) {
		problems = append(problems, memories.QuarantineProblem(string(m.Kind), m.Reason))
	}
	return problems
}

// flagQuarantine adds the problems of a readable file's text that keep it from agents. It does
// nothing for other files.
func flagQuarantine(s *reconcile.ScannedFile) {
	if !s.File.Unreadable {
		s.File.Problems = append(s.File.Problems, QuarantineProblems(s.File.Name, s.File.Description, s.File.Body)...)
	}
}

// ItemOf returns the id of the review's item about one problem of a content.
func ItemOf(tx *agenttx.Tx, p memories.Problem, name string, content memories.Fingerprint) string {
	return findings.ItemID(findings.Kind(p.Code), tx.Agent.Slug, findings.Content{Name: name, Fingerprint: content})
}

// letIn removes from the files the problems of contents that a person has let in.
func letIn(ctx context.Context, tx *agenttx.Tx, files []reconcile.ScannedFile) error {
	var items []string
	for _, f := range files {
		for _, p := range f.File.Problems {
			if p.IsQuarantine() {
				items = append(items, ItemOf(tx, p, f.File.Name, f.Fingerprint))
			}
		}
	}
	if len(items) == 0 {
		return nil
	}
	decided, err := tx.Rows.Review().Decisions(ctx, items)
	if err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		f.File.Problems = slices.DeleteFunc(f.File.Problems, func(p memories.Problem) bool {
			return p.IsQuarantine() && decided[ItemOf(tx, p, f.File.Name, f.Fingerprint)].Decision == records.DecisionAllow
		})
	}
	return nil
}

// examineBatch is the number of memories that examineAll reads at once. Their texts are in memory.
const examineBatch = 500

// examineAll examines all memories that the database has of the agent for secrets and injections, and
// records it, unless they have been examined by these rules.
func examineAll(ctx context.Context, tx *agenttx.Tx) error {
	row, err := tx.Rows.Agent(ctx)
	if err != nil || row.Examined == quarantine.Version {
		return err
	}
	review := tx.Rows.Review()
	for after := (uuid.UUID{}); ; {
		texts, err := review.TextsToExamine(ctx, after, examineBatch)
		if err != nil {
			return err
		}
		if len(texts) == 0 {
			return review.SetExamined(ctx, quarantine.Version)
		}
		if err := examine(ctx, tx, texts); err != nil {
			return err
		}
		after = texts[len(texts)-1].ID
	}
}

// examine updates the problems of memories that keep them from agents.
func examine(ctx context.Context, tx *agenttx.Tx, texts []records.TextToExamine) error {
	found := make([][]memories.Problem, len(texts))
	err := inParallel(ctx, len(texts), func(i int) {
		found[i] = QuarantineProblems(texts[i].Name, texts[i].Description, texts[i].Body)
	})
	if err != nil {
		return err
	}
	var items []string
	for i, t := range texts {
		for _, p := range found[i] {
			items = append(items, ItemOf(tx, p, t.Name, t.Fingerprint))
		}
	}
	decided, err := tx.Rows.Review().Decisions(ctx, items)
	if err != nil {
		return err
	}
	var changed []records.ProblemChange
	for i, t := range texts {
		others := slices.DeleteFunc(slices.Clone(t.Problems), memories.Problem.IsQuarantine)
		held := slices.DeleteFunc(found[i], func(p memories.Problem) bool {
			return decided[ItemOf(tx, p, t.Name, t.Fingerprint)].Decision == records.DecisionAllow
		})
		if now := slices.Concat(others, held); !slices.Equal(now, t.Problems) {
			changed = append(changed, records.NewProblemChange(t, now))
		}
	}
	return tx.DB.SetProblems(ctx, changed, records.Now())
}
