package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"memoir/internal/consolidation"
	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

const (
	// planWait is how long a request waits for a plan before it answers that one is being made
	// (arbitrary).
	planWait = 5 * time.Second
	// maxApplied is the maximum number of applied steps on a page (arbitrary).
	maxApplied = 20
)

// addPlan adds the state of the agent's plan to a list of its steps, with the actions to make one and
// to discard it. It adds nothing to other lists, and if plans are off.
func (s *site) addPlan(r *http.Request, v *templates.Review, t reviewcards.List) error {
	c := s.options.Consolidator
	if c == nil || t.Kind != string(findings.Plan) {
		return nil
	}
	o, err := c.Overview(r.Context(), t.Agent.Slug)
	if err != nil || o.Mode == consolidation.Off {
		return err
	}
	v.Plan = &templates.ReviewPlan{Text: "No plan yet. A plan changes nothing until you apply its steps."}
	path := func(action string) string { return address.AgentReviewPath(t.Agent.Slug, "plan", action) }
	if p := o.Plan; p != nil {
		v.Plan.Text = fmt.Sprintf("Plan of %s: %s examined.", p.MadeAt.Local().Format("2 Jan, 15:04"), wording.Count(p.Memories, "memory", "memories"))
		if p.Note != "" {
			v.Plan.Text += " " + p.Note
		}
		for _, f := range p.Findings {
			finding := templates.ReviewFinding{Name: f.Name, Text: f.Text}
			if f.Memory != "" {
				finding.Href = address.MemoryPath(t.Agent.Slug, f.Memory)
			}
			v.Plan.Findings = append(v.Plan.Findings, finding)
		}
	}
	switch {
	case o.Planning:
		v.Plan.Text = "A plan is being made. Reload to see it."
	case o.Failed != "":
		v.Plan.Text = "No plan was made. " + o.Failed
	}
	if !v.CanDecide {
		return nil
	}
	if !o.Planning {
		v.Plan.Actions = append(v.Plan.Actions, ui.Action{Label: "Make a plan", Path: path("make")})
	}
	if o.Plan != nil {
		v.Plan.Actions = append(v.Plan.Actions, ui.Action{Label: "Discard plan", Path: path("discard")})
	}
	return nil
}

// plansPath returns the path of the steps of an agent's plan in the review.
func plansPath(slug string) string {
	return address.WithQuery(address.AgentReviewPath(slug), map[string]string{address.FieldKind: string(findings.Plan)})
}

var gateTitles = map[consolidation.GateName]string{
	consolidation.GateTime: "24 hours passed", consolidation.GateLook: "10 minutes since check", consolidation.GateConversations: "5 conversations", consolidation.GateLock: "One run at a time",
}

// stepViews returns the views of steps, in the same order. Only an applied one has an undo. back is
// the page to return to after an undo.
func stepViews(slug string, steps []records.Step, back string) []templates.ConsolidationStep {
	views := make([]templates.ConsolidationStep, len(steps))
	for i, s := range steps {
		v := templates.ConsolidationStep{
			ID: s.ID.String(), Kind: s.Kind, Title: s.Title, Reason: s.Reason, ByModel: s.Source == "model", State: string(s.State), Problem: s.Problem,
			At: shown.Local(s.AppliedAt),
		}
		if s.State == records.StepUndone {
			v.At = shown.Local(s.UndoneAt)
		}
		if consolidation.CanUndo(s) {
			v.Undo = &ui.Action{Label: "Undo", About: s.Title, Path: address.StepUndoPath(slug, v.ID), Back: back}
		}
		views[i] = v
	}
	return views
}

// appliedSteps returns the views of the last steps applied to an agent's memories, at most
// maxApplied, newest first. Steps that were undone later are included. It returns nil without a
// Consolidator. back is the page to return to after an undo.
func (s *site) appliedSteps(ctx context.Context, agent records.Agent, back string) ([]templates.ConsolidationStep, error) {
	if s.options.Consolidator == nil {
		return nil, nil
	}
	steps, err := s.options.Consolidator.Applied(ctx, agent.ID, maxApplied)
	return stepViews(agent.Slug, steps, back), err
}

// consolidating returns a handler that calls handle with the Consolidator. If Options has none, the
// handler returns memories.ErrNotFound and does not call handle.
func (s *site) consolidating(handle func(http.ResponseWriter, *http.Request, *consolidation.Consolidator) error) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.options.Consolidator == nil {
			return memories.ErrNotFound
		}
		return handle(w, r, s.options.Consolidator)
	}
}

// makePlan requests a plan, which changes no memory, and waits for it, but at most planWait. It then
// redirects to its steps. After *memories.ConflictError it shows them with the reason.
func (s *site) makePlan(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	if _, err := c.Request(r.Context(), kit.Slug(r), memories.ByBrowser, planWait); err != nil {
		return s.notConsolidated(w, r, err)
	}
	http.Redirect(w, r, plansPath(kit.Slug(r)), http.StatusSeeOther)
	return nil
}

func (s *site) undoStep(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	if _, err := c.Undo(r.Context(), kit.Slug(r), idOf(r), memories.ByBrowser); err != nil {
		return s.notConsolidated(w, r, err)
	}
	return kit.Redirect(w, r, kit.Back(r, plansPath(kit.Slug(r))), doneUndone, "")
}

func (s *site) discardPlan(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	if err := c.Discard(r.Context(), kit.Slug(r)); err != nil && !errors.Is(err, memories.ErrNotFound) {
		return s.notConsolidated(w, r, err)
	}
	http.Redirect(w, r, plansPath(kit.Slug(r)), http.StatusSeeOther)
	return nil
}

// notConsolidated answers 409 with the reason of a *memories.ConflictError above the steps of the
// plan. For any other error it writes nothing and returns that error.
func (s *site) notConsolidated(w http.ResponseWriter, r *http.Request, err error) error {
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	agent, err := s.kit.Agent(r)
	if err != nil {
		return err
	}
	t, err := reviewcards.ListOf(&agent, url.Values{address.FieldKind: {string(findings.Plan)}})
	if err != nil {
		return err
	}
	return s.showReview(w, r, http.StatusConflict, t, "", ui.Banner{Tone: ui.Danger, Title: "Not done", Text: conflict.Reason})
}
