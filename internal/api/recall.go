package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/gate"
	"memoir/internal/recall"
)

// Recall is what an agent was given for a query.
type Recall struct {
	ID         string           `json:"id"`
	State      string           `json:"state" enum:"pending,settled" doc:"pending: it is being chosen; ask again."`
	SelectedBy *string          `json:"selected_by" enum:"model,keyword" doc:"Null: nothing was looked at."`
	Skipped    *string          `json:"skipped" enum:"short_query,spent_budget,no_memories,all_seen" doc:"Why nothing was looked at; else null."`
	Note       *string          `json:"note" doc:"Why the words chose although there is a model; else null."`
	Memories   []RecalledMemory `json:"memories" nullable:"false" doc:"The best first, five at most."`
	Reminder   string           `json:"reminder" doc:"The memories as they are put into a conversation; empty for none."`
	Candidates int              `json:"candidates" doc:"How many memories were chosen from, 200 at most."`
	BudgetLeft int              `json:"budget_left" doc:"How much more the session may be given, in bytes."`
	TookMS     float64          `json:"took_ms" doc:"Milliseconds that choosing took."`
}

// RecalledMemory is a memory as it is given.
type RecalledMemory struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Type        *string  `json:"type"`
	Description string   `json:"description"`
	Path        string   `json:"path" doc:"Of its file, relative to the agent's dir."`
	Line        *int     `json:"line" doc:"Of a fact in the index at path, from 1; null: it is a memory."`
	AgeDays     *int     `json:"age_days" doc:"Whole days of 24 hours; null: unknown."`
	Stale       bool     `json:"stale"`
	Why         []string `json:"why" nullable:"false" doc:"What speaks for it, the strongest first."`
	Bytes       int      `json:"bytes" doc:"That it takes of the session's budget."`
	Text        string   `json:"text" doc:"Its file, or the fact, cut to 200 lines and 4,096 bytes."`
}

func (a *api) registerRecall() {
	begin := post("/agents/{slug}/recall", "recall", "Get the memories that fit a query, each once per session",
		http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	begin.Responses = map[string]*huma.Response{"202": {
		Description: "With async: it has begun, and the body has its id.",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Recall"}}},
	}}
	register(a, begin, a.recallNow)
	register(a, get("/agents/{slug}/recall/{id}", "get-recall", "Get the result of an asynchronous recall, once"), a.fetchRecall)
}

type recallInput struct {
	AgentPath
	Async bool `query:"async" doc:"Answers at once with an id, by which GET hands out what was given."`
	Body  struct {
		Query   string  `json:"query" doc:"What the agent is asked. Of a long one the two ends are read."`
		Session *string `json:"session,omitempty" nullable:"true" doc:"The conversation: it is given each memory once, and 61,440 bytes in all. Null or absent: nothing is known of what was given before."`
		Limit   *int    `json:"limit,omitempty" nullable:"true" minimum:"1" doc:"How many memories at most; more than 5 is taken as 5, which is also the default."`
	}
}

type recallAnswer struct {
	Status int
	Body   Recall
}

func (a *api) recallNow(ctx context.Context, in *recallInput) (*recallAnswer, error) {
	request := recall.Request{Agent: in.Slug, Query: in.Body.Query, From: recall.FromScript, ReadOnly: gate.ReadOnly(ctx)}
	if in.Body.Session != nil {
		request.Session = *in.Body.Session
	}
	if in.Body.Limit != nil {
		request.Limit = *in.Body.Limit
	}
	if in.Async && !request.ReadOnly { // a reader's recall leaves nothing to fetch, so it is answered at once
		id, err := a.recaller.Begin(ctx, request)
		return &recallAnswer{http.StatusAccepted, recallOf(recall.Result{ID: id, Pending: true, BudgetLeft: recall.SessionBudget}, "")}, err
	}
	result, err := a.recaller.Recall(ctx, request)
	return &recallAnswer{http.StatusOK, recallOf(result, recall.Reminder(result.Blocks()))}, err
}

type recallPath struct {
	AgentPath
	ID string `path:"id"`
}

func (a *api) fetchRecall(ctx context.Context, in *recallPath) (*answer[Recall], error) {
	result, err := a.recaller.Fetch(ctx, in.Slug, in.ID, gate.ReadOnly(ctx))
	return ok(recallOf(result, recall.Reminder(result.Blocks()))), err
}

func recallOf(r recall.Result, reminder string) Recall {
	out := Recall{
		ID: r.ID, State: "settled", SelectedBy: text(r.SelectedBy), Skipped: text(string(r.Skipped)), Note: text(r.Note),
		Memories: make([]RecalledMemory, len(r.Memories)), Reminder: reminder, Candidates: r.Candidates, BudgetLeft: r.BudgetLeft,
		TookMS: float64(r.Took.Microseconds()) / 1000,
	}
	if r.Pending {
		out.State = "pending"
	}
	for i, m := range r.Memories {
		out.Memories[i] = RecalledMemory{
			ID: m.ID, Name: m.Name, Type: text(string(m.Type)), Description: m.Description, Path: m.Memory.Path, Line: count(m.Line), AgeDays: m.Age.KnownDays(),
			Stale: m.Age.Stale, Why: m.Why, Bytes: m.Bytes, Text: m.Text,
		}
	}
	return out
}
