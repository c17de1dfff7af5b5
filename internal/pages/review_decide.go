package pages

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// decide carries out the decision of the form and redirects to the next item of the form's list. A
// second click counts as success. If the memories have changed, or the decision is refused, it shows
// the item as it is now, with the reason.
func (s *site) decide(w http.ResponseWriter, r *http.Request) error {
	if s.options.Decider == nil {
		return memories.ErrNotFound
	}
	ctx, id := r.Context(), idOf(r)
	t, err := s.submittedTriage(r)
	if err != nil {
		return err
	}
	choice := choiceOf(r)
	item, err := s.reviewItem(ctx, t, id)
	if isGone(err) {
		if decided, err := s.store.ReviewDecisions(ctx, []string{id}); err != nil || decided[id].Item != "" {
			return cmp.Or(err, s.toNext(w, r, t, 0, id))
		}
		return s.refuseReview(w, r, t, "", memories.ErrChanged)
	}
	if err != nil {
		return err
	}
	place, err := s.store.ReviewPlace(ctx, t.Items, id)
	if err != nil {
		return err
	}
	if _, err := s.options.Decider.Decide(ctx, item.ID, choice); err != nil {
		return s.refuseReview(w, r, t, id, err)
	}
	return s.toNext(w, r, t, place, id)
}

// choiceOf returns the decision of a form. A snooze can have its number of days: snooze-7.
func choiceOf(r *http.Request) review.Choice {
	choice := review.Choice{Decision: r.PostFormValue(address.FieldDecision), ETags: r.PostForm[address.FieldETag]}
	if days, isSnooze := strings.CutPrefix(choice.Decision, review.Snooze+"-"); isSnooze {
		choice.Decision = review.Snooze
		choice.Days, _ = strconv.Atoi(days) // 0 is the default
	} else if choice.Decision == review.Snooze {
		choice.Days = 1
	}
	if choice.Decision == review.Merge {
		description, body := r.PostFormValue(address.FieldDescription), r.PostFormValue(address.FieldBody)
		choice.Description, choice.Body = &description, &body
	}
	return choice
}

// toNext redirects to the item at a place of a list, else to the one before, else to the list, with a
// notice about the item that was decided.
func (s *site) toNext(w http.ResponseWriter, r *http.Request, t reviewcards.List, place int, decided string) error {
	next := ""
	for _, skip := range []int{place, max(0, place-1)} {
		list := t.Items
		list.Skip, list.Limit = skip, 1
		page, err := s.store.Review(r.Context(), list)
		if err != nil {
			return err
		}
		if len(page.Items) > 0 {
			next = page.Items[0].ID
			break
		}
	}
	return kit.RedirectWith(w, r, t.At(next), url.Values{kit.FieldDone: {doneReviewed}, address.FieldItem: {decided}})
}

// reviewNotice returns the notice about the decision that led to the page of r, or about another
// action on a memory of one of the agents, or nil. back is the page to return to after an undo.
func (s *site) reviewNotice(r *http.Request, back string, all []records.Agent) (*ui.Notice, error) {
	if notice, err := s.undoNotice(r); notice != nil || err != nil {
		return notice, err
	}
	action := kit.LastAction(r)
	id := action.Get(address.FieldItem)
	switch {
	case action.Get(kit.FieldDone) != doneReviewed && action.Get(kit.FieldID) != "":
		for _, agent := range all {
			if notice, err := s.noticeOf(r, agent, back); err != nil || notice != nil {
				return notice, err
			}
		}
		return nil, nil
	case action.Get(kit.FieldDone) != doneReviewed || !kit.IsText(id):
		return nil, nil
	}
	decided, err := s.store.ReviewDecisions(r.Context(), []string{id})
	d, ok := decided[id]
	if err != nil || !ok {
		return nil, err
	}
	var around []records.ReviewDecision
	if review.OutcomeOf(d).Batch != "" {
		if around, err = s.store.ReviewDecided(r.Context(), records.ReviewDecisionList{Since: d.At.Add(-time.Hour), Limit: maxToday}); err != nil {
			return nil, err
		}
	}
	notice := templates.DecidedNotice(records.ReviewAction(id), reviewcards.DecidedWords(d, around), back, s.canDecide(r.Context()) && review.IsUndoable(d))
	return &notice, nil
}

// undoReview takes the decision about an item back, with all others of its batch, and redirects to the
// item, also if it was taken back before. If a later change prevents it, it shows the list with the
// reason.
func (s *site) undoReview(w http.ResponseWriter, r *http.Request, id string) error {
	if s.options.Decider == nil {
		return memories.ErrNotFound
	}
	ctx := r.Context()
	from := kit.Back(r, "")
	t, err := s.submittedTriage(r)
	if err != nil {
		return err
	}
	ids, err := s.batchOf(ctx, id)
	if err != nil {
		return err
	}
	var refused error
	for _, id := range ids {
		if err := s.options.Decider.Undo(ctx, id); err != nil && !(len(ids) > 1 && isGone(err)) {
			refused = cmp.Or(refused, err)
		}
	}
	done := doneUnreviewed
	switch {
	case errors.Is(refused, memories.ErrNotFound):
		done = doneAlready
	case refused != nil:
		return s.refuseReview(w, r, t, "", refused)
	}
	if _, err := s.reviewItem(ctx, t, id); err != nil {
		id = "" // an examination finds it again
	}
	to := t.At(id)
	if from != "" && !isReviewPath(from) {
		to = from
	}
	return kit.Redirect(w, r, to, done, "")
}

// isReviewPath reports whether an address is a page of the review.
func isReviewPath(path string) bool {
	at, err := url.Parse(path)
	if err != nil {
		return false
	}
	parts := strings.Split(strings.Trim(at.Path, "/"), "/")
	return parts[0] == "review" || len(parts) > 2 && parts[0] == "agents" && parts[2] == "review"
}

// batchOf returns the ids of the decisions of the same batch, with id itself, the last first.
func (s *site) batchOf(ctx context.Context, id string) ([]string, error) {
	found, err := s.store.ReviewDecisions(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	d := found[id]
	batch := review.OutcomeOf(d).Batch
	if batch == "" {
		return []string{id}, nil
	}
	around, err := s.store.ReviewDecided(ctx, records.ReviewDecisionList{Since: d.At.Add(-time.Hour), Limit: maxToday})
	ids := []string{id}
	for _, other := range around {
		if other.Item != id && review.OutcomeOf(other).Batch == batch {
			ids = append(ids, other.Item)
		}
	}
	return ids, err
}

// refuseReview answers a decision that failed with refused: it shows the item with the id, or the
// list without one, with the reason. After a failure of the database it returns refused.
func (s *site) refuseReview(w http.ResponseWriter, r *http.Request, t reviewcards.List, id string, refused error) error {
	f, _ := kit.FailureOf(r, refused)
	if f.Status >= http.StatusInternalServerError {
		return refused
	}
	banner := ui.Banner{Tone: ui.Danger, Title: f.Title, Text: strings.Join(append([]string{f.Text}, f.Details...), " ")}
	if errors.Is(refused, review.ErrChanged) || errors.Is(refused, memories.ErrChanged) || errors.Is(refused, memories.ErrNotFound) {
		f.Status, banner.Title, banner.Text = http.StatusConflict, "This changed while you read it", "Nothing was changed. This is the current text."
	}
	return s.showReview(w, r, f.Status, t, id, banner)
}

// reviewBatch shows the items that are to be decided together: those that the address names, or all
// of a kind. Without such items, and for readers, it redirects to the list. It decides nothing.
func (s *site) reviewBatch(w http.ResponseWriter, r *http.Request) error {
	t, err := s.submittedTriage(r)
	if err != nil {
		return err
	}
	items, left, err := s.batchItems(r, t)
	if err != nil {
		return err
	}
	if len(items) == 0 || !s.canDecide(r.Context()) {
		http.Redirect(w, r, t.At(""), http.StatusSeeOther)
		return nil
	}
	return s.showBatch(w, r, http.StatusOK, t, items, left)
}

func (s *site) showBatch(w http.ResponseWriter, r *http.Request, status int, t reviewcards.List, items []records.ReviewItem, left int, banners ...ui.Banner) error {
	v, all, err := s.reviewFrame(r, t)
	if err != nil {
		return err
	}
	page, err := s.store.Review(r.Context(), t.Items)
	if err != nil {
		return err
	}
	v.Left, v.Minutes = page.Total, reviewcards.Minutes(page.Total, v.Pace)
	reviewcards.AddFilters(&v, t, page.Counts)
	reviewcards.AddRows(&v, t, page, all, "")
	chars, err := s.charsOf(r.Context(), items)
	if err != nil {
		return err
	}
	v.Batch = &templates.ReviewBatch{
		Title: "Decide " + wording.Count(len(items), "item", "items"), Left: left, Choices: reviewcards.BatchChoices(items, chars), Back: t.At(""), Keep: t.Fields(),
	}
	for _, item := range items {
		row := reviewcards.RowIn(t, item, all, "")
		for _, m := range item.Memories {
			row.ETags = append(row.ETags, m.ETag)
		}
		v.Batch.Rows = append(v.Batch.Rows, row)
	}
	v.Banners = append(banners, v.Banners...)
	return kit.Show(w, r, status, templates.ReviewPage(v))
}

// batchItems returns the items of a batch that can be decided together, and how many more there are.
func (s *site) batchItems(r *http.Request, t reviewcards.List) (items []records.ReviewItem, left int, err error) {
	if ids := r.Form[address.FieldItem]; len(ids) > 0 {
		for _, id := range ids[:min(len(ids), records.MaxLimit)] {
			item, err := s.reviewItem(r.Context(), t, id)
			if isGone(err) {
				continue
			}
			if err != nil {
				return nil, 0, err
			}
			items = append(items, item)
		}
	} else if t.Kind != "" {
		t.Items.Limit = records.MaxLimit
		page, err := s.store.Review(r.Context(), t.Items)
		if err != nil {
			return nil, 0, err
		}
		items, left = page.Items, page.Total-len(page.Items)
	}
	return slices.DeleteFunc(items, func(item records.ReviewItem) bool { return !reviewcards.IsOneSided(item) }), left, nil
}

// charsOf returns the sizes in CLAUDE.md of the memories that items are about, by id.
func (s *site) charsOf(ctx context.Context, items []records.ReviewItem) (map[string]int, error) {
	ids, chars := map[int64][]string{}, map[string]int{}
	for _, item := range items {
		for _, m := range item.Memories {
			ids[item.AgentID] = append(ids[item.AgentID], m.ID)
		}
	}
	for agent, all := range ids {
		texts, err := s.store.ReviewTexts(ctx, agent, time.Now(), all)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			chars[t.ID] = t.ClaudeMDChars
		}
	}
	return chars, nil
}

// decideBatch carries out one decision about all items of the form, and redirects to the list. One
// undo takes all of it back. If some are refused, it decides the others and answers 409 with the
// reasons.
func (s *site) decideBatch(w http.ResponseWriter, r *http.Request) error {
	if s.options.Decider == nil {
		return memories.ErrNotFound
	}
	t, err := s.submittedTriage(r)
	if err != nil {
		return err
	}
	batch, decision := rand.Text(), r.PostFormValue(address.FieldDecision)
	done, decided := 0, ""
	var refused []string
	for _, field := range r.PostForm[address.FieldItem] {
		parts := strings.Fields(field)
		if len(parts) == 0 {
			continue
		}
		item, err := s.reviewItem(r.Context(), t, parts[0])
		if isGone(err) {
			continue // it is decided
		}
		if err != nil {
			return err
		}
		choice := review.Choice{Decision: reviewcards.BatchDecision(item, decision), ETags: parts[1:], Batch: batch}
		if item.Subject != "" && item.Kind != findings.Conflict {
			choice.ETags = nil
		}
		if _, err := s.options.Decider.Decide(r.Context(), item.ID, choice); err != nil {
			f, _ := kit.FailureOf(r, err)
			if f.Status >= http.StatusInternalServerError {
				return err
			}
			refused = append(refused, reviewcards.Row(item).Title+": "+cmp.Or(strings.Join(f.Details, " "), f.Text))
			continue
		}
		done, decided = done+1, item.ID
	}
	if t.Kind != "" { // the whole kind was decided
		t = t.With("", "")
	}
	if len(refused) > 0 {
		return s.showReview(w, r, http.StatusConflict, t, "", ui.Banner{
			Tone: ui.Warning, Title: fmt.Sprintf("%d of %d not decided", len(refused), done+len(refused)), Items: refused,
		})
	}
	return s.toNext(w, r, t, 0, decided)
}

// movedToReview redirects permanently from an earlier address of an agent: to the item that it was
// about, else to the items of its kind, else to all.
func (s *site) movedToReview(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	to := address.AgentReviewPath(agent.Slug)
	kind, id := findings.Kind(""), idOf(r)
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/versions"):
		kind = findings.Conflict
	case strings.HasSuffix(path, "/consolidation"):
		kind = findings.Plan
	case strings.Contains(path, "/proposals"):
		kind = findings.Suggestion
	}
	if kind != "" {
		to = address.WithQuery(to, map[string]string{address.FieldKind: string(kind)})
	}
	if id != "" {
		page, err := s.store.Review(r.Context(), records.ReviewList{AgentID: agent.ID, Kinds: []findings.Kind{kind}, Limit: records.MaxLimit})
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if item.Subject == id || len(item.Memories) == 1 && item.Memories[0].ID == id {
				to = address.AgentReviewPath(agent.Slug, item.ID)
			}
		}
	}
	http.Redirect(w, r, to, http.StatusMovedPermanently)
	return nil
}
