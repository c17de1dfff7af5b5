package api

import (
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
			return []error{unprocessable(problem.Field{Location: "query.kind", Message: "is none of " + strings.Join(kindNames(), ", ")})}
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
	register(a, get("/review", "list-review", "List what waits for a person, of all agents, the most urgent first", http.StatusNotFound), a.listReview)
	register(a, get("/agents/{slug}/review", "list-agent-review", "List what waits for a person, of one agent, the most urgent first"), ofAgent(a, a.listAgentReview))
	register(a, get("/review/{id}", "get-review-item", "Get one item of the review"), a.getReviewItem)
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
