package ops

import (
	"context"
	"slices"
	"strings"

	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/scan"
)

// letIn lets a memory out of quarantine: agents may receive its content from now on, until it
// changes. With codes, it only decides about the problems with these. The caller must publish c. It
// does nothing for a memory that is not in quarantine. It returns memories.ErrNotFound,
// memories.ErrChanged if the ETag differs, and *memories.ConflictError if the memory is in the
// trash.
func letIn(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef, codes []string) error {
	head, m, err := livingMemory(ctx, tx, ref)
	if err != nil {
		return err
	}
	isMeant := func(p memories.Problem) bool { return p.IsQuarantine() && isOneOf(p, codes) }
	for _, p := range head.Problems {
		if !isMeant(p) {
			continue
		}
		err := tx.Rows.Review().SaveDecision(ctx, records.ReviewDecision{
			Item: scan.ItemOf(tx, p, head.Name, head.Fingerprint), Kind: p.Code, Decision: records.DecisionAllow, At: records.Now(), By: tx.Actor,
		})
		if err != nil {
			return err
		}
	}
	return setProblems(ctx, tx, c, head, m, slices.DeleteFunc(slices.Clone(head.Problems), isMeant), memories.ActivityAllowed)
}

// isOneOf reports whether the problem has one of the codes, or codes is empty.
func isOneOf(p memories.Problem, codes []string) bool {
	return len(codes) == 0 || slices.Contains(codes, p.Code)
}

// hold takes back a letIn, of the problems with codes, or of all: the memory is examined again. The
// caller must publish c. The errors are those of letIn.
func hold(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef, codes []string) error {
	head, m, err := livingMemory(ctx, tx, ref)
	if err != nil {
		return err
	}
	problems := slices.DeleteFunc(slices.Clone(head.Problems), memories.Problem.IsQuarantine)
	for _, p := range scan.QuarantineProblems(m.Name, m.Description, m.Body) {
		if !isOneOf(p, codes) && !slices.Contains(head.Problems, p) {
			continue // it was let in by itself
		}
		if err := tx.Rows.Review().DeleteDecision(ctx, scan.ItemOf(tx, p, head.Name, head.Fingerprint)); err != nil {
			return err
		}
		problems = append(problems, p)
	}
	return setProblems(ctx, tx, c, head, m, problems, memories.ActivityBlocked)
}

// livingMemory returns a memory with its row. It returns ErrInTrash if the memory is deleted, and
// the errors of memoryRow.
func livingMemory(ctx context.Context, tx *agenttx.Tx, ref MemoryRef) (head records.MemoryRow, m memories.Memory, err error) {
	if head, err = memoryRow(ctx, tx, ref.ID, ref.ETag); err != nil {
		return head, m, err
	}
	if head.State == memories.Deleted {
		return head, m, ErrInTrash
	}
	m, err = tx.Rows.Memory(ctx, tx.Agent.Slug, ref.ID)
	return head, m, err
}

// setProblems saves other problems of a memory, writes a journal entry of that kind, and adds the
// change to c. It does nothing if they are the memory's already.
func setProblems(
	ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, m memories.Memory, problems []memories.Problem, kind memories.ActivityKind,
) error {
	if slices.Equal(problems, head.Problems) {
		return nil
	}
	text := records.TextToExamine{ID: head.UUID, RevisionID: head.RevisionID, Name: m.Name, Description: m.Description, Body: m.Body}
	at := head.After(records.Now())
	entry := records.NewJournalEntry(head, head.CountKey(), at, kind, tx.Actor)
	if err := tx.DB.SetProblems(ctx, []records.ProblemChange{records.NewProblemChange(text, problems)}, at, entry); err != nil {
		return err
	}
	c.memories = append(c.memories, head.UUID)
	c.add(events.Saved, head.Name)
	return nil
}

// checkLetIn returns a *memories.ConflictError if a memory is held back because it gives orders to
// the agent, so that it must not reach other agents or people. For secrets, checkTeamContent
// refuses with the line.
func checkLetIn(head records.MemoryRow) error {
	if !slices.ContainsFunc(head.Problems, func(p memories.Problem) bool { return p.Code == memories.CodeInjection }) {
		return nil
	}
	return &memories.ConflictError{Reason: "The memory gives orders to the agent, so it is held back. Nothing was changed. Decide in Review first."}
}

// checkMasked returns a *memories.InvalidError if a draft for a memory in quarantine has masked
// text, which would replace the text on disk.
func checkMasked(head *records.MemoryRow, draft memories.Draft) error {
	if head == nil || !head.IsQuarantined() {
		return nil
	}
	for _, field := range []struct{ name, text string }{{"name", draft.Name}, {"description", draft.Description}, {"body", draft.Body}} {
		if strings.Contains(field.text, secrets.Bullets) {
			return &memories.InvalidError{Field: field.name, Reason: "has masked text, which would replace a secret with bullets; read the memory with reveal=true, or leave the secret out"}
		}
	}
	return nil
}
