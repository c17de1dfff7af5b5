package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
)

// Decider carries out decisions about items of the review. *review.Reviewer implements it.
type Decider interface {
	// Decide fails with memories.ErrChanged if the ETags differ, and with memories.ErrNotFound.
	Decide(ctx context.Context, id string, choice review.Choice) (records.ReviewDecision, error)
	// Undo takes a decision back. It fails with memories.ErrNotFound without one, and with
	// *memories.ConflictError if a later change prevents it.
	Undo(ctx context.Context, id string) error
}

// reviewItems is the maximum number of items on a page (arbitrary).
const reviewItems = 50

const (
	doneReviewed   = "reviewed"
	doneUnreviewed = "unreviewed"
)

func (s *site) review(w http.ResponseWriter, r *http.Request) error {
	return s.showReview(w, r, http.StatusOK, nil, r.URL)
}

func (s *site) agentReview(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showReview(w, r, http.StatusOK, &agent, r.URL)
}

// showReview shows one page of the queue of an agent, or of all agents if agent is nil. The query
// of at has the filters. It returns memories.ErrNotFound for an unknown kind.
func (s *site) showReview(w http.ResponseWriter, r *http.Request, status int, agent *records.Agent, at *url.URL, banners ...templates.Banner) error {
	ctx, query := r.Context(), at.Query()
	list := records.ReviewList{Query: cleanText(query.Get(templates.FieldQuery)), Limit: reviewItems, Cursor: query.Get(templates.FieldCursor)}
	for name := range strings.SplitSeq(query.Get(templates.FieldKind), ",") {
		switch kind := findings.Kind(name); {
		case review.IsKind(kind):
			list.Kinds = append(list.Kinds, kind)
		case name != "":
			return memories.ErrNotFound
		}
	}
	v, path := templates.Review{Query: list.Query, Kinds: joined(list.Kinds)}, templates.ReviewPath
	if agent != nil {
		view := agentView(*agent)
		v.Agent, list.AgentID, path = &view, agent.ID, templates.AgentReviewPath(agent.Slug)
		frame, err := s.frame(r, *agent, path)
		if err != nil {
			return err
		}
		v.Banners = frame.Banners
	}
	page, err := s.store.Review(ctx, list)
	if err != nil {
		return err
	}
	all, err := s.store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	v.Banners, v.Total = append(banners, v.Banners...), page.Total
	address := func(kinds []findings.Kind) string {
		return templates.WithQuery(path, map[string]string{templates.FieldKind: joined(kinds), templates.FieldQuery: list.Query})
	}
	addReviewFilters(&v, list.Kinds, page.Counts, address)
	if err := s.addReviewAgents(ctx, &v, agent, all); err != nil {
		return err
	}
	here := address(list.Kinds)
	v.MoreHref, v.FirstHref = pageLinks(here, list.Cursor, page.NextCursor)
	here = templates.WithQuery(here, map[string]string{templates.FieldCursor: list.Cursor})
	if v.Notice, err = s.reviewNotice(ctx, lastAction(r), here); err != nil {
		return err
	}
	cards, err := reviewcards.Of(ctx, s.store, page.Items, all, s.reviewOptions(ctx))
	if err != nil {
		return err
	}
	for i, item := range page.Items {
		cards[i].Back = here
		if near := min(i+1, len(cards)-1); near != i {
			cards[i].Back += "#" + templates.ReviewItemAnchor(page.Items[near].ID)
		} else if i > 0 {
			cards[i].Back += "#" + templates.ReviewItemAnchor(page.Items[i-1].ID)
		}
		group := review.GroupOf(item.Kind)
		if n := len(v.Sections); n == 0 || v.Sections[n-1].ID != string(group) {
			v.Sections = append(v.Sections, templates.ReviewSection{ID: string(group), Label: templates.ReviewWord(string(group)), Count: countOf(group, list.Kinds, page.Counts)})
		}
		last := &v.Sections[len(v.Sections)-1]
		last.Items = append(last.Items, cards[i])
	}
	return show(w, r, status, templates.ReviewPage(v))
}

func joined(kinds []findings.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ",")
}

// countOf returns the number of items of a group, of the selected kinds only. No kinds mean all.
func countOf(group review.Group, selected []findings.Kind, counts map[findings.Kind]int) (n int) {
	for kind, count := range counts {
		if review.GroupOf(kind) == group && (len(selected) == 0 || slices.Contains(selected, kind)) {
			n += count
		}
	}
	return n
}

// addReviewFilters adds the links to all kinds, to each group, and to each kind with an item or
// that is selected.
func addReviewFilters(v *templates.Review, selected []findings.Kind, counts map[findings.Kind]int, address func([]findings.Kind) string) {
	all := templates.ReviewFilter{Label: "All", Href: address(nil), Current: len(selected) == 0}
	groups := map[review.Group][]findings.Kind{}
	var order []review.Group
	for _, kind := range review.Kinds() {
		group := review.GroupOf(kind)
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], kind)
		all.Count += counts[kind]
		isOnly := len(selected) == 1 && selected[0] == kind
		if counts[kind] > 0 || isOnly {
			v.Each = append(v.Each, templates.ReviewFilter{
				Label: templates.ReviewWord(string(kind)), Href: address([]findings.Kind{kind}), Count: counts[kind], Current: isOnly,
			})
		}
	}
	v.Groups = []templates.ReviewFilter{all}
	for _, group := range order {
		v.Groups = append(v.Groups, templates.ReviewFilter{
			Label: templates.ReviewWord(string(group)), Href: address(groups[group]), Count: countOf(group, nil, counts), Current: slices.Equal(selected, groups[group]),
		})
	}
}

// addReviewAgents adds the links to the queues of agents, if there are at least two.
func (s *site) addReviewAgents(ctx context.Context, v *templates.Review, agent *records.Agent, all []records.Agent) error {
	counts, err := s.store.ReviewCounts(ctx)
	if err != nil || len(counts) < 2 {
		return err
	}
	whole := templates.ReviewFilter{Label: "All agents", Href: templates.ReviewPath, Current: agent == nil}
	for _, a := range all {
		whole.Count += counts[a.ID]
		if counts[a.ID] > 0 {
			v.Agents = append(v.Agents, templates.ReviewFilter{
				Label: a.DisplayName, Href: templates.AgentReviewPath(a.Slug), Count: counts[a.ID], Current: agent != nil && agent.ID == a.ID,
			})
		}
	}
	slices.SortFunc(v.Agents, func(a, b templates.ReviewFilter) int { return cmp.Compare(a.Label, b.Label) })
	v.Agents = append([]templates.ReviewFilter{whole}, v.Agents...)
	return nil
}

// reviewItem shows the page of one item, with whole texts. It shows a secret if the address asks
// for it and the reader may write. It returns memories.ErrNotFound for an unknown item.
func (s *site) reviewItem(w http.ResponseWriter, r *http.Request) error {
	reveal := r.URL.Query().Get(templates.FieldReveal) != ""
	if reveal && gate.ReadOnly(r.Context()) {
		return &badRequest{http.StatusForbidden, "The token for readers does not reveal secrets."}
	}
	item, err := s.store.ReviewItem(r.Context(), idOf(r))
	if err != nil {
		return err
	}
	all, err := s.store.AgentsUncounted(r.Context())
	if err != nil {
		return err
	}
	options := s.reviewOptions(r.Context())
	options.Reveal, options.Whole = reveal, true
	cards, err := reviewcards.Of(r.Context(), s.store, []records.ReviewItem{item}, all, options)
	if err != nil {
		return err
	}
	cards[0].Back = templates.ReviewPath
	return show(w, r, http.StatusOK, templates.ReviewItemPage(templates.ReviewOne{Card: cards[0]}))
}

func (s *site) reviewOptions(ctx context.Context) reviewcards.Options {
	return reviewcards.Options{CanDecide: s.options.Decider != nil && !gate.ReadOnly(ctx), CanReveal: !gate.ReadOnly(ctx)}
}

// decide carries out the decision of the form, and redirects to the page of the form with a notice.
// A second click counts as success. If the memories have changed, or the decision is refused, it
// shows the queue with the reason.
func (s *site) decide(w http.ResponseWriter, r *http.Request) error {
	if s.options.Decider == nil {
		return memories.ErrNotFound
	}
	ctx, id := r.Context(), idOf(r)
	choice := review.Choice{Decision: r.PostFormValue(templates.FieldDecision), ETags: r.PostForm[templates.FieldETag]}
	if choice.Decision == review.Merge {
		description, body := r.PostFormValue(templates.FieldDescription), r.PostFormValue(templates.FieldBody)
		choice.Description, choice.Body = &description, &body
	}
	item, err := s.store.ReviewItem(ctx, id)
	if errors.Is(err, memories.ErrNotFound) {
		if decided, err := s.store.ReviewDecisions(ctx, []string{id}); err != nil || decided[id].Item != "" {
			return cmp.Or(err, redirectReviewed(w, r, records.ReviewItem{ID: id}, ""))
		}
		return s.refuseReview(w, r, memories.ErrChanged)
	}
	if err != nil {
		return err
	}
	if _, err := s.options.Decider.Decide(ctx, id, choice); err != nil {
		return s.refuseReview(w, r, err)
	}
	return redirectReviewed(w, r, item, subjectOf(item, choice.Decision))
}

// subjectOf returns the id of the memory that the notice about a decision names, or "" if there are
// several or none.
func subjectOf(item records.ReviewItem, decision string) string {
	for n, m := range item.Memories {
		if len(item.Memories) == 1 || n == 0 && decision == review.Merge || decision == reviewcards.KeepDecision(n) {
			return m.ID
		}
	}
	return ""
}

func redirectReviewed(w http.ResponseWriter, r *http.Request, item records.ReviewItem, memory string) error {
	return redirectWith(w, r, back(r, templates.ReviewPath), url.Values{
		fieldDone: {doneReviewed}, fieldID: {memory}, templates.FieldItem: {item.ID}, templates.FieldAgent: {item.Agent},
	})
}

// undoReview takes a decision back, and redirects to the page of the form. If a later change
// prevents it, it shows the queue with the reason.
func (s *site) undoReview(w http.ResponseWriter, r *http.Request) error {
	if s.options.Decider == nil {
		return memories.ErrNotFound
	}
	if err := s.options.Decider.Undo(r.Context(), idOf(r)); err != nil {
		return s.refuseReview(w, r, err)
	}
	return redirect(w, r, back(r, templates.ReviewPath), doneUnreviewed, "")
}

// refuseReview answers a decision that failed with refused: it shows the queue at the page of the
// form with the reason. After a failure of the database it returns refused.
func (s *site) refuseReview(w http.ResponseWriter, r *http.Request, refused error) error {
	f, _ := failureOf(r, refused)
	at, err := url.Parse(back(r, templates.ReviewPath))
	if f.Status >= http.StatusInternalServerError || err != nil {
		return refused
	}
	banner := templates.Banner{Tone: templates.Danger, Title: f.Title, Text: strings.Join(append([]string{f.Text}, f.Details...), " ")}
	if errors.Is(refused, review.ErrChanged) || errors.Is(refused, memories.ErrChanged) || errors.Is(refused, memories.ErrNotFound) {
		f.Status, banner.Title, banner.Text = http.StatusConflict, "This changed while you read it", "Nothing was done. The list shows it as it is now."
	}
	if slug, ok := strings.CutPrefix(at.Path, "/agents/"); ok {
		if agent, err := s.store.Agent(r.Context(), strings.TrimSuffix(slug, "/review")); err == nil {
			return s.showReview(w, r, f.Status, &agent, at, banner)
		}
	}
	return s.showReview(w, r, f.Status, nil, at, banner)
}

// reviewNotice returns the notice about the decision that the values of the last action name. It is
// nil if they name none, or one that does not exist any more. path is the page to return to after an
// undo.
func (s *site) reviewNotice(ctx context.Context, query url.Values, path string) (*templates.Notice, error) {
	id := query.Get(templates.FieldItem)
	switch query.Get(fieldDone) {
	case doneUnreviewed:
		return newNotice("Undone."), nil
	case doneReviewed:
	default:
		return nil, nil
	}
	if !isText(id) {
		return nil, nil
	}
	decided, err := s.store.ReviewDecisions(ctx, []string{id})
	d, ok := decided[id]
	if err != nil || !ok {
		return nil, err
	}
	name := ""
	if agent, err := s.store.AgentUncounted(ctx, cleanText(query.Get(templates.FieldAgent))); err == nil {
		if m, err := s.store.Memory(ctx, agent, query.Get(fieldID)); err == nil {
			name = m.Name
		}
	}
	canUndo := s.options.Decider != nil && review.IsUndoable(d) && !gate.ReadOnly(ctx)
	notice := templates.Decided(id, d.Decision, name, path, canUndo)
	return &notice, nil
}
