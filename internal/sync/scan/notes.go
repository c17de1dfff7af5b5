package scan

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/reconcile"
)

// flagForgotten flags the memories whose texts the client was asked to forget, as long as it has these
// texts. It does nothing for a client that takes no notes.
func flagForgotten(ctx context.Context, tx *agenttx.Tx) error {
	if !tx.Agent.Rules().TakesNotes() {
		return nil
	}
	forgotten := tx.Agent.Forgotten(tx.Root)
	var changed []records.ProblemChange
	var names []reconcile.Change
	for after := (uuid.UUID{}); ; {
		texts, err := tx.Rows.Review().TextsToExamine(ctx, after, examineBatch)
		if err != nil {
			return err
		}
		for _, t := range texts {
			_, isForgotten := forgotten[agents.Forgotten{Name: t.Name, Content: t.Fingerprint}]
			problems := slices.DeleteFunc(slices.Clone(t.Problems), func(p memories.Problem) bool { return p.Code == memories.CodePendingDeletion })
			if isForgotten {
				problems = append(problems, memories.ProblemOf(memories.CodePendingDeletion))
			}
			if !slices.Equal(problems, t.Problems) {
				changed = append(changed, records.NewProblemChange(t, problems))
				names = append(names, reconcile.Change{Kind: events.Saved, Name: t.Name})
			}
			after = t.ID
		}
		if len(texts) < examineBatch {
			break
		}
	}
	if err := tx.DB.SetProblems(ctx, changed, records.Now()); err != nil {
		return err
	}
	EmitChanges(tx, names)
	return nil
}
