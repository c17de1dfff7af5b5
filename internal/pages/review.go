package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Decider carries out decisions about items of the review. *review.Reviewer implements it.
type Decider interface {
	// Decide fails with memories.ErrChanged if the ETags differ, and with memories.ErrNotFound.
	Decide(ctx context.Context, id string, choice review.Choice) (records.ReviewDecision, error)
	// Undo takes a decision back. It fails with memories.ErrNotFound without one, and with
	// *memories.ConflictError if a later change prevents it.
	Undo(ctx context.Context, id string) error
}

const (
	doneReviewed   = "reviewed"
	doneUnreviewed = "unreviewed"
)

const (
	// maxHeld is the maximum number of snoozed items on a page (arbitrary).
	maxHeld = 300
	// maxToday is the maximum number of decisions of a day that the end card adds up (arbitrary).
	maxToday = 10_000
)

// submittedTriage returns the list that a form or a query names: by its fields, else by the page of
// the form.
func (s *site) submittedTriage(r *http.Request) (reviewcards.List, error) {
	slug, query := listview.CleanText(r.FormValue(address.FieldAgent)), r.Form
	if from, err := url.Parse(kit.Back(r, "")); err == nil && isReviewPath(from.Path) {
		query = from.Query()
		if parts := strings.Split(from.Path, "/"); parts[1] == "agents" {
			slug = parts[2]
		}
	}
	if slug == "" {
		return reviewcards.ListOf(nil, query)
	}
	agent, err := s.store.Agent(r.Context(), slug)
	if err != nil {
		return reviewcards.List{}, err
	}
	return reviewcards.ListOf(&agent, query)
}

func (s *site) review(w http.ResponseWriter, r *http.Request) error {
	t, err := reviewcards.ListOf(nil, r.URL.Query())
	if err != nil {
		return err
	}
	return s.showReview(w, r, http.StatusOK, t, idOf(r))
}

func (s *site) agentReview(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	t, err := reviewcards.ListOf(&agent, r.URL.Query())
	if err != nil {
		return err
	}
	return s.showReview(w, r, http.StatusOK, t, idOf(r))
}

// showReview shows a list with an open item: that with the id, else the first one. A banner reports
// an item that has left the queue. For an invalid id it returns memories.ErrNotFound.
func (s *site) showReview(w http.ResponseWriter, r *http.Request, status int, t reviewcards.List, id string, banners ...ui.Banner) error {
	ctx := r.Context()
	if id != "" {
		switch _, err := s.reviewItem(ctx, t, id); {
		case isGone(err):
			if _, elsewhere := s.store.ReviewItem(ctx, id); !reviewcards.WasItem.MatchString(id) || !isGone(elsewhere) {
				return err
			}
			if status == http.StatusOK && kit.LastAction(r).Get(kit.FieldDone) == "" {
				banners = append(banners, ui.Banner{Title: "Already decided", Text: "It was decided, or its text changed. This is the next item."})
			}
			id = ""
		case err != nil:
			return err
		}
	}
	v, all, err := s.reviewFrame(r, t)
	if err != nil {
		return err
	}
	v.Banners = append(banners, v.Banners...)
	if t.Snoozed {
		err = s.addHeld(ctx, &v, t, all)
	} else {
		err = s.addOpen(r, &v, t, all, id)
	}
	if err != nil {
		return err
	}
	return kit.Show(w, r, status, templates.ReviewPage(v))
}

func isGone(err error) bool { return errors.Is(err, memories.ErrNotFound) }

// reviewItem returns an item. It returns memories.ErrNotFound for an unknown id, and for an item of
// another agent than that of the list.
func (s *site) reviewItem(ctx context.Context, t reviewcards.List, id string) (records.ReviewItem, error) {
	if !kit.IsText(id) {
		return records.ReviewItem{}, memories.ErrNotFound
	}
	item, err := s.store.ReviewItem(ctx, id)
	if err == nil && t.Agent != nil && item.AgentID != t.Agent.ID {
		err = memories.ErrNotFound
	}
	return item, err
}

// reviewFrame returns the view without an open item: filters, progress and the last decision. all are
// all agents, by id.
func (s *site) reviewFrame(r *http.Request, t reviewcards.List) (templates.Review, map[int64]records.Agent, error) {
	ctx := r.Context()
	v := templates.Review{Query: t.Items.Query, Keep: t.Fields(), Back: t.At(""), IsSnoozed: t.Snoozed, CanDecide: s.canDecide(ctx)}
	if t.Agent != nil {
		view := agentView(*t.Agent)
		v.Agent = &view
		frame, err := s.frame(r, *t.Agent, v.Back)
		if err != nil {
			return v, nil, err
		}
		v.Banners, v.Notice = frame.Banners, frame.Notice
		v.HasPlans = s.options.Consolidator != nil
		if err := s.addPlan(r, &v, t); err != nil {
			return v, nil, err
		}
	}
	listed, err := s.store.AgentsUncounted(ctx)
	if err != nil {
		return v, nil, err
	}
	if v.Notice == nil {
		if v.Notice, err = s.reviewNotice(r, v.Back, listed); err != nil {
			return v, nil, err
		}
	}
	all := make(map[int64]records.Agent, len(listed))
	for _, a := range listed {
		all[a.ID] = a
	}
	midnight := today()
	today := records.ReviewDecisionList{AgentID: t.Items.AgentID, Since: midnight}
	if v.Done, err = s.store.CountReviewDecided(ctx, today); err != nil {
		return v, nil, err
	}
	last, err := s.store.ReviewDecided(ctx, reviewcards.Paced(t.Items.AgentID, midnight))
	if err != nil {
		return v, nil, err
	}
	v.Pace = reviewcards.Pace(last)
	for _, d := range last {
		if d.At.Before(midnight) || !review.IsUndoable(d) || d.By != memories.ByBrowser || !v.CanDecide {
			continue
		}
		v.Last = reviewcards.DecidedWords(d, last)
		v.Undo = &ui.Action{Label: "Undo", About: v.Last, Path: address.UndoPath(records.ReviewAction(d.Item)), Does: "undo", Icon: "undo"}
		break
	}
	held, err := s.store.CountReviewDecided(ctx, records.ReviewDecisionList{AgentID: t.Items.AgentID, HeldAt: time.Now()})
	v.Snoozed = templates.ReviewFilter{Label: "Snoozed", Count: held, Current: t.Snoozed, Href: address.WithQuery(t.With("", "").At(""), map[string]string{address.FieldView: address.ViewSnoozed})}
	if err != nil {
		return v, nil, err
	}
	checked, err := s.store.ReviewedAt(ctx, t.Items.AgentID)
	v.CheckedAt = shown.Local(checked)
	return v, all, err
}

// today returns the beginning of the day.
func today() time.Time {
	year, month, day := time.Now().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.Local)
}

// addOpen adds the rows of a page and the open item: that with the id, else the first of the page.
// The page is the one with the item. Without items it adds the end card.
func (s *site) addOpen(r *http.Request, v *templates.Review, t reviewcards.List, all map[int64]records.Agent, id string) error {
	ctx := r.Context()
	place := (t.Page - 1) * reviewcards.MaxRows
	if id != "" {
		var err error
		if place, err = s.store.ReviewPlace(ctx, t.Items, id); err != nil {
			return err
		}
	}
	t.Items.Skip = place / reviewcards.MaxRows * reviewcards.MaxRows
	page, err := s.store.Review(ctx, t.Items)
	if err != nil {
		return err
	}
	v.Left = page.Total
	v.Minutes = reviewcards.Minutes(page.Total, v.Pace)
	reviewcards.AddFilters(v, t, page.Counts)
	if err := s.addReviewAgents(ctx, v, t, all); err != nil {
		return err
	}
	if len(page.Items) == 0 && id == "" {
		if page.Total > 0 {
			return memories.ErrNotFound // a page after the last
		}
		return s.addEnd(ctx, v, t, all)
	}
	at := slices.IndexFunc(page.Items, func(item records.ReviewItem) bool { return item.ID == id })
	if id == "" {
		at, id = 0, page.Items[0].ID
	}
	reviewcards.AddRows(v, t, page, all, id)
	pages := func(n int) string {
		return address.WithQuery(t.At(""), map[string]string{address.FieldPage: strconv.Itoa(n)})
	}
	if n := t.Items.Skip/reviewcards.MaxRows + 1; n > 1 {
		v.PrevHref = pages(n - 1)
	}
	if next := t.Items.Skip + reviewcards.MaxRows; next < page.Total {
		v.NextHref = pages(next/reviewcards.MaxRows + 1)
	}
	item, err := s.reviewItem(ctx, t, id)
	if err != nil {
		return err
	}
	return s.addCard(r, v, t, all[item.AgentID], item, page, at)
}

// addCard adds the card of an item, which is at an index of the page, or -1 if the filters leave it
// out.
func (s *site) addCard(r *http.Request, v *templates.Review, t reviewcards.List, agent records.Agent, item records.ReviewItem, page records.ReviewPage, at int) error {
	query := r.URL.Query()
	reveal := query.Get(address.FieldReveal) != "" && r.Method == http.MethodGet
	if reveal && !gate.CanWrite(r.Context()) {
		return &kit.BadRequest{Status: http.StatusForbidden, Detail: "The token for readers does not reveal secrets."}
	}
	links := s.linksOf(r.Context(), agent)
	maker := reviewcards.Maker{Store: s.store, Engine: s.engine, Proposals: s.options.Extractor, Render: links.RenderMarked, Options: reviewcards.Options{
		CanDecide: v.CanDecide, CanReveal: gate.CanWrite(r.Context()), Reveal: reveal, Merge: query.Get(address.FieldMerge) != "", Here: t.At(item.ID),
	}}
	card, err := maker.Card(r.Context(), agent, item)
	if err != nil {
		return err
	}
	card.Total, card.Keep = page.Total, v.Keep
	if at >= 0 {
		card.Place = t.Items.Skip + at + 1
		if at > 0 {
			card.PrevHref = t.At(page.Items[at-1].ID)
		}
		if at+1 < len(page.Items) {
			card.NextHref = t.At(page.Items[at+1].ID)
		}
	}
	if n := page.Counts[item.Kind]; n > 1 && v.CanDecide && item.Kind != findings.Duplicate && reviewcards.IsOneSided(item) {
		values := map[string]string{address.FieldKind: string(item.Kind)}
		if t.Agent != nil {
			values[address.FieldAgent] = t.Agent.Slug
		}
		card.Batch = ui.Link{Label: reviewcards.BatchLabel(item.Kind, n), Href: address.WithQuery(address.ReviewBatchPath, values)}
	}
	v.Card = &card
	return nil
}

// addReviewAgents adds the links to the queues of agents, if there are at least two.
func (s *site) addReviewAgents(ctx context.Context, v *templates.Review, t reviewcards.List, all map[int64]records.Agent) error {
	counts, err := s.store.ReviewCounts(ctx)
	if err != nil || len(counts) < 2 {
		return err
	}
	scope := t
	scope.Agent = nil
	whole := templates.ReviewFilter{Label: "All agents", Href: scope.At(""), Current: t.Agent == nil}
	for id, n := range counts {
		whole.Count += n
		if a, ok := all[id]; ok {
			scope.Agent = &a
			v.Agents = append(v.Agents, templates.ReviewFilter{Label: a.DisplayName, Href: scope.At(""), Count: n, Current: t.Agent != nil && t.Agent.ID == id})
		}
	}
	slices.SortFunc(v.Agents, func(a, b templates.ReviewFilter) int { return cmp.Compare(a.Label, b.Label) })
	v.Agents = append([]templates.ReviewFilter{whole}, v.Agents...)
	return nil
}

// addHeld adds the snoozed items.
func (s *site) addHeld(ctx context.Context, v *templates.Review, t reviewcards.List, all map[int64]records.Agent) error {
	page, err := s.store.Review(ctx, records.ReviewList{AgentID: t.Items.AgentID, Limit: 1})
	if err != nil {
		return err
	}
	reviewcards.AddFilters(v, t, page.Counts)
	v.Groups[0].Current, v.Left = false, page.Total
	held, err := s.store.ReviewDecided(ctx, records.ReviewDecisionList{AgentID: t.Items.AgentID, HeldAt: time.Now(), Limit: maxHeld})
	names := map[string]string{}
	for _, a := range all {
		names[a.Slug] = a.DisplayName
	}
	for _, d := range held {
		o := review.OutcomeOf(d)
		row := templates.ReviewHeld{
			ID: d.Item, Title: templates.ReviewTitle(o.Names, o.Reason), Kind: templates.ReviewWord(d.Kind), Tone: reviewcards.ToneOf(findings.Kind(d.Kind)),
			Reason: o.Reason, Until: shown.Local(d.Until), Never: d.Decision == review.Hide, Agent: names[d.Agent],
		}
		if v.CanDecide {
			row.Show = ui.Action{Label: "Show now", About: row.Title, Path: address.UndoPath(records.ReviewAction(d.Item))}
		}
		v.Held = append(v.Held, row)
	}
	return err
}

// addEnd adds the end card, if something was decided today and no filter hides items.
func (s *site) addEnd(ctx context.Context, v *templates.Review, t reviewcards.List, all map[int64]records.Agent) error {
	if t.Kind != "" || t.Group != "" || t.Items.Query != "" || v.Done == 0 {
		return nil
	}
	var err error
	v.End, err = s.reviewEnd(ctx, t.Items.AgentID, all)
	return err
}

// reviewEnd returns the end card of today. It is nil if nothing was decided.
func (s *site) reviewEnd(ctx context.Context, agentID int64, all map[int64]records.Agent) (*templates.ReviewEnd, error) {
	decided, err := s.store.ReviewDecided(ctx, records.ReviewDecisionList{AgentID: agentID, Since: today(), Limit: maxToday})
	if err != nil {
		return nil, err
	}
	involved := map[string]bool{}
	for _, d := range decided {
		involved[d.Agent] = true
	}
	var ids []int64
	chars := 0
	for id, a := range all {
		if involved[a.Slug] {
			ids, chars = append(ids, id), chars+a.ClaudeMD.Chars
		}
	}
	sizes, err := s.store.ReviewSizes(ctx, ids)
	return reviewcards.End(decided, sizes, chars), err
}

// reviewSummary returns a handler that shows the end card of today in another format. For a day
// without decisions all its numbers are 0.
func (s *site) reviewSummary(contentType string, write func(templates.ReviewEnd) string) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		listed, err := s.store.AgentsUncounted(r.Context())
		if err != nil {
			return err
		}
		all := map[int64]records.Agent{}
		for _, a := range listed {
			all[a.ID] = a
		}
		end, err := s.reviewEnd(r.Context(), 0, all)
		if err != nil {
			return err
		}
		if end == nil {
			end = &templates.ReviewEnd{}
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(write(*end))) // the client may have disconnected
		return nil
	}
}

func (s *site) canDecide(ctx context.Context) bool {
	return s.options.Decider != nil && gate.CanWrite(ctx)
}
