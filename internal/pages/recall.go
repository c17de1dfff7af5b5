package pages

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/records"
	"memoir/web/templates"
)

const (
	// maxRecalls is the maximum number of recalls on a page (arbitrary).
	maxRecalls = 50
	// maxExtremes is the maximum number of memories listed as most recalled, and as never
	// recalled (arbitrary).
	maxExtremes = 20
)

// recallSpans are the periods that are summed up, in days. The first is also the length of the
// chart; the last is how long records are kept.
var recallSpans = []int{30, 90}

// recall shows the memories that a recall for the query would return, the statistics, and one page
// of past recalls. Further pages have the past recalls only. It records no recall.
func (s *site) recall(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	query, now := r.URL.Query(), time.Now().Local()
	cursor := query.Get(templates.FieldCursor)
	v := templates.Recall{
		Agent: agentView(agent), Now: now, Model: s.recaller.HasModel(),
		Query: cleanText(query.Get(templates.FieldQuery)), Session: cleanText(query.Get(templates.FieldSession)),
	}
	reading, ctx := errgroup.WithContext(r.Context())
	reading.Go(func() error { return s.readPastRecalls(ctx, agent, cursor, &v) })
	if cursor == "" {
		reading.Go(func() error { return s.explain(ctx, agent, &v) })
		reading.Go(func() error { return s.readRecallUse(ctx, agent, now, &v.Use) })
	}
	if err := reading.Wait(); err != nil {
		return err
	}
	var err error
	if v.Frame, err = s.frame(r, agent, templates.RecallPath(agent.Slug)); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.RecallPage(v))
}

// explain sets v.Explained to the memories that a recall for v.Query would return by keywords, with
// the reasons. Nothing is recorded. Without a query it does nothing.
func (s *site) explain(ctx context.Context, agent records.Agent, v *templates.Recall) error {
	if v.Query == "" {
		return nil
	}
	e, err := s.recaller.Explain(ctx, agent.Slug, v.Query)
	if err != nil {
		return err
	}
	v.Explained = &templates.Explained{
		Skipped: string(e.Skipped), Given: explainedOf(e.Given), Close: explainedOf(e.Close), Candidates: e.Candidates, Enough: e.Enough,
	}
	for _, word := range e.Words {
		v.Explained.Words = append(v.Explained.Words, templates.RecallWord(word))
	}
	return nil
}

func explainedOf(all []recall.Explained) []templates.ExplainedMemory {
	shown := make([]templates.ExplainedMemory, len(all))
	for i, m := range all {
		shown[i] = templates.ExplainedMemory{ID: m.ID, Name: m.Name, Type: m.Type, Why: m.Why, Score: m.Score, Shortfall: string(m.Shortfall)}
	}
	return shown
}

// readRecallUse fills use with the agent's recall statistics: sums for each of recallSpans, the
// days of the first, and the memories recalled most and never. Without recalls in the last of
// recallSpans it leaves use unchanged.
func (s *site) readRecallUse(ctx context.Context, agent records.Agent, now time.Time, use *templates.RecallUse) error {
	counted, err := s.store.RecallUse(ctx, agent.ID, now, recallSpans[len(recallSpans)-1], maxExtremes)
	if err != nil || len(counted.Days) == 0 {
		return err
	}
	*use = templates.RecallUse{
		Days: allDays(counted.Days, now, recallSpans[0]), Many: records.ManyCandidates, Medians: counted.Medians,
		Most: recalledOf(counted.Most, now), MostTotal: counted.MostTotal, Never: recalledOf(counted.Never, now), NeverTotal: counted.NeverTotal,
	}
	for _, span := range recallSpans {
		use.Spans = append(use.Spans, spanOf(counted.Days, now, span))
	}
	return nil
}

// spanOf returns the sum of the recalls of the last length days in UTC, including the day of now.
// It has the counts in all, by the asking client, and by the way of selection.
func spanOf(counted []records.RecallDay, now time.Time, length int) templates.RecallSpan {
	span := templates.RecallSpan{Days: length, AskedBy: map[string]templates.RecallCount{}, SelectedBy: map[string]templates.RecallCount{}}
	add := func(to templates.RecallCount, d records.RecallDay) templates.RecallCount {
		return templates.RecallCount{
			Recalls: to.Recalls + d.Recalls, Giving: to.Giving + d.Giving, NoneOfMany: to.NoneOfMany + d.NoneOfMany,
		}
	}
	first := records.DaysUpTo(now, length)[0]
	for _, d := range counted {
		if d.Day.Before(first) {
			continue
		}
		span.All = add(span.All, d)
		span.AskedBy[d.AskedBy] = add(span.AskedBy[d.AskedBy], d)
		span.SelectedBy[d.SelectedBy] = add(span.SelectedBy[d.SelectedBy], d)
	}
	return span
}

// allDays returns the number of recalls on each of the last length days in UTC, oldest first. The
// last is the day of now. Days without recalls are included.
func allDays(counted []records.RecallDay, now time.Time, length int) []templates.RecallDay {
	days := make([]templates.RecallDay, length)
	for i, begins := range records.DaysUpTo(now, length) {
		days[i].Day = begins
		for _, c := range counted {
			if c.Day.Equal(begins) {
				days[i].Recalls += c.Recalls
				days[i].Giving += c.Giving
			}
		}
	}
	return days
}

func recalledOf(all []records.RecalledMemory, now time.Time) []templates.RecalledMemory {
	shown := make([]templates.RecalledMemory, len(all))
	for i, m := range all {
		shown[i] = templates.RecalledMemory{
			ID: m.ID, Name: m.Name, Type: m.Type, Recalls: m.Recalls, Chances: m.Chances,
			Age: ageView(memories.AgeOf(m.ModifiedAt, now)),
		}
	}
	return shown
}

// readPastRecalls fills v with the page of past recalls at cursor, newest first, and with the links
// to the next and the first page. If v.Session is set, it lists only that session's recalls.
func (s *site) readPastRecalls(ctx context.Context, agent records.Agent, cursor string, v *templates.Recall) error {
	page, err := s.store.Recalls(ctx, records.RecallList{AgentID: agent.ID, Session: v.Session, Limit: maxRecalls, Cursor: cursor})
	if err != nil {
		return err
	}
	for _, r := range page.Recalls {
		past := templates.PastRecall{
			ID: r.ID.String(), At: local(r.At), Session: r.Session, AskedBy: r.AskedBy, Query: r.Query, State: string(r.State),
			SelectedBy: r.SelectedBy, Skipped: r.Skipped, Reason: r.Note, Candidates: r.Candidates, Took: r.Took,
		}
		for _, m := range r.Memories {
			past.Memories = append(past.Memories, templates.PastMemory{ID: m.ID.String(), Name: m.Name, Bytes: m.Bytes, Why: m.Why, There: m.There})
		}
		v.Past = append(v.Past, past)
	}
	if page.NextCursor != "" {
		v.Later = v.At(v.Session, templates.FieldCursor, page.NextCursor)
	}
	if cursor != "" {
		v.FirstHref = v.At(v.Session, "", "")
	}
	return nil
}

func (s *site) recallsOf(ctx context.Context, m memories.Memory) (templates.RecallsOfMemory, error) {
	of, err := s.store.RecallsOf(ctx, m)
	return templates.RecallsOfMemory{Recalls: of.Recalls, Last: of.Last, Chances: of.Chances, Now: time.Now()}, err
}
