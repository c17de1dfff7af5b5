package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/consolidation"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/web/templates"
)

const (
	// planWait is how long a request waits for a plan before it answers that one is being made
	// (arbitrary).
	planWait = 5 * time.Second
	// maxStepLines is the maximum number of changed lines shown for one memory (arbitrary).
	maxStepLines = 60
	// maxApplied is the maximum number of applied steps on a page (arbitrary).
	maxApplied = 20
)

// consolidation shows the conditions for an automatic plan, the current plan, and at most
// maxApplied applied steps. Without a Consolidator the page reports that consolidation is off. It
// returns memories.ErrNotFound for an unknown agent.
func (s *site) consolidation(w http.ResponseWriter, r *http.Request) error {
	return s.showConsolidation(w, r, http.StatusOK)
}

func (s *site) showConsolidation(w http.ResponseWriter, r *http.Request, status int, banners ...templates.Banner) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	v := templates.Consolidation{Agent: agentView(agent), Off: true}
	if c := s.options.Consolidator; c != nil {
		o, err := c.Overview(r.Context(), agent.Slug)
		if err != nil {
			return err
		}
		v = consolidationView(agent, o)
	}
	if v.Frame, err = s.frame(r, agent, templates.ConsolidationPath(agent.Slug)); err != nil {
		return err
	}
	v.Banners = append(v.Banners, banners...)
	return show(w, r, status, templates.ConsolidationPage(v))
}

func consolidationView(agent records.Agent, o consolidation.Overview) templates.Consolidation {
	v := templates.Consolidation{
		Agent: agentView(agent), Off: o.Mode == consolidation.Off, Auto: o.Mode == consolidation.Auto, HasModel: o.HasModel, SwitchOn: model.SwitchOn,
		Planning: o.Planning, Applying: o.Busy, Failed: o.Failed,
	}
	for _, g := range o.Gates {
		v.Gates = append(v.Gates, templates.ConsolidationGate{Title: gateTitles[g.Name], Open: g.Open, Why: g.Why})
	}
	here := templates.ConsolidationPath(agent.Slug)
	v.Applied = stepViews(agent.Slug, o.Applied[:min(len(o.Applied), maxApplied)], here)
	if p := o.Plan; p != nil {
		v.Plan = &templates.ConsolidationPlan{
			MadeAt: local(p.MadeAt), By: madeBy[p.MadeBy], Memories: p.Memories, Model: p.Model, Tokens: p.InputTokens + p.OutputTokens, Note: p.Note,
			CharsBefore: p.CharsBefore, CharsAfter: p.CharsAfter, Steps: stepViews(agent.Slug, p.Steps, here),
			Discard: templates.Action{Label: "Discard the plan", Path: templates.ConsolidationPath(agent.Slug, "discard")},
		}
		for _, f := range p.Findings {
			finding := templates.ConsolidationFinding{Name: f.Name, Text: f.Text}
			if f.Memory != "" {
				finding.Path = templates.MemoryPath(agent.Slug, f.Memory)
			}
			v.Plan.Findings = append(v.Plan.Findings, finding)
		}
	}
	return v
}

var gateTitles = map[consolidation.GateName]string{
	consolidation.GateTime: "24 hours passed", consolidation.GateLook: "10 minutes since check", consolidation.GateConversations: "5 conversations", consolidation.GateLock: "One run at a time",
}

var madeBy = map[memories.Actor]string{memories.ByBrowser: "in a browser", memories.ByScript: "by a script", memories.ByMemoir: "by Memoir itself"}

// stepViews returns the views of steps, in the same order. Only a proposed step shows its changes,
// and only an applied one has an undo. back is the page to return to after an undo.
func stepViews(slug string, steps []records.Step, back string) []templates.ConsolidationStep {
	views := make([]templates.ConsolidationStep, len(steps))
	for i, s := range steps {
		v := templates.ConsolidationStep{
			ID: s.ID.String(), Kind: s.Kind, Title: s.Title, Reason: s.Reason, ByModel: s.Source == "model", State: string(s.State), Problem: s.Problem,
			CharsBefore: s.CharsBefore, CharsAfter: s.CharsAfter, At: local(s.AppliedAt),
		}
		if s.State == records.StepUndone {
			v.At = local(s.UndoneAt)
		}
		if s.State == records.StepProposed {
			for _, c := range s.Changes {
				v.Changes = append(v.Changes, changeView(slug, c))
			}
		}
		if consolidation.CanUndo(s) {
			v.Undo = &templates.Action{Label: "Undo", About: s.Title, Path: templates.ConsolidationPath(slug, "steps", v.ID, "undo"), Back: back}
		}
		views[i] = v
	}
	return views
}

func changeView(slug string, c records.StepChange) templates.ConsolidationChange {
	v := templates.ConsolidationChange{Name: c.Name, Deleted: c.After == nil}
	if c.Memory != "" {
		v.Path = templates.MemoryPath(slug, c.Memory)
	}
	after := records.StepText{Type: c.Before.Type, Description: c.Before.Description}
	if c.After != nil {
		after = *c.After
	}
	if after.Type != c.Before.Type {
		v.Said = fmt.Sprintf("It becomes a %s memory; it was a %s memory. ", after.Type, c.Before.Type)
	}
	if after.Description != c.Before.Description {
		v.Said += fmt.Sprintf("Its description becomes “%s”; it was “%s”.", after.Description, c.Before.Description)
	}
	v.Diff = maskedDiff(c.Before.Body, after.Body, maxStepLines)
	return v
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
func (s *site) consolidating(handle func(http.ResponseWriter, *http.Request, *consolidation.Consolidator) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.options.Consolidator == nil {
			return memories.ErrNotFound
		}
		return handle(w, r, s.options.Consolidator)
	}
}

// makePlan requests a plan, which changes no memory, and waits for it, but at most planWait. It
// then redirects to the Consolidation tab, with a notice if the plan is finished; otherwise it is
// still being made. After *memories.ConflictError it shows the tab with the reason.
func (s *site) makePlan(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	made, err := c.Request(r.Context(), slugOf(r), memories.ByBrowser, planWait)
	if err != nil {
		return s.notConsolidated(w, r, err)
	}
	if !made {
		http.Redirect(w, r, templates.ConsolidationPath(slugOf(r)), http.StatusSeeOther)
		return nil
	}
	return redirect(w, r, templates.ConsolidationPath(slugOf(r)), donePlanned, "")
}

// applySteps applies the selected steps and redirects to the Consolidation tab. If some were
// refused, the others are applied, and it answers 409 with the tab and their number. If none is
// selected, it changes nothing and redirects with a notice. After *memories.ConflictError nothing
// is applied, and it shows the tab with the reason.
func (s *site) applySteps(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	ids := r.PostForm[templates.FieldStep]
	if len(ids) == 0 {
		return redirect(w, r, templates.ConsolidationPath(slugOf(r)), doneNoSteps, "")
	}
	results, err := c.Apply(r.Context(), slugOf(r), ids, memories.ByBrowser)
	if err != nil {
		return s.notConsolidated(w, r, err)
	}
	refused := 0
	for _, result := range results {
		if result.Error != nil {
			refused++
		}
	}
	if refused > 0 {
		return s.showConsolidation(w, r, http.StatusConflict, templates.Banner{
			Tone: templates.Warning, Title: fmt.Sprintf("%d of %d steps were not applied", refused, len(results)),
			Text: "What they are about has changed since the plan was made, so nothing of them was done. Each says why below. Make a new plan for them.",
		})
	}
	return redirect(w, r, templates.ConsolidationPath(slugOf(r)), doneApplied, "")
}

func (s *site) undoStep(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	if _, err := c.Undo(r.Context(), slugOf(r), chi.URLParam(r, "id"), memories.ByBrowser); err != nil {
		return s.notConsolidated(w, r, err)
	}
	return redirect(w, r, back(r, templates.ConsolidationPath(slugOf(r))), doneUndone, "")
}

func (s *site) discardPlan(w http.ResponseWriter, r *http.Request, c *consolidation.Consolidator) error {
	if err := c.Discard(r.Context(), slugOf(r)); err != nil && !errors.Is(err, memories.ErrNotFound) {
		return s.notConsolidated(w, r, err)
	}
	return redirect(w, r, templates.ConsolidationPath(slugOf(r)), doneDiscarded, "")
}

// notConsolidated answers 409 with the reason of a *memories.ConflictError on the Consolidation
// tab. For any other error it writes nothing and returns that error.
func (s *site) notConsolidated(w http.ResponseWriter, r *http.Request, err error) error {
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return s.showConsolidation(w, r, http.StatusConflict, templates.Banner{Tone: templates.Danger, Title: "It was not done", Text: conflict.Reason})
}
