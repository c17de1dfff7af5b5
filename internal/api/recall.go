package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/fence"
	"memoir/internal/gate"
	"memoir/internal/recall"
	"memoir/internal/wire"
)

// Recall is the result of one recall: the memories that fit a query.
type Recall struct {
	ID         string           `json:"id"`
	State      string           `json:"state" enum:"pending,settled" doc:"pending: not finished; ask again."`
	SelectedBy *string          `json:"selected_by" enum:"model,keyword" doc:"Null if nothing was searched."`
	Skipped    *string          `json:"skipped" enum:"short_query,spent_budget,no_memories,all_seen" doc:"Why nothing was searched; null otherwise."`
	Note       *string          `json:"note" doc:"Why keywords chose although a model is configured; null otherwise."`
	Memories   []RecalledMemory `json:"memories" nullable:"false" doc:"Best first, at most five."`
	Reminder   string           `json:"reminder" doc:"The text for the conversation; empty without memories."`
	Candidates int              `json:"candidates" doc:"Number of candidates, at most 200."`
	BudgetLeft int              `json:"budget_left" doc:"Bytes that the session may still get."`
	TookMS     float64          `json:"took_ms" doc:"Milliseconds of the choice."`
}

// RecalledMemory is one memory or fact of a recall.
type RecalledMemory struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Type        *string  `json:"type"`
	Description string   `json:"description"`
	Path        string   `json:"path" doc:"Path of the file, relative to the agent's dir."`
	Line        *int     `json:"line" doc:"Line of a fact in the index at path, from 1; null for a memory."`
	AgeDays     *int     `json:"age_days" doc:"Whole days of 24 hours; null if unknown."`
	Stale       bool     `json:"stale"`
	Why         []string `json:"why" nullable:"false" doc:"The reasons, strongest first."`
	Weak        bool     `json:"weak" doc:"True if it hardly fits the query."`
	Bytes       int      `json:"bytes" doc:"Bytes of the session's budget."`
	Text        string   `json:"text" doc:"The file or the fact, cut to 200 lines and 4,096 bytes."`
}

func (a *api) registerRecall() {
	op := post("/agents/{slug}/recall", "recall", "Get the memories that fit a query, each once per session", http.StatusConflict)
	op.Responses = map[string]*huma.Response{"202": {
		Description: "With async: the recall has started, and the body has its id.",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Recall"}}},
	}}
	register(a, op, a.recallNow)
	register(a, get("/agents/{slug}/recall/{id}", "get-recall", "Get the result of an asynchronous recall, once"), a.fetchRecall)
}

type recallInput struct {
	AgentPath
	Async  bool `query:"async" doc:"Returns an id at once; GET returns the result."`
	DryRun bool `query:"dry_run" doc:"true: nothing is recorded, and no model is asked, as with the read token."`
	Body   struct {
		Query   string  `json:"query" doc:"The prompt. Only the beginning and the end of a long one are read."`
		Session *string `json:"session,omitempty" nullable:"true" doc:"The conversation. It gets each memory once, and at most 61,440 bytes. Without it, each recall is independent, and gives the best memories also if they hardly fit."`
		Limit   *int    `json:"limit,omitempty" nullable:"true" minimum:"1" doc:"Number of memories; default and maximum 5."`
	}
}

type recallAnswer struct {
	Status int
	Body   Recall
}

// recallNow runs a recall and answers 200 with its result. With in.Async, it starts the recall in
// the background and answers 202 with the id to fetch the result. For a client with read-only
// access, or with in.DryRun, it ignores in.Async, because such a recall is not stored.
func (a *api) recallNow(ctx context.Context, in *recallInput) (*recallAnswer, error) {
	request := recall.Request{Agent: in.Slug, Query: in.Body.Query, From: recall.FromScript, ReadOnly: gate.ReadOnly(ctx) || in.DryRun}
	if in.Body.Session != nil {
		request.Session = *in.Body.Session
	} else {
		request.Deliberate = true
	}
	if in.Body.Limit != nil {
		request.Limit = *in.Body.Limit
	}
	// a read-only recall is not stored, so it cannot be fetched later
	if in.Async && !request.ReadOnly {
		id, err := a.recaller.Begin(ctx, request)
		return &recallAnswer{http.StatusAccepted, recallOf(recall.Result{ID: id, Pending: true, BudgetLeft: recall.SessionBudget}, "")}, err
	}
	result, err := a.recaller.Recall(ctx, request)
	return &recallAnswer{http.StatusOK, recallOf(result, fence.Reminder(result.Blocks()))}, err
}

type recallPath struct {
	AgentPath
	ID string `path:"id"`
}

func (a *api) fetchRecall(ctx context.Context, in *recallPath) (*answer[Recall], error) {
	result, err := a.recaller.Fetch(ctx, in.Slug, in.ID, gate.ReadOnly(ctx))
	return ok(recallOf(result, fence.Reminder(result.Blocks()))), err
}

func recallOf(r recall.Result, reminder string) Recall {
	out := Recall{
		ID: r.ID, State: "settled", SelectedBy: wire.Text(r.SelectedBy), Skipped: wire.Text(string(r.Skipped)), Note: wire.Text(r.Note),
		Memories: make([]RecalledMemory, len(r.Memories)), Reminder: reminder, Candidates: r.Candidates, BudgetLeft: r.BudgetLeft,
		TookMS: float64(r.Took.Microseconds()) / 1000,
	}
	if r.Pending {
		out.State = "pending"
	}
	for i, m := range r.Memories {
		out.Memories[i] = RecalledMemory{
			ID: m.ID, Name: m.Name, Type: wire.Text(string(m.Type)), Description: m.Description, Path: m.Memory.Path, Line: wire.Count(m.Line), AgeDays: m.Age.KnownDays(),
			Stale: m.Age.Stale, Why: m.Why, Weak: m.Weak, Bytes: m.Bytes, Text: m.Text,
		}
	}
	return out
}
