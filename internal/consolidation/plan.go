package consolidation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync"
)

// MakePlan makes a plan for an agent now, in place of the one that there is, and changes no memory. The gates are not asked, except
// for the lock. It fails with memories.ErrNotFound, and with *memories.ConflictError where somebody else consolidates.
func (c *Consolidator) MakePlan(ctx context.Context, slug string, by memories.Actor) (records.Plan, error) {
	agent, err := c.permitted(ctx, slug)
	if err != nil {
		return records.Plan{}, err
	}
	var plan records.Plan
	err = c.alone(ctx, agent, func() error {
		return c.locked(ctx, slug, func(still func() error) (bool, error) {
			plan, err = c.makePlan(ctx, agent, by, still)
			return false, err // nothing is consolidated by it: the lock keeps the time that it had
		})
	})
	return plan, err
}

// makePlan makes a plan while nobody else consolidates the agent.
func (c *Consolidator) makePlan(ctx context.Context, agent records.Agent, by memories.Actor, still func() error) (records.Plan, error) {
	plan := records.Plan{ID: uuid.New(), MadeBy: by}
	draft, looked, err := c.orient(ctx, agent)
	if err != nil {
		return plan, err
	}
	plan.Memories = looked
	if err := c.gather(ctx, agent, draft); err != nil {
		return plan, err
	}
	if c.options.Model != nil {
		plan.Model = c.options.ModelName
		asked, err := c.propose(ctx, agent, draft)
		if err != nil {
			return plan, err
		}
		plan.Note, plan.InputTokens, plan.OutputTokens = asked.note, asked.input, asked.output
	}
	draft.deadLinks()
	if draft.left > 0 {
		plan.Note = strings.TrimSpace(plan.Note + fmt.Sprintf(" %d further steps have to wait for the next plan.", draft.left))
	}
	if err := c.reindex(ctx, agent, draft); err != nil {
		return plan, err
	}
	plan.Steps, plan.Findings = draft.steps, draft.findings
	if err := c.measure(ctx, agent, &plan); err != nil {
		return plan, err
	}
	if err := still(); err != nil {
		return plan, err
	}
	plan.MadeAt = records.Now()
	if err := c.store.SaveConsolidation(ctx, agent.ID, plan); err != nil {
		return plan, err
	}
	c.engine.EmitScanned(agent.Slug)
	return plan, nil
}

// orient reads what there is.
func (c *Consolidator) orient(ctx context.Context, agent records.Agent) (*draftPlan, int, error) {
	var notes []note
	looked, size := 0, 0
	err := c.store.EachActive(ctx, agent, func(m memories.Memory) error {
		if looked++; len(m.Body) <= longestCompared && size+len(m.Body) <= mostCompared {
			size += len(m.Body)
			notes = append(notes, note{Memory: m, etag: sync.ETag(m)})
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	known := names{living: map[string]string{}, bySlug: map[string][]string{}}
	if err := c.store.NamesOf(ctx, agent, known.add); err != nil {
		return nil, 0, err
	}
	known.forgotten, err = c.store.ForgottenNames(ctx, agent.ID)
	return newDraftPlan(notes, known), looked, err
}

// gather finds what can be known without a model, the most certain first.
func (c *Consolidator) gather(ctx context.Context, agent records.Agent, draft *draftPlan) error {
	draft.exactDuplicates()
	superseded, err := c.store.SupersededMemories(ctx, agent.ID, shortestDuplicate)
	if err != nil {
		return err
	}
	draft.superseded(superseded)
	draft.nearDuplicates()
	doubtful, err := c.store.ToReview(ctx, agent, mostFindings)
	if err != nil {
		return err
	}
	draft.cited(doubtful)
	disagreements, err := c.store.Disagreements(ctx, agent)
	if err != nil {
		return err
	}
	draft.disagreeing(disagreements)
	return nil
}

// reindex adds the step that brings the index in step with the memory files, and under its caps. An agent without an index is given
// none.
func (c *Consolidator) reindex(ctx context.Context, agent records.Agent, draft *draftPlan) error {
	change, reason, err := c.indexChange(ctx, agent)
	if err != nil || change == nil {
		return err
	}
	draft.add(kindReindex, sourceFound, "Bring "+change.Name+" in step with the memory files", reason, *change)
	return nil
}

// indexChange returns what is to become of the index; nil: nothing.
func (c *Consolidator) indexChange(ctx context.Context, agent records.Agent) (*records.StepChange, string, error) {
	now, err := c.engine.PreviewPrunedIndex(ctx, agent.Slug)
	var conflict *memories.ConflictError
	if errors.As(err, &conflict) {
		return nil, "", nil // the Index tab says why it cannot be read
	}
	if err != nil || now.Before == nil || string(now.Before) == string(now.After) || !isPlainText(now.Before) {
		return nil, "", err
	}
	index, err := c.engine.Index(ctx, agent.Slug)
	if err != nil {
		return nil, "", err
	}
	dead, unlisted, caps := 0, 0, index.Loaded.Warning != ""
	for _, f := range index.Findings {
		switch f.Code {
		case memorymd.FindingDeadLink:
			dead++
		case memorymd.FindingUnlisted:
			unlisted++
		}
	}
	var said []string
	if dead > 0 {
		said = append(said, counted(dead, "line leads to nothing", "lines lead to nothing"))
	}
	if unlisted > 0 {
		said = append(said, counted(unlisted, "memory file has no line", "memory files have no line"))
	}
	if caps {
		said = append(said, "it is longer than an agent loads")
	}
	reason := strings.Join(said, "; ") + "."
	if len(said) == 0 {
		reason = "An entry leads to what is gone."
	}
	if warning := memorymd.Read(now.After).Warning; warning != "" {
		reason += " Even then not all of it is loaded: fewer or shorter entries would be."
	}
	return &records.StepChange{
		Op: records.ChangeIndex, Name: belowDurable(agent, now.Path), Seen: files.Hash(now.Before),
		Before: &records.StepText{Body: string(now.Before)}, After: &records.StepText{Body: string(now.After)},
	}, strings.ToUpper(reason[:1]) + reason[1:], nil
}

func isPlainText(raw []byte) bool { return utf8.Valid(raw) && !strings.ContainsRune(string(raw), 0) }

// belowDurable is a path of the agent's directory as one of its durable directory.
func belowDurable(agent records.Agent, at string) string {
	if rel, err := filepath.Rel(primaryDir(agent), at); err == nil {
		return filepath.ToSlash(rel)
	}
	return at
}

// measure fills in what each step, and all together, do to CLAUDE.md.
func (c *Consolidator) measure(ctx context.Context, agent records.Agent, plan *records.Plan) error {
	sets := make([][]sync.Edit, len(plan.Steps))
	for i, step := range plan.Steps {
		sets[i] = edits(step)
	}
	sizes, err := c.engine.PreviewEdits(ctx, agent.Slug, sets)
	if err != nil {
		return err
	}
	plan.CharsBefore, plan.CharsAfter = sizes.Now, sizes.All
	for i := range plan.Steps {
		plan.Steps[i].CharsBefore, plan.Steps[i].CharsAfter = sizes.Now, sizes.After[i]
	}
	return nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func primaryDir(agent records.Agent) string {
	return agents.Agent{Layout: agents.Layout(agent.Layout)}.PrimaryDir()
}
