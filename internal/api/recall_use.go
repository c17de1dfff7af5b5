package api

import (
	"context"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/records"
	"memoir/internal/wire"
)

// PastRecall is the stored record of one recall.
type PastRecall struct {
	ID         string       `json:"id"`
	At         time.Time    `json:"at"`
	Session    *string      `json:"session" doc:"Null if none was named."`
	AskedBy    string       `json:"asked_by" enum:"script,hook,mcp"`
	Query      string       `json:"query" doc:"The first 4,000 bytes."`
	State      string       `json:"state" enum:"pending,settled,handed_out" doc:"settled: not fetched yet."`
	SelectedBy *string      `json:"selected_by" enum:"model,keyword" doc:"Null if nothing was searched."`
	Skipped    *string      `json:"skipped" enum:"short_query,spent_budget,no_memories,all_seen" doc:"Why nothing was searched; null otherwise."`
	Note       *string      `json:"note" doc:"Why keywords chose although a model is configured, the model did not choose, or chosen memories were not given; null otherwise."`
	Candidates int          `json:"candidates" doc:"Number of candidates, at most 200."`
	TookMS     float64      `json:"took_ms" doc:"Milliseconds of the choice."`
	Memories   []PastMemory `json:"memories" nullable:"false" doc:"The memories that were given, best first."`
}

// PastMemory is one memory of a past recall.
type PastMemory struct {
	ID    string   `json:"id"`
	Name  string   `json:"name" doc:"The name at that time."`
	Why   []string `json:"why" nullable:"false" doc:"The reasons, strongest first."`
	Bytes int      `json:"bytes" doc:"Bytes of the session's budget."`
}

// RecallList is one page of an agent's recalls, newest first.
type RecallList struct {
	Recalls    []PastRecall `json:"recalls" nullable:"false"`
	NextCursor *string      `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

// RecallStatistics counts an agent's recalls by caller, method and day, and lists the memories that
// were given most often and never.
type RecallStatistics struct {
	RecallCount
	AskedBy     map[string]RecallCount `json:"asked_by" doc:"By script, hook and mcp; callers without recalls are left out."`
	SelectedBy  map[string]RecallWay   `json:"selected_by" doc:"By model, keyword and nothing (not searched)."`
	Days        []RecallDay            `json:"days" nullable:"false" doc:"Oldest first; the last is today."`
	Never       []NeverRecalled        `json:"never" nullable:"false" doc:"Memories that were never given, those with the most chances first."`
	NeverTotal  int                    `json:"never_total" doc:"Number of all such memories."`
	Always      []AlwaysRecalled       `json:"always" nullable:"false" doc:"The memories that were given most often."`
	AlwaysTotal int                    `json:"always_total" doc:"Number of all memories that were given."`
}

// RecallCount is the number of recalls, and of those with at least one memory.
type RecallCount struct {
	Recalls int      `json:"recalls"`
	Given   int      `json:"given" doc:"Recalls that gave at least one memory."`
	Rate    *float64 `json:"rate" doc:"Share of these, 0 to 1; null without recalls."`
}

// RecallWay counts the recalls that used one selection method.
type RecallWay struct {
	RecallCount
	NoneOfMany int      `json:"none_of_many" doc:"Recalls with 10 candidates or more that gave nothing: descriptions are too vague. With fewer candidates, memories are missing."`
	MedianMS   *float64 `json:"median_ms" doc:"Median milliseconds of the choice in the last 2,000 recalls; null if this method was not used."`
}

// RecallDay counts the recalls of one day.
type RecallDay struct {
	Day string `json:"day" format:"date" doc:"In UTC."`
	RecallCount
}

// NeverRecalled is a memory that no recall gave.
type NeverRecalled struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Chances int    `json:"chances" doc:"Recalls with a search since the memory was learned."`
}

// AlwaysRecalled is a memory that at least one recall gave.
type AlwaysRecalled struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Recalls int      `json:"recalls" doc:"Recalls that gave it."`
	Share   *float64 `json:"share" doc:"Share of the recalls with a search since the memory was learned, 0 to 1; null without any."`
}

func (a *api) registerRecallUse() {
	register(a, get("/agents/{slug}/recalls", "list-recalls", "List an agent's recalls with their results, newest first"), ofAgent(a, a.listRecalls))
	register(a, get("/agents/{slug}/recall-statistics", "get-recall-statistics", "Show recall figures, with the memories that were given most often and never"), ofAgent(a, a.getRecallStatistics))
}

type recallsInput struct {
	AgentPath
	Session string `query:"session" doc:"The conversation that got the memories."`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor  string `query:"cursor" doc:"The next_cursor of the previous page of the same list."`
}

// Resolve returns a 422 problem if session has invalid UTF-8 or a NUL character, else a 404 problem
// for an invalid slug, else nil. huma calls only this method, and not AgentPath.Resolve.
func (in *recallsInput) Resolve(ctx huma.Context) []error {
	if errs := checkText("query.session", in.Session); errs != nil {
		return errs
	}
	return in.AgentPath.Resolve(ctx)
}

func (a *api) listRecalls(ctx context.Context, agent records.Agent, in *recallsInput) (*answer[RecallList], error) {
	page, err := a.store.Recalls(ctx, records.RecallList{AgentID: agent.ID, Session: in.Session, Limit: in.Limit, Cursor: in.Cursor})
	return ok(RecallList{Recalls: wire.List(page.Recalls, pastRecallOf), NextCursor: wire.Text(page.NextCursor)}), err
}

func pastRecallOf(r records.PastRecall) PastRecall {
	past := PastRecall{
		ID: r.ID.String(), At: r.At, Session: wire.Text(r.Session), AskedBy: r.AskedBy, Query: r.Query, State: string(r.State),
		SelectedBy: wire.Text(r.SelectedBy), Skipped: wire.Text(r.Skipped), Note: wire.Text(r.Note), Candidates: r.Candidates,
		TookMS: inMilliseconds(r.Took), Memories: make([]PastMemory, len(r.Memories)),
	}
	for i, m := range r.Memories {
		past.Memories[i] = PastMemory{ID: m.ID.String(), Name: m.Name, Why: m.Why, Bytes: m.Bytes}
	}
	return past
}

func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

type recallStatisticsInput struct {
	AgentPath
	Days  int `query:"days" minimum:"1" maximum:"90" default:"30" doc:"Number of past days; recalls are kept for 90 days."`
	Limit int `query:"limit" minimum:"1" maximum:"500" default:"20" doc:"Maximum number of memories in never and in always."`
}

func (a *api) getRecallStatistics(ctx context.Context, agent records.Agent, in *recallStatisticsInput) (*answer[RecallStatistics], error) {
	now := time.Now()
	use, err := a.store.RecallUse(ctx, agent.ID, now, in.Days, in.Limit)
	if err != nil {
		return nil, err
	}
	statistics := sumOfRecalls(use, records.DaysUpTo(now, in.Days))
	for _, m := range use.Never {
		statistics.Never = append(statistics.Never, NeverRecalled{m.ID, m.Name, m.Chances})
	}
	for _, m := range use.Most {
		statistics.Always = append(statistics.Always, AlwaysRecalled{m.ID, m.Name, m.Recalls, shareOf(m.Recalls, m.Chances)})
	}
	return ok(statistics), nil
}

// sumOfRecalls adds up use in total, by caller, by method, and by each of days. Use of a day that
// is not in days is only in the other sums. A method without a name is "nothing". Never and Always
// of the result are empty and the caller fills them, but their totals and the medians are set.
func sumOfRecalls(use records.RecallUse, days []time.Time) RecallStatistics {
	sum := RecallStatistics{
		AskedBy: map[string]RecallCount{}, SelectedBy: map[string]RecallWay{}, Days: make([]RecallDay, len(days)),
		Never: []NeverRecalled{}, NeverTotal: use.NeverTotal, Always: []AlwaysRecalled{}, AlwaysTotal: use.MostTotal,
	}
	for i, begins := range days {
		sum.Days[i].Day = begins.Format(time.DateOnly)
	}
	for _, c := range use.Days {
		sum.RecallCount = sum.plus(c)
		sum.AskedBy[c.AskedBy] = sum.AskedBy[c.AskedBy].plus(c)
		name := c.SelectedBy
		if name == "" {
			name = "nothing"
		}
		way := sum.SelectedBy[name]
		way.RecallCount = way.plus(c)
		way.NoneOfMany += c.NoneOfMany
		sum.SelectedBy[name] = way
		if i := slices.IndexFunc(days, c.Day.Equal); i >= 0 {
			sum.Days[i].RecallCount = sum.Days[i].plus(c)
		}
	}
	for name, took := range use.Medians {
		way, median := sum.SelectedBy[name], inMilliseconds(took)
		way.MedianMS = &median
		sum.SelectedBy[name] = way
	}
	return sum
}

// plus returns the sum of c and d, with the share of recalls that delivered a memory. It does not
// change c.
func (c RecallCount) plus(d records.RecallDay) RecallCount {
	recalls, given := c.Recalls+d.Recalls, c.Given+d.Giving
	return RecallCount{recalls, given, shareOf(given, recalls)}
}

// shareOf returns part divided by whole. It is nil if whole is 0.
func shareOf(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	share := float64(part) / float64(whole)
	return &share
}
