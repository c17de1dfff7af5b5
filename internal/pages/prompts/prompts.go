// Package prompts makes the view of a prompt that is tried on the Context page: what a recall by
// keywords would give, and why. It also lists the prompts on record. It records nothing. Package pages
// shows the view.
package prompts

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memtext"
	"memoir/internal/recall"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// maxRecalls is the maximum number of recent prompts on a page (arbitrary).
const maxRecalls = 12

// spans are the periods that are summed up, in days. The last is how long records are kept.
var spans = []int{30, 90}

// Reader reads the data of the view templates.Prompt.
type Reader struct {
	Store    Store
	Recaller *recall.Recaller
}

// Store reads recorded recalls and memories. Secrets in them are masked.
type Store interface {
	records.Recalls
	Memory(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
}

// Request is what an address asks for besides the prompt.
type Request struct {
	Cursor string // of the prompts on record
	// Find is the id of the memory that the prompt is to find; it can be empty.
	Find string
}

// Read fills v, whose Agent, File, Query, Session and Now are set, with what a recall for v.Query would
// give, and with one page of recent prompts. If v.Find is set, it is a form that was refused.
func (r Reader) Read(ctx context.Context, agent records.Agent, request Request, v *templates.Prompt) error {
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() error { return r.explain(ctx, agent, request, v) })
	reading.Go(func() error { return r.readPast(ctx, agent, request.Cursor, v) })
	reading.Go(func() error {
		use, err := r.Store.RecallUse(ctx, agent.ID, v.Now, spans[len(spans)-1], 0)
		if len(use.Days) > 0 {
			for _, span := range spans {
				v.Spans = append(v.Spans, spanOf(use.Days, v.Now, span))
			}
		}
		return err
	})
	return reading.Wait()
}

// explain sets v.Explained to the memories that a recall for v.Query would return by keywords, with
// the reasons. If the request names one of them, it also sets v.Find. Without a query it does
// nothing.
func (r Reader) explain(ctx context.Context, agent records.Agent, request Request, v *templates.Prompt) error {
	if v.Query == "" {
		return nil
	}
	e, err := r.Recaller.Explain(ctx, agent.Slug, v.Query)
	if err != nil {
		return err
	}
	v.Explained = &templates.Explained{
		Skipped: string(e.Skipped), Given: explainedOf(e.Given), Close: explainedOf(e.Close), Candidates: e.Candidates,
	}
	for _, word := range e.Words {
		v.Explained.Words = append(v.Explained.Words, templates.RecallWord(word))
	}
	if v.Find != nil {
		request.Find = v.Find.ID
	}
	at := slices.IndexFunc(v.Explained.Close, func(m templates.ExplainedMemory) bool {
		return m.ID == request.Find && m.Owner == agent.Slug && m.Line == 0
	})
	if at < 0 {
		v.Find = nil
		return nil
	}
	return r.find(ctx, agent, v.Explained.Close[at], v)
}

// find completes v.Find, the form that adds a phrase to those as which m is asked. The phrase is that of
// a refused form in v.Find, else the prompt.
func (r Reader) find(ctx context.Context, agent records.Agent, m templates.ExplainedMemory, v *templates.Prompt) error {
	current, err := r.Store.Memory(ctx, agent, m.ID)
	if err != nil {
		return err
	}
	if v.Find == nil {
		v.Find = &templates.Find{ID: m.ID, Phrase: memtext.CutRunes(memories.CleanPhrase(v.Query), memories.MaxPhraseLength)}
	}
	v.Find.ETag = engine.ETag(current)
	return nil
}

func explainedOf(all []recall.Explained) []templates.ExplainedMemory {
	shown := make([]templates.ExplainedMemory, len(all))
	for i, m := range all {
		shown[i] = templates.ExplainedMemory{
			ID: m.ID, Owner: m.Agent, Name: m.Name, Type: m.Type, Line: m.Line, Missing: m.Missing,
			Tokens: claudemd.ApproximateTokens(m.Chars), Score: m.Score, Enough: m.Enough, Replaces: m.Replaces, Shortfall: string(m.Shortfall),
		}
		for _, match := range m.Matches {
			shown[i].Matches = append(shown[i].Matches, templates.RecallMatch(match))
		}
	}
	return shown
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

// readPast fills v with the page of past recalls at cursor, newest first, and with the links
// to the next and the first page. If v.Session is set, it lists only that session's recalls.
func (r Reader) readPast(ctx context.Context, agent records.Agent, cursor string, v *templates.Prompt) error {
	page, err := r.Store.Recalls(ctx, records.RecallList{AgentID: agent.ID, Session: v.Session, Limit: maxRecalls, Cursor: cursor})
	if err != nil {
		return err
	}
	for _, one := range page.Recalls {
		past := templates.PastRecall{
			ID: one.ID.String(), At: one.At.Local(), Session: one.Session, AskedBy: one.AskedBy, Query: one.Query, State: string(one.State),
			SelectedBy: one.SelectedBy, Skipped: one.Skipped, Candidates: one.Candidates,
		}
		for _, m := range one.Memories {
			past.Memories = append(past.Memories, templates.PastMemory{ID: m.ID.String(), Name: m.Name, Bytes: m.Bytes, There: m.There})
		}
		v.Past = append(v.Past, past)
	}
	if page.NextCursor != "" {
		v.Later = v.At(v.Session, address.FieldCursor, page.NextCursor)
	}
	if cursor != "" {
		v.FirstHref = v.At(v.Session, "", "")
	}
	return nil
}
