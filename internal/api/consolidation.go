package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/consolidation"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// Consolidation is the state of an agent's consolidation, with its plan and the last applied steps.
type Consolidation struct {
	Mode     string              `json:"mode" enum:"off,plan,auto" doc:"What runs automatically: off, plan, or auto (a few steps too)."`
	Model    bool                `json:"model" doc:"False if no model is available; plans then use rules only."`
	Gates    []ConsolidationGate `json:"gates" nullable:"false" doc:"The conditions of an automatic plan, in the order in which they are checked. All must be open."`
	LastAt   *time.Time          `json:"last_at" doc:"The last consolidation, by Memoir or Claude Code; null if there was none."`
	Planning bool                `json:"planning" doc:"A plan is being made."`
	Applying bool                `json:"applying" doc:"Steps are being applied or undone."`
	Failed   *string             `json:"failed" doc:"Why the last requested plan failed; null if it did not."`
	Plan     *ConsolidationPlan  `json:"plan"`
	Applied  []ConsolidationStep `json:"applied" nullable:"false" doc:"The last applied steps of all plans, newest first, undone ones included; at most 50."`
}

// TransformSchema changes the property plan of schema so that it may be null, and returns schema.
func (Consolidation) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return orNull(schema, "plan", "The agent's plan; null if there is none.")
}

// orNull changes a property of schema and returns schema. The property, which must be a reference
// to an object, gets the description and may be null. huma never adds the null for objects.
func orNull(schema *huma.Schema, property, description string) *huma.Schema {
	described := schema.Properties[property]
	schema.Properties[property] = &huma.Schema{Description: description, AnyOf: []*huma.Schema{{Ref: described.Ref}, {Type: "null"}}}
	return schema
}

// ConsolidationGate is one condition of an automatic plan.
type ConsolidationGate struct {
	Name string `json:"name" enum:"time,look,conversations,lock"`
	Open bool   `json:"open"`
	Why  string `json:"why" doc:"Reason for people."`
}

// ConsolidationPlan is a list of proposed steps. A plan changes nothing until steps are applied.
type ConsolidationPlan struct {
	ID           string                 `json:"id"`
	MadeAt       time.Time              `json:"made_at"`
	MadeBy       string                 `json:"made_by" enum:"browser,script,memoir"`
	Memories     int                    `json:"memories" doc:"Number of memories that were examined."`
	Model        *string                `json:"model" doc:"The model that was asked; null if none was."`
	Note         *string                `json:"note" doc:"A note about the model's answer, for people."`
	InputTokens  int                    `json:"input_tokens"`
	OutputTokens int                    `json:"output_tokens"`
	ClaudeMD     ConsolidationSize      `json:"claude_md" doc:"Size of CLAUDE.md with all steps."`
	Steps        []ConsolidationStep    `json:"steps" nullable:"false" doc:"In the order in which they are applied."`
	Findings     []ConsolidationFinding `json:"findings" nullable:"false" doc:"Findings that only a person can decide."`
}

// ConsolidationSize is the length of the whole CLAUDE.md, in Unicode characters.
type ConsolidationSize struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// ConsolidationFinding is a finding about a memory for which no step can be proposed.
type ConsolidationFinding struct {
	Memory *string `json:"memory" doc:"Id of the memory."`
	Name   string  `json:"name"`
	Text   string  `json:"text"`
}

// ConsolidationStep is a group of changes that are applied and undone together.
type ConsolidationStep struct {
	ID        string                `json:"id"`
	Kind      string                `json:"kind" enum:"merge,update,delete,reindex"`
	Source    string                `json:"source" enum:"found,model" doc:"found: by rules. model: proposed by the model."`
	Title     string                `json:"title"`
	Reason    string                `json:"reason"`
	State     string                `json:"state" enum:"proposed,chosen,applied,refused,undoing,undone" doc:"chosen and undoing: decided, and in progress."`
	Problem   *string               `json:"problem" doc:"Why the step was not applied or not undone."`
	Changes   []ConsolidationChange `json:"changes" nullable:"false" doc:"In the order in which they are made."`
	ClaudeMD  ConsolidationSize     `json:"claude_md" doc:"Size of CLAUDE.md with this step alone, when the plan was made."`
	By        *string               `json:"by" enum:"browser,script,memoir" doc:"Who applied or undid the step; null if open."`
	AppliedAt *time.Time            `json:"applied_at"`
	UndoneAt  *time.Time            `json:"undone_at"`
}

// ConsolidationChange is one change of a step, to a memory or to the index.
type ConsolidationChange struct {
	Op     string                `json:"op" enum:"write,delete,index"`
	Memory *string               `json:"memory" doc:"Id of the memory; null for the index."`
	Name   string                `json:"name" doc:"Name of the memory, or path of the index below the memory directory."`
	Before ConsolidationContent  `json:"before"`
	After  *ConsolidationContent `json:"after"`
	Diff   *string               `json:"diff" doc:"Unified diff of the content; null if only type or description changes."`
}

// TransformSchema changes the property after of schema so that it may be null, and returns schema.
func (ConsolidationChange) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return orNull(schema, "after", "Null if the memory is deleted.")
}

// ConsolidationContent is the content of a memory or an index. An index has a body only.
type ConsolidationContent struct {
	Type        *string `json:"type"`
	Description *string `json:"description"`
	Body        string  `json:"body"`
}

// ConsolidationResult is the result of applying one step.
type ConsolidationResult struct {
	ID      string           `json:"id"`
	Status  int              `json:"status" doc:"200 if the step was applied."`
	Problem *problem.Problem `json:"problem"`
}

// TransformSchema changes the property problem of schema so that it may be null, and returns
// schema.
func (ConsolidationResult) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return orNull(schema, "problem", "Why the step was not applied; null if it was.")
}

// ConsolidationResultList lists the results of applied steps, in the order of the request.
type ConsolidationResultList struct {
	Results []ConsolidationResult `json:"results" nullable:"false"`
}

func (a *api) registerConsolidation() {
	register(a, get("/agents/{slug}/consolidation", "get-consolidation", "Get the state of consolidation and the plan", http.StatusConflict), consolidating(a, a.consolidation))
	register(a, post("/agents/{slug}/consolidation", "plan-consolidation", "Make a consolidation plan now", http.StatusConflict), consolidating(a, a.planConsolidation))
	register(a, post("/agents/{slug}/consolidation/apply", "apply-consolidation", "Apply steps of the plan", http.StatusConflict), consolidating(a, a.applyConsolidation))
	register(a, post("/agents/{slug}/consolidation/steps/{id}/undo", "undo-consolidation-step", "Undo an applied step", http.StatusConflict), consolidating(a, a.undoConsolidationStep))
	register(a, del("/agents/{slug}/consolidation", "discard-consolidation", "Discard the plan; applied steps stay", http.StatusConflict), consolidating(a, a.discardConsolidation))
}

// consolidating returns a handler that calls handle with Options.Consolidator. If that is nil, the
// handler returns a *memories.ConflictError and does not call handle.
func consolidating[I, O any](a *api, handle func(context.Context, *consolidation.Consolidator, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if a.options.Consolidator == nil {
			return nil, &memories.ConflictError{Reason: "Consolidation does not run on this server. Nothing was changed."}
		}
		return handle(ctx, a.options.Consolidator, in)
	}
}

func (a *api) consolidation(ctx context.Context, c *consolidation.Consolidator, in *AgentPath) (*answer[Consolidation], error) {
	return consolidationAnswer(ctx, c, in.Slug)
}

func consolidationAnswer(ctx context.Context, c *consolidation.Consolidator, slug string) (*answer[Consolidation], error) {
	o, err := c.Overview(ctx, slug)
	if err != nil {
		return nil, err
	}
	shown := Consolidation{
		Mode: string(o.Mode), Model: o.HasModel, LastAt: wire.Moment(o.Last), Planning: o.Planning, Applying: o.Busy, Failed: wire.Text(o.Failed),
		Gates: make([]ConsolidationGate, len(o.Gates)), Applied: wire.List(o.Applied, consolidationStepOf),
	}
	for i, g := range o.Gates {
		shown.Gates[i] = ConsolidationGate{string(g.Name), g.Open, g.Why}
	}
	if o.Plan != nil {
		plan := planOf(*o.Plan)
		shown.Plan = &plan
	}
	return ok(shown), nil
}

func planOf(p records.Plan) ConsolidationPlan {
	plan := ConsolidationPlan{
		ID: p.ID.String(), MadeAt: p.MadeAt, MadeBy: string(p.MadeBy), Memories: p.Memories, Model: wire.Text(p.Model), Note: wire.Text(p.Note),
		InputTokens: p.InputTokens, OutputTokens: p.OutputTokens, ClaudeMD: ConsolidationSize{p.CharsBefore, p.CharsAfter},
		Steps: wire.List(p.Steps, consolidationStepOf), Findings: make([]ConsolidationFinding, len(p.Findings)),
	}
	for i, f := range p.Findings {
		plan.Findings[i] = ConsolidationFinding{wire.Text(f.Memory), f.Name, f.Text}
	}
	return plan
}

func consolidationStepOf(s records.Step) ConsolidationStep {
	step := ConsolidationStep{
		ID: s.ID.String(), Kind: s.Kind, Source: s.Source, Title: s.Title, Reason: s.Reason, State: string(s.State), Problem: wire.Text(s.Problem),
		ClaudeMD: ConsolidationSize{s.CharsBefore, s.CharsAfter}, By: wire.Text(string(s.Actor)), AppliedAt: wire.Moment(s.AppliedAt), UndoneAt: wire.Moment(s.UndoneAt),
		Changes: make([]ConsolidationChange, len(s.Changes)),
	}
	for i, c := range s.Changes {
		change := ConsolidationChange{Op: c.Op, Memory: wire.Text(c.Memory), Name: c.Name, Before: *contentOf(c.Before), After: contentOf(c.After)}
		after := []byte(nil)
		if c.After != nil {
			after = []byte(c.After.Body)
		}
		change.Diff = unifiedDiff(c.Name, []byte(c.Before.Body), after)
		step.Changes[i] = change
	}
	return step
}

func contentOf(t *records.StepText) *ConsolidationContent {
	if t == nil {
		return nil
	}
	return &ConsolidationContent{wire.Text(string(t.Type)), wire.Text(quarantine.MaskSecrets(t.Description)), quarantine.MaskSecrets(t.Body)}
}

type planConsolidationInput struct {
	AgentPath
	Wait int `query:"wait" minimum:"0" maximum:"60" default:"60" doc:"Seconds to wait for the plan. A slower one is still made; planning is then true."`
}

func (a *api) planConsolidation(ctx context.Context, c *consolidation.Consolidator, in *planConsolidationInput) (*answer[Consolidation], error) {
	if _, err := c.Request(ctx, in.Slug, memories.ByScript, time.Duration(in.Wait)*time.Second); err != nil {
		return nil, err
	}
	return consolidationAnswer(ctx, c, in.Slug)
}

type applyConsolidationInput struct {
	AgentPath
	Body struct {
		Steps []string `json:"steps" nullable:"false" minItems:"1" maxItems:"500" doc:"Ids of steps of the plan."`
	}
}

func (a *api) applyConsolidation(ctx context.Context, c *consolidation.Consolidator, in *applyConsolidationInput) (*answer[ConsolidationResultList], error) {
	results, err := c.Apply(ctx, in.Slug, in.Body.Steps, memories.ByScript)
	if err != nil {
		return nil, err
	}
	shown := make([]ConsolidationResult, len(results))
	for i, r := range results {
		shown[i] = ConsolidationResult{ID: r.ID, Status: http.StatusOK}
		if r.Error != nil {
			shown[i].Problem = a.problem(ctx, "body", r.Error)
			shown[i].Status = shown[i].Problem.Status
		}
	}
	return ok(ConsolidationResultList{shown}), nil
}

type consolidationStepPath struct {
	AgentPath
	ID string `path:"id" doc:"Id of a step."`
}

func (a *api) undoConsolidationStep(ctx context.Context, c *consolidation.Consolidator, in *consolidationStepPath) (*answer[ConsolidationStep], error) {
	step, err := c.Undo(ctx, in.Slug, in.ID, memories.ByScript)
	if err != nil {
		return nil, err
	}
	return ok(consolidationStepOf(step)), nil
}

func (a *api) discardConsolidation(ctx context.Context, c *consolidation.Consolidator, in *AgentPath) (*answer[Consolidation], error) {
	if err := c.Discard(ctx, in.Slug); err != nil {
		return nil, err
	}
	return consolidationAnswer(ctx, c, in.Slug)
}
