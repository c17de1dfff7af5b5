package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/findings"
	"memoir/internal/problem"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/internal/wire"
)

// ReviewFilter contains the query parameters of the queue. It is exported because huma ignores
// embedded structs that are unexported.
type ReviewFilter struct {
	Kind   []string `query:"kind" doc:"Only these kinds, separated by commas."`
	Query  string   `query:"q" doc:"Part of a memory's name or of the reason, in any letter case."`
	Limit  int      `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Cursor string   `query:"cursor" doc:"The next_cursor of the previous page of the same list."`
}

// Resolve returns a 422 problem for an unknown kind, or if q has invalid UTF-8 or a NUL character,
// else nil.
func (f *ReviewFilter) Resolve(huma.Context) []error {
	for _, k := range f.Kind {
		if !review.IsKind(findings.Kind(k)) {
			return []error{unprocessable(problem.Field{Location: "query.kind", Message: "must be one of " + strings.Join(kindNames(), ", ")})}
		}
	}
	return checkText("query.q", f.Query)
}

func kindNames() []string {
	var names []string
	for _, k := range review.Kinds() {
		names = append(names, string(k))
	}
	return names
}

func (f *ReviewFilter) list(agentID int64) records.ReviewList {
	list := records.ReviewList{AgentID: agentID, Query: f.Query, Limit: f.Limit, Cursor: f.Cursor}
	for _, k := range slices.Compact(slices.Sorted(slices.Values(f.Kind))) {
		list.Kinds = append(list.Kinds, findings.Kind(k))
	}
	return list
}

type reviewOfAllInput struct {
	ReviewFilter
	Agent string `query:"agent" doc:"Only this agent, by its slug."`
}

// Resolve returns the problems of the filter and of the agent's slug.
func (in *reviewOfAllInput) Resolve(ctx huma.Context) []error {
	if errs := in.ReviewFilter.Resolve(ctx); errs != nil {
		return errs
	}
	return checkText("query.agent", in.Agent)
}

type reviewOfAgentInput struct {
	AgentPath
	ReviewFilter
}

// Resolve returns a 404 problem for an invalid slug, else the problems of the filter.
func (in *reviewOfAgentInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	return in.ReviewFilter.Resolve(ctx)
}

type reviewItemPath struct {
	ID string `path:"id" doc:"The item's id."`
}

func (a *api) registerReview() {
	register(a, get("/review", "list-review", "List the review items of all agents, most urgent first", http.StatusNotFound), a.listReview)
	register(a, get("/agents/{slug}/review", "list-agent-review", "List the review items of one agent, most urgent first"), ofAgent(a, a.listAgentReview))
	register(a, get("/review/{id}", "get-review-item", "Get one item of the review"), a.getReviewItem)
	register(a, post("/review/{id}", "decide-review-item", "Decide about one item of the review", http.StatusConflict), a.decideReviewItem)
	register(a, post("/agents/{slug}/review/{id}", "decide-agent-review-item", "Decide about one item of an agent's review", http.StatusConflict), a.decideAgentReviewItem)
	register(a, post("/review/{id}/undo", "undo-review-decision", "Undo a decision of the review", http.StatusConflict), a.undoReviewDecision)
	register(a, post("/review/batch", "decide-review-items", "Decide about several items of the review", http.StatusConflict), a.decideReviewItems)
}

// listReview answers a page of the queue. It returns memories.ErrNotFound for an unknown agent.
func (a *api) listReview(ctx context.Context, in *reviewOfAllInput) (*answer[wire.ReviewList], error) {
	var agentID int64
	if in.Agent != "" {
		agent, err := a.store.AgentUncounted(ctx, in.Agent)
		if err != nil {
			return nil, err
		}
		agentID = agent.ID
	}
	return a.reviewOf(ctx, in.list(agentID))
}

func (a *api) listAgentReview(ctx context.Context, agent records.Agent, in *reviewOfAgentInput) (*answer[wire.ReviewList], error) {
	return a.reviewOf(ctx, in.list(agent.ID))
}

func (a *api) reviewOf(ctx context.Context, list records.ReviewList) (*answer[wire.ReviewList], error) {
	page, err := a.store.Review(ctx, list)
	counts := map[string]int{}
	for k, n := range page.Counts {
		counts[string(k)] = n
	}
	return ok(wire.ReviewList{Items: wire.List(page.Items, reviewItemOf), Counts: counts, Total: page.Total, NextCursor: wire.Text(page.NextCursor)}), err
}

func (a *api) getReviewItem(ctx context.Context, in *reviewItemPath) (*answer[wire.ReviewItem], error) {
	item, err := a.store.ReviewItem(ctx, in.ID)
	return ok(reviewItemOf(item)), err
}

func reviewItemOf(item records.ReviewItem) wire.ReviewItem {
	return wire.ReviewItemOf(item, string(review.GroupOf(item.Kind)), review.Recommended(item), review.Decisions(item))
}

// ReviewChoice is a decision about an item.
type ReviewChoice struct {
	Decision    string   `json:"decision" doc:"One of the item's decisions."`
	ETags       []string `json:"etags,omitempty" nullable:"false" maxItems:"10000" doc:"The ETags of the item's memories as you saw them, in their order. A changed memory is a conflict, also without them."`
	Name        optional `json:"name" required:"false" nullable:"false" doc:"For merge: another name of the first memory. Such a decision cannot be undone. Default: as it is."`
	Description optional `json:"description" required:"false" nullable:"false" doc:"For merge: the description of the first memory. Default: as it is."`
	Body        optional `json:"body" required:"false" nullable:"false" doc:"For merge: the text that is saved under the first memory."`
	Days        int      `json:"days,omitempty" minimum:"1" maximum:"365" doc:"For snooze. Default: 30."`
}

func (c ReviewChoice) choice(agent string) (review.Choice, error) {
	err := cmp.Or(c.Name.notNull("name"), c.Description.notNull("description"), c.Body.notNull("body"))
	return review.Choice{
		Decision: c.Decision, ETags: c.ETags, Agent: agent, Name: c.Name.value, Description: c.Description.value, Body: c.Body.value, Days: c.Days,
	}, err
}

type decideReviewItemInput struct {
	ID   string `path:"id" doc:"The item's id."`
	Body ReviewChoice
}

type decideAgentReviewItemInput struct {
	AgentPath
	ID   string `path:"id" doc:"The item's id."`
	Body ReviewChoice
}

// errNoReview is the problem of decisions without Options.Reviewer.
func errNoReview() error {
	return problem.New(http.StatusConflict, "The review does not run on this server. Nothing was changed.")
}

func (a *api) decideReviewItem(ctx context.Context, in *decideReviewItemInput) (*answer[wire.ReviewDecision], error) {
	return a.decide(ctx, in.ID, "", in.Body)
}

func (a *api) decideAgentReviewItem(ctx context.Context, in *decideAgentReviewItemInput) (*answer[wire.ReviewDecision], error) {
	return a.decide(ctx, in.ID, in.Slug, in.Body)
}

func (a *api) decide(ctx context.Context, id, agent string, c ReviewChoice) (*answer[wire.ReviewDecision], error) {
	choice, err := c.choice(agent)
	if err != nil {
		return nil, err
	}
	if a.options.Reviewer == nil {
		return nil, errNoReview()
	}
	d, err := a.options.Reviewer.Decide(ctx, id, choice)
	return ok(wire.ReviewDecisionOf(d, review.IsUndoable(d))), err
}

// undoReviewDecision takes a decision back and answers it.
func (a *api) undoReviewDecision(ctx context.Context, in *reviewItemPath) (*answer[wire.ReviewDecision], error) {
	if a.options.Reviewer == nil {
		return nil, errNoReview()
	}
	found, err := a.store.ReviewDecisions(ctx, []string{in.ID})
	if err != nil {
		return nil, err
	}
	return ok(wire.ReviewDecisionOf(found[in.ID], false)), a.options.Reviewer.Undo(ctx, in.ID)
}

// ReviewBatch is one decision about several items.
type ReviewBatch struct {
	Decision string            `json:"decision" doc:"One that all items allow; not merge."`
	Days     int               `json:"days,omitempty" minimum:"1" maximum:"365" doc:"For snooze. Default: 30."`
	Items    []ReviewBatchItem `json:"items" nullable:"false" minItems:"1" maxItems:"500"`
}

// ReviewBatchItem is one item of a batch.
type ReviewBatchItem struct {
	ID    string   `json:"id" doc:"The item's id."`
	ETags []string `json:"etags,omitempty" nullable:"false" maxItems:"10000" doc:"As in a decision about one item."`
}

// ReviewBatchResult is the result for one item of a batch.
type ReviewBatchResult struct {
	ID    string           `json:"id"`
	Error *problem.Problem `json:"error"`
}

// TransformSchema changes the property error of schema so that it may be null, and returns schema.
func (ReviewBatchResult) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return orNull(schema, "error", "Why nothing was decided; null if it was.")
}

// ReviewBatchResultList lists one result for each item of a batch, in their order.
type ReviewBatchResultList struct {
	Results []ReviewBatchResult `json:"results" nullable:"false"`
}

type decideReviewItemsInput struct{ Body ReviewBatch }

// decideReviewItems decides about each item. The failure of one does not stop the others.
func (a *api) decideReviewItems(ctx context.Context, in *decideReviewItemsInput) (*answer[ReviewBatchResultList], error) {
	if a.options.Reviewer == nil {
		return nil, errNoReview()
	}
	items := wire.List(in.Body.Items, func(item ReviewBatchItem) review.BatchItem { return review.BatchItem(item) })
	results := make([]ReviewBatchResult, len(items))
	for i, err := range a.options.Reviewer.DecideAll(ctx, review.Choice{Decision: in.Body.Decision, Days: in.Body.Days}, items) {
		results[i].ID = items[i].ID
		if err != nil {
			results[i].Error = a.problem(ctx, "body", err)
		}
	}
	return ok(ReviewBatchResultList{results}), nil
}
