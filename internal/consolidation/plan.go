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
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/memories/memtext"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// MakePlan makes and stores a plan for an agent and replaces the old plan. It changes no memory.
// Of the gates it checks only the lock. A failure of the model is no error; the plan's Note
// reports it. It returns memories.ErrNotFound for an unknown agent. It returns
// *memories.ConflictError if consolidation or the agent's memory is off, or another consolidation
// runs on a server or in another program.
func (c *Consolidator) MakePlan(ctx context.Context, slug string, by memories.Actor) (records.Plan, error) {
	agent, err := c.permitted(ctx, slug)
	if err != nil {
		return records.Plan{}, err
	}
	var plan records.Plan
	err = c.exclusive(ctx, agent, func() error {
		return c.withLock(ctx, slug, func(checkLock func() error) (bool, error) {
			plan, err = c.planner.makePlan(ctx, agent, by, checkLock)
			return false, err // the lock gets its old time back
		})
	})
	return plan, err
}

// planner makes and saves plans. It changes no memory.
type planner struct {
	engine  *engine.Engine
	store   Store
	options Options
}

// makePlan makes a plan from rules and from the model, if there is one. It stores the plan in
// place of the agent's old plan and emits an event for open pages. A failure of the model is no
// error; the plan's Note reports it. The caller must hold the lock file. checkLock is called at
// the end; if it returns an error, nothing is stored. With an error, the returned plan has the
// used tokens.
func (p *planner) makePlan(ctx context.Context, agent records.Agent, by memories.Actor, checkLock func() error) (records.Plan, error) {
	plan := records.Plan{ID: uuid.New(), MadeBy: by}
	draft, count, err := p.load(ctx, agent)
	if err != nil {
		return plan, err
	}
	plan.Memories = count
	if err := p.applyRules(ctx, agent, draft); err != nil {
		return plan, err
	}
	if p.options.Model != nil {
		plan.Model = p.options.ModelName
		if err := p.propose(ctx, agent, draft, &plan); err != nil {
			return plan, err
		}
	}
	draft.addDeadLinks()
	if draft.left > 0 {
		plan.Note = strings.TrimSpace(plan.Note + fmt.Sprintf(" %d further steps have to wait for the next plan.", draft.left))
	}
	change, reason, err := p.indexChange(ctx, agent)
	if err != nil {
		return plan, err
	}
	if change != nil {
		draft.add(kindReindex, sourceFound, "Update "+change.Name, reason, *change)
	}
	plan.Steps, plan.Findings = draft.steps, draft.findings
	if err := p.measure(ctx, agent, &plan); err != nil {
		return plan, err
	}
	if err := checkLock(); err != nil {
		return plan, err
	}
	plan.MadeAt = records.Now()
	if err := p.store.SaveConsolidation(ctx, agent.ID, plan); err != nil {
		return plan, err
	}
	p.engine.EmitScanned(agent.Slug)
	return plan, nil
}

// load returns a draft without steps that contains the agent's active memories and knows all
// names, also former ones. It leaves out a memory whose body exceeds maxBody or would bring the
// sum of bodies over maxBodies. The number is the count of active memories, with those left out.
func (p *planner) load(ctx context.Context, agent records.Agent) (*draftPlan, int, error) {
	var notes []note
	count, size := 0, 0
	err := p.store.EachActive(ctx, agent, func(m memories.Memory) error {
		if count++; len(m.Body) <= maxBody && size+len(m.Body) <= maxBodies {
			size += len(m.Body)
			notes = append(notes, note{Memory: m, etag: engine.ETag(m)})
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	known := names{living: map[string]string{}, bySlug: map[string][]string{}}
	if err := p.store.NamesOf(ctx, agent, known.add); err != nil {
		return nil, 0, err
	}
	known.forgotten, err = p.store.ForgottenNames(ctx, agent.ID)
	return newDraftPlan(notes, known), count, err
}

// applyRules adds steps for duplicate and superseded memories, and findings about similar memories,
// about dead citations and about memories whose files differ. A memory gets the step of the first rule that applies to
// it.
func (p *planner) applyRules(ctx context.Context, agent records.Agent, draft *draftPlan) error {
	draft.addExactDuplicates()
	superseded, err := p.store.SupersededMemories(ctx, agent.ID, minDuplicateChars)
	if err != nil {
		return err
	}
	draft.addSuperseded(superseded)
	if err := draft.addPairs(ctx); err != nil {
		return err
	}
	doubtful, err := p.store.ToReview(ctx, agent, maxFindings)
	if err != nil {
		return err
	}
	draft.addCitations(doubtful)
	disagreements, err := p.store.Disagreements(ctx, agent)
	if err != nil {
		return err
	}
	draft.addConflicts(disagreements)
	return nil
}

// indexChange returns the change that updates and shortens the agent's MEMORY.md, and a sentence
// with the reason. It returns nil and "" without an error if the file is missing, needs no change,
// is no plain text, or cannot be edited. It writes nothing.
func (p *planner) indexChange(ctx context.Context, agent records.Agent) (*records.StepChange, string, error) {
	now, err := p.engine.PreviewIndex(ctx, agent.Slug)
	var conflict *memories.ConflictError
	if errors.As(err, &conflict) {
		return nil, "", nil // the Index tab of the agent's page shows the reason
	}
	if err != nil || now.Before == nil || now.IsEmpty() || !isPlainText(now.Before) {
		return nil, "", err
	}
	index, err := p.engine.Index(ctx, agent.Slug)
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
	var reasons []string
	if dead > 0 {
		reasons = append(reasons, memtext.Counted(dead, "line without a file", "lines without a file"))
	}
	if unlisted > 0 {
		reasons = append(reasons, memtext.Counted(unlisted, "memory file without a line", "memory files without a line"))
	}
	if caps {
		reasons = append(reasons, "MEMORY.md is longer than an agent loads")
	}
	reason := strings.Join(reasons, "; ") + "."
	if len(reasons) == 0 {
		reason = "An entry without a file."
	}
	for _, topic := range now.Topics {
		reason += " Entries move to " + topic.Path + ", to which the index links."
	}
	if warning := memorymd.Read(now.After).Warning; warning != "" {
		reason += " Not all lines are loaded even then."
	}
	return &records.StepChange{
		Op: records.ChangeIndex, Name: belowPrimary(agent, now.Path), Seen: now.ETag(),
		Before: &records.StepText{Body: string(now.Before)}, After: &records.StepText{Body: string(now.After)},
	}, strings.ToUpper(reason[:1]) + reason[1:], nil
}

func isPlainText(raw []byte) bool { return utf8.Valid(raw) && !strings.ContainsRune(string(raw), 0) }

// belowPrimary converts a path relative to the agent's directory into one relative to its primary
// directory, with slashes. It returns the path unchanged if that is impossible.
func belowPrimary(agent records.Agent, at string) string {
	if rel, err := filepath.Rel(agents.Agent{Layout: agents.Layout(agent.Layout)}.PrimaryDir(), at); err == nil {
		return filepath.ToSlash(rel)
	}
	return at
}

// measure sets the sizes of CLAUDE.md before and after, in characters, in each step and in the
// plan. The size after a step assumes that only this step is applied; the plan's assumes all. It
// writes no file and stores nothing.
func (p *planner) measure(ctx context.Context, agent records.Agent, plan *records.Plan) error {
	sets := make([][]engine.Edit, len(plan.Steps))
	for i, step := range plan.Steps {
		sets[i] = edits(step)
	}
	sizes, err := p.engine.PreviewEdits(ctx, agent.Slug, sets)
	if err != nil {
		return err
	}
	plan.CharsBefore, plan.CharsAfter = sizes.Now, sizes.All
	for i := range plan.Steps {
		plan.Steps[i].CharsBefore, plan.Steps[i].CharsAfter = sizes.Now, sizes.After[i]
	}
	return nil
}
