package pages_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/exchange"
	"memoir/internal/extraction"
	"memoir/internal/findings"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

const secretPassword = "Tr0ub4dor-Kestrel-91"

// oneOfEach are files with one item of most kinds.
func oneOfEach() memoirtest.Files {
	note := memoirtest.Note
	return memoirtest.Files{
		"ada/memory/login.md":    note("Database login", memories.Reference, "The production database password is "+secretPassword+"."),
		"ada/memory/freeze.md":   note("Deploy freeze", memories.Project, "No production deploys until 3 March 2025, as <b>Mira</b> asked."),
		"ada/memory/port_old.md": note("Billing service port", memories.Reference, "The billing service listens on port 8080 in production."),
		"ada/memory/port_new.md": note("Billing port", memories.Reference, "The billing service listens on port 9090 in production."),
		"ada/memory/tea.md":      note("Tea", memories.User, "Mira drinks green tea in the morning and black tea after lunch."),
		"ada/memory/tea_too.md":  note("Tea preferences", memories.User, "Mira drinks green tea in the morning and black tea after lunch."),
		"ada/memory/todo.md":     note("todo", memories.Project, "Fixed the typo in the header, all tests pass."),
		"ada/memory/untyped.md":  "Releases are cut from the branch stable on Thursdays.\n",
		"ada/memory/MEMORY.md":   "- [Gone](gone_long_ago.md) — no file\n",
		"bob/memory/todo.md":     note("done", memories.Project, "Fixed the typo in the header, all tests pass."),
	}
}

// reviewing returns a site whose agents are examined, once it has items.
func reviewing(t *testing.T, files memoirtest.Files, with setting) *site {
	t.Helper()
	m := memoirtest.Start(t, files)
	r := examine(t, m)
	if d, ok := with.decider.(*decider); ok {
		d.Reviewer = r
	}
	return serveMemoir(t, m, with)
}

// examine examines all agents of a Memoir, now and after each change.
func examine(t testing.TB, m *memoirtest.Memoir) *review.Reviewer {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	r := review.Start(m.Engine, m.Store, review.Options{
		Settle: 10 * time.Millisecond, Log: log, Suggestions: suggestions{extraction.Idle(m.Engine, m.Store, log)},
	})
	t.Cleanup(r.Close)
	waittest.For(t, "the review", func() bool {
		outdated, err := m.Store.ReviewOutdated(t.Context(), time.Time{}, time.Now())
		return err == nil && len(outdated) == 0
	})
	return r
}

// suggestions connects the review with the suggestions, as cmd/server does.
type suggestions struct{ *extraction.Extractor }

func (s suggestions) Accept(ctx context.Context, slug, id, etag string) (engine.Result, error) {
	return s.Extractor.Accept(ctx, slug, id, etag, engine.ActorOf(ctx), extraction.Edits{})
}

func (s suggestions) Refuse(ctx context.Context, slug, id, etag string) error {
	_, err := s.Extractor.Refuse(ctx, slug, id, etag, engine.ActorOf(ctx))
	return err
}

// itemPath returns the address of the first item of a kind.
func (s *site) itemPath(t *testing.T, kind findings.Kind) string {
	t.Helper()
	page, err := s.Store.Review(t.Context(), records.ReviewList{Kinds: []findings.Kind{kind}, Limit: 1})
	if err != nil || len(page.Items) == 0 {
		t.Fatalf("no item of the kind %s: %v", kind, err)
	}
	return "/review/" + page.Items[0].ID
}

// itemPathOf returns the address of the item of a kind about a memory with the name.
func (s *site) itemPathOf(t *testing.T, kind findings.Kind, name string) string {
	t.Helper()
	page, err := s.Store.Review(t.Context(), records.ReviewList{Kinds: []findings.Kind{kind}, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range page.Items {
		if slices.ContainsFunc(item.Memories, func(m records.ReviewMemory) bool { return m.Name == name }) {
			return "/review/" + item.ID
		}
	}
	t.Fatalf("no item of the kind %s about %s in %v", kind, name, page.Items)
	return ""
}

// decider is a Reviewer that records choices, and refuses fixes.
type decider struct {
	*review.Reviewer
	mu   sync.Mutex
	made []review.Choice
}

func (d *decider) Decide(ctx context.Context, id string, choice review.Choice) (records.ReviewDecision, error) {
	d.mu.Lock()
	d.made = append(d.made, choice)
	d.mu.Unlock()
	if choice.Decision == review.Fix {
		return records.ReviewDecision{}, &memories.ConflictError{Reason: "The file is locked."}
	}
	return d.Reviewer.Decide(ctx, id, choice)
}

func (d *decider) last(t *testing.T) review.Choice {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.made) == 0 {
		t.Fatal("nothing was decided")
	}
	return d.made[len(d.made)-1]
}

// press submits the form of the open card with a button.
func (a *answer) press(s *site, decision string) *answer {
	a.t.Helper()
	button := a.Find(`.decide button[value="` + decision + `"]`)
	if button.Length() != 1 {
		a.t.Fatalf("%d buttons %q of %q", button.Length(), decision, a.each(".decide button"))
	}
	form, fields := button.Closest("form"), url.Values{}
	form.Find("input").Each(func(_ int, field *selection) { fields.Add(field.AttrOr("name", ""), field.AttrOr("value", "")) })
	fields.Set(button.AttrOr("name", ""), decision)
	return s.post(a.t, form.AttrOr("action", ""), fields)
}

// undo presses the undo of the header.
func (a *answer) undo(s *site) *answer {
	a.t.Helper()
	form, fields := a.Find("form.triage-undo"), url.Values{}
	if form.Length() != 1 {
		a.t.Fatalf("the page has no undo: %s", words(a.Find("main")))
	}
	form.Find("input").Each(func(_ int, field *selection) { fields.Add(field.AttrOr("name", ""), field.AttrOr("value", "")) })
	return s.post(a.t, form.AttrOr("action", ""), fields)
}

// decisions returns the values of the buttons and links of the open card, in their order, with keys.
func (a *answer) decisions() []string {
	return a.Find(`.decide [data-key]`).Map(func(_ int, b *selection) string {
		return b.AttrOr("data-key", "") + " " + strings.TrimSpace(strings.SplitN(words(b), "(", 2)[0])
	})
}

func TestReview_OneOfEach(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	page := s.get(t, "/review")
	page.expect(http.StatusOK, "Safety 1", "Wrong or unclear", "Tidy up", "left · about", "1 of")
	rows := page.Find(".triage-row").Length()
	if page.Find("title").Text() != fmt.Sprintf("(%d) Review · Memoir", rows) || page.Find("[data-card]").Length() != 1 {
		t.Errorf("the title is %q, with %d rows and %d cards", page.Find("title").Text(), rows, page.Find("[data-card]").Length())
	}
	if strings.Contains(page.raw, secretPassword) || !strings.Contains(words(page.Find(".review-side")), "••••") || page.Find("mark").Length() != 0 {
		t.Errorf("the secret is shown as %q", words(page.Find(".review-side")))
	}
	for _, want := range []struct {
		kind findings.Kind
		name string
		keys []string
	}{
		{findings.Secret, "Database login", []string{"r Reveal Database login R", "1 Remove the value… 1", "d Delete D", "a Not a secret A", "z Snooze Z"}},
		{findings.Expired, "Deploy freeze", []string{"d Delete", "v Still true V", "e Edit E", "z Snooze Z"}},
		{findings.Contradiction, "Billing port", []string{"1 Keep 1", "2 Keep 2", "m Merge… M", "b Keep both B", "z Snooze Z"}},
		{findings.Broken, "untyped", []string{"f Fix", "d Delete file D", "e Edit E", "z Snooze Z"}},
		{findings.Duplicate, "Tea", []string{"1 Keep 1", "2 Keep 2", "m Merge… M", "b Keep both B", "z Snooze Z"}},
		{findings.Junk, "todo", []string{"d Delete", "a Keep A", "e Edit E", "z Snooze Z"}},
	} {
		card := s.get(t, s.itemPathOf(t, want.kind, want.name))
		got := card.decisions()
		if want.kind == findings.Secret {
			got = append(card.Find(`.review-side [data-key]`).Map(func(_ int, b *selection) string { return b.AttrOr("data-key", "") + " " + words(b) }), got...)
		}
		if !slices.Equal(got, want.keys) {
			t.Errorf("%s has the decisions %q, want %q", want.kind, got, want.keys)
		}
	}
	freeze := s.get(t, s.itemPath(t, findings.Expired))
	if got := freeze.Find("mark").Text(); !strings.Contains(got, "3 March 2025") {
		t.Errorf("the evidence is %q", got)
	}
	if got, _ := freeze.Find(".review-text").Html(); !strings.Contains(got, "&lt;b&gt;Mira") {
		t.Errorf("the text is %q", got)
	}
	port := s.get(t, s.itemPath(t, findings.Contradiction))
	if got := port.Find(".review-side mark").Map(func(_ int, m *selection) string { return m.Text() }); !slices.Contains(got, "8080") || !slices.Contains(got, "9090") {
		t.Errorf("the differing words are %q", got)
	}
	port.expect(http.StatusOK, "Written", "Recalled Never", "From memory/port_old.md", "The other goes to the trash")
	index := s.get(t, "/review?kind=link")
	index.expect(http.StatusOK, "1 entry without a file", "1 line removed, 8 added")
	if got := words(index.Find(`.card-change .line[data-kind="removed"]`)); !strings.Contains(got, "gone_long_ago.md") {
		t.Errorf("the fix removes %q", got)
	}
	// The order of the page is that of the queue.
	queue, err := s.Store.Review(t.Context(), records.ReviewList{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, item := range queue.Items {
		want = append(want, "item-"+item.ID)
	}
	if got := page.Find(".triage-row").Map(func(_ int, c *selection) string { return c.AttrOr("id", "") }); !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
}

func TestReview_Filters(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{})
	page := s.get(t, "/review")
	total := page.Find(".triage-row").Length()
	link := func(label string) string {
		t.Helper()
		found := page.Find(".triage-tabs a").FilterFunction(func(_ int, a *selection) bool { return words(a) == label })
		if found.Length() != 1 {
			t.Fatalf("%d filters %q of %q", found.Length(), label, page.each(".triage-tabs a"))
		}
		return found.AttrOr("href", "")
	}
	for label, n := range map[string]int{fmt.Sprintf("All %d", total): total, "Safety 1": 1, "Secret 1": 1, "Junk 2": 2, "bob 1": 1, fmt.Sprintf("All agents %d", total): total, fmt.Sprintf("ada %d", total-1): total - 1} {
		narrowed := s.get(t, link(label))
		if got := narrowed.Find(".triage-row").Length(); got != n || !slices.Contains(narrowed.each(".triage-tabs a[aria-current]"), label) {
			t.Errorf("%s lists %d items, want %d; current is %q", label, got, n, narrowed.each(".triage-tabs a[aria-current]"))
		}
	}
	s.get(t, "/review?q=BILLING").expect(http.StatusOK, "1 left", "Billing port")
	s.get(t, "/review?q=nowhere").expect(http.StatusOK, "Nothing to review.", "Show all items")
	s.get(t, "/review?kind=junk&q=done").expect(http.StatusOK, "1 left")
	for _, wrong := range []string{"/review?kind=nonsense", "/review?group=nonsense", "/review?view=nonsense", "/review?page=0", "/review?page=99", "/review/nothing", "/agents/nobody/review", "/agents/bob/review/nothing"} {
		s.get(t, wrong).expect(http.StatusNotFound)
	}
	s.get(t, "/agents/bob"+s.itemPath(t, findings.Secret)).expect(http.StatusNotFound)
	own := s.get(t, "/agents/bob/review")
	if got := own.each(".agent .tabs a[aria-current]"); !slices.Equal(got, []string{"Review 1"}) {
		t.Errorf("the current tab is %q", got)
	}
	// Without a Decider there are no buttons.
	if got := page.Find(".decide, .triage-undo, .triage-row input").Length(); got != 0 {
		t.Errorf("%d buttons", got)
	}
}

func TestReview_Empty(t *testing.T) {
	t.Parallel()
	s := reviewing(t, twoMemories(), setting{decider: &decider{}})
	s.get(t, "/review").expect(http.StatusOK, "Nothing to review.", "Last checked")
	s.get(t, ada+"/review").expect(http.StatusOK, "Nothing to review.")
	if text := s.get(t, "/review/summary.md").raw; !strings.Contains(text, "0 decisions") {
		t.Errorf("the text is %q", text)
	}
}

func TestReview_Decide(t *testing.T) {
	t.Parallel()
	made := &decider{}
	s := reviewing(t, oneOfEach(), setting{decider: made})
	path := s.itemPath(t, findings.Expired)
	page := s.get(t, path+"?group=wrong")
	next := page.Find(".triage-row:has(a[aria-current]) + .triage-row").AttrOr("id", "")
	page = page.press(s, "delete")
	page.expect(http.StatusOK, "Deleted Deploy freeze", "1 done")
	if at := page.Request.URL; at.RawQuery != "group=wrong" || next != "" && "item-"+strings.TrimPrefix(at.Path, "/review/") != next {
		t.Errorf("it leads to %s, want %s", at, next)
	}
	if s.Memory("ada", "Deploy freeze").State != memories.Deleted {
		t.Error("the memory is not deleted")
	}
	if got := made.last(t); len(got.ETags) != 1 || got.ETags[0] == "" {
		t.Errorf("the ETags are %q", got.ETags)
	}
	// A second click counts as success, and a decided item leads on.
	s.post(t, path, url.Values{"decision": {"delete"}}).expect(http.StatusOK, "Deleted Deploy freeze")
	s.get(t, path).expect(http.StatusOK, "Already decided")
	undone := page.undo(s)
	undone.expect(http.StatusOK, "Undone.", "Date passed: 3 Mar 2025")
	if undone.Request.URL.Path != path || s.Memory("ada", "Deploy freeze").State != memories.Active {
		t.Errorf("the undo leads to %s", undone.Request.URL)
	}
	// The item is back with its memory's current ETag, so that it can be decided at once.
	undone.press(s, "delete").expect(http.StatusOK, "Deleted Deploy freeze")

	// The name of the kept memory is said.
	page = s.get(t, ada+"/review?kind=duplicate")
	name := words(page.Find(".review-side h3 a").First())
	page = page.press(s, "keep_1")
	page.expect(http.StatusOK, "Kept "+name, "Nothing to review.")
	if page.Request.URL.Path != ada+"/review" || len(made.last(t).ETags) != 2 {
		t.Errorf("it leads to %s with %q", page.Request.URL, made.last(t).ETags)
	}

	// A merged text comes from a form on the card.
	list := s.get(t, "/review?kind=contradiction")
	item := s.get(t, list.Find(`.decide a[data-key="m"]`).AttrOr("href", ""))
	if got := item.Find("textarea").Text(); !strings.Contains(got, "8080") || !strings.Contains(got, "9090") || item.Find("#merge .diff .line").Length() == 0 {
		t.Errorf("the texts to merge are %q", got)
	}
	s.post(t, item.Find("form#merge").AttrOr("action", ""), url.Values{"decision": {"merge"}, "body": {"Port 9090."}, "description": {"Ports"}}).expect(http.StatusOK, "Merged Billing")
	if got := made.last(t); got.Body == nil || *got.Body != "Port 9090." || got.Description == nil || *got.Description != "Ports" {
		t.Errorf("merged %+v", got)
	}
}

func TestReview_NeverShow(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	if got := s.get(t, s.itemPath(t, findings.Secret)).each(".snooze .menu button"); slices.Contains(got, "Never show") {
		t.Errorf("the choices for a secret are %q", got)
	}
	junk := s.get(t, s.itemPath(t, findings.Junk))
	if got := junk.each(".snooze .menu button"); !slices.Equal(got, []string{"1 day", "1 week", "30 days", "Until it changes", "Never show"}) {
		t.Errorf("the choices are %q", got)
	}
	page := junk.press(s, "hide")
	page.expect(http.StatusOK, "Never shown: ")
	s.get(t, "/review?view=snoozed").expect(http.StatusOK, "1 snoozed item", "never shown")
	s.submit(t, page, "Undo the decision")
	s.get(t, "/review?view=snoozed").expect(http.StatusOK, "Nothing snoozed.")
	waittest.For(t, "the item", func() bool {
		page, err := s.Store.Review(t.Context(), records.ReviewList{Kinds: []findings.Kind{findings.Junk}, Limit: 1})
		return err == nil && len(page.Items) > 0
	})
}

func TestReview_Snooze(t *testing.T) {
	t.Parallel()
	made := &decider{}
	s := reviewing(t, oneOfEach(), setting{decider: made})
	for value, days := range map[string]int{"snooze": 1, "snooze-7": 7} {
		kind := map[string]findings.Kind{"snooze": findings.Expired, "snooze-7": findings.Junk}[value]
		s.get(t, s.itemPath(t, kind)).press(s, value).expect(http.StatusOK, "Snoozed")
		if got := made.last(t); got.Decision != review.Snooze || got.Days != days {
			t.Errorf("%s is %+v", value, got)
		}
	}
	held := s.get(t, "/review?view=snoozed")
	held.expect(http.StatusOK, "2 snoozed items", "Deploy freeze", "Date passed: 3 Mar 2025", "until")
	form := held.Find(".triage-held form").First()
	page := s.post(t, form.AttrOr("action", ""), nil)
	page.expect(http.StatusOK, "Undone.")
	s.get(t, "/review?view=snoozed").expect(http.StatusOK, "1 snoozed item")
}

func TestReview_Batch(t *testing.T) {
	t.Parallel()
	files := oneOfEach()
	for i := range 4 {
		files[fmt.Sprintf("ada/memory/freeze%d.md", i)] = memoirtest.Note(fmt.Sprintf("Freeze %d", i), memories.Project, fmt.Sprintf("No deploys of service %d until %d March 2025, for audit number %d.", i, i+4, i*7))
	}
	s := reviewing(t, files, setting{decider: &decider{}})
	card := s.get(t, "/review?kind=expired")
	all := card.Find("a.all")
	if words(all) != "Decide all 5 expired…" {
		t.Fatalf("the batch is offered as %q", words(all))
	}
	batch := s.get(t, all.AttrOr("href", ""))
	batch.expect(http.StatusOK, "Decide 5 items", "Freeze 3", "Deploy freeze", "One undo takes all of it back.")
	if got := batch.each(".decide button"); !slices.Equal(got, []string{"Delete 5", "Confirm 5"}) {
		t.Errorf("the decisions are %q", got)
	}
	done := batch.press(s, "delete")
	done.expect(http.StatusOK, "Deleted 5 items", "5 done")
	if s.Memory("ada", "Freeze 2").State != memories.Deleted {
		t.Error("a memory is not deleted")
	}
	done.undo(s).expect(http.StatusOK, "Undone.")
	for i := range 4 {
		if s.Memory("ada", fmt.Sprintf("Freeze %d", i)).State != memories.Active {
			t.Errorf("Freeze %d is not back", i)
		}
	}
	waittest.For(t, "the items", func() bool { return s.get(t, "/review?kind=expired").Find(".triage-row").Length() == 5 })
	// Selected rows, and decisions that not all allow.
	two := url.Values{"item": {strings.TrimPrefix(s.itemPath(t, findings.Expired), "/review/"), strings.TrimPrefix(s.itemPath(t, findings.Broken), "/review/"), strings.TrimPrefix(s.itemPath(t, findings.Secret), "/review/")}}
	picked := s.get(t, "/review/batch?"+two.Encode())
	picked.expect(http.StatusOK, "Decide 2 items")
	if got := picked.each(".decide button"); !slices.Equal(got, []string{"Delete 2"}) {
		t.Errorf("the decisions in common are %q", got)
	}
	// A changed memory is refused, the others are decided.
	batch = s.get(t, "/review/batch?kind=expired")
	s.Write("ada/memory/freeze1.md", memoirtest.Note("Freeze 1", memories.Project, "No deploys of service 1 until 9 March 2025, says Ines."))
	s.Scan("ada")
	batch.press(s, "delete")
	if s.Memory("ada", "Freeze 1").State != memories.Active || s.Memory("ada", "Freeze 2").State != memories.Deleted {
		t.Error("the changed memory was deleted, or the other was not")
	}
}

// oneExpired are files with one item.
func oneExpired() memoirtest.Files {
	return memoirtest.Files{
		"ada/memory/freeze.md": memoirtest.Note("Deploy freeze", memories.Project, "No production deploys until 3 March 2025, as Mira asked."),
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
	}
}

func TestReview_EndCard(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneExpired(), setting{decider: &decider{}})
	page := s.get(t, "/review").press(s, "delete")
	page.expect(http.StatusOK, "Deleted Deploy freeze", "All clear.", "1 decision in 1 minute, 1 agent", "2 → 1", "memories", "tokens in each conversation", "1 expired deleted", "Nothing left")
	if !strings.Contains(words(page.Find(".end-card .figures")), "−") || page.Find(".end-bar rect[data-type=feedback]").Length() != 2 {
		t.Errorf("the figures are %q", words(page.Find(".end-card")))
	}
	picture := s.get(t, "/review/summary.svg")
	if got := picture.Header.Get("Content-Type"); got != "image/svg+xml" || !strings.Contains(picture.raw, "2 → 1") {
		t.Errorf("the picture is %s %s", got, picture.raw)
	}
	if text := s.get(t, "/review/summary.md").raw; !strings.Contains(text, "- 2 → 1 memories") {
		t.Errorf("the text is %q", text)
	}
	page.undo(s).expect(http.StatusOK, "Date passed: 3 Mar 2025")
}

func TestReview_Markdown(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/tabs.md":     memoirtest.Note("Tabs", memories.User, "Use **tabs** as in [[Style]]."),
		"ada/memory/tabs_too.md": memoirtest.Note("Tabs", memories.User, "Use **spaces** as in [[Style]]."),
		"ada/memory/style.md":    memoirtest.Note("Style", memories.User, "Short lines."),
	}, setting{})
	card := s.get(t, s.itemPath(t, findings.Conflict))
	marks := card.Find(".review-text strong > mark").Map(func(_ int, mark *selection) string { return mark.Text() })
	if slices.Sort(marks); !slices.Equal(marks, []string{"spaces", "tabs"}) {
		t.Errorf("the marked words are %q", marks)
	}
	s.get(t, card.Find(".review-text a").AttrOr("href", "")).expect(http.StatusOK, "Short lines.")
}

func TestReview_InvisibleCharacters(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/tabs.md":     memoirtest.Note("Tabs", memories.User, "Use tabs \u202enot\u202c here."),
		"ada/memory/tabs_too.md": memoirtest.Note("Tabs", memories.User, "Use spaces here."),
	}, setting{})
	s.get(t, s.itemPath(t, findings.Conflict)).expect(http.StatusOK, "[U+202E]not[U+202C]")
}

func TestReview_Conflict(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/tabs.md":     memoirtest.Note("Tabs", memories.User, "Use tabs."),
		"ada/memory/tabs_too.md": memoirtest.Note("Tabs", memories.User, "Use four spaces."),
	}, setting{decider: &decider{}})
	card := s.get(t, s.itemPath(t, findings.Conflict))
	texts := card.Find(".review-text p").Map(func(_ int, side *selection) string { return side.Text() })
	if got := texts; len(got) != 2 || !slices.Contains(got, "Use tabs.") || !slices.Contains(got, "Use four spaces.") {
		t.Errorf("the contents are %q", got)
	}
	form := s.get(t, card.Find(`.decide [data-key="m"]`).AttrOr("href", ""))
	form.expect(http.StatusOK, "Merge two versions")
	other := card.Find(".review-side:not(:has(.chip:contains('In use'))) .review-text p").First().Text()
	which := fmt.Sprintf("keep_%d", slices.Index(texts, other)+1)
	card.press(s, which).expect(http.StatusOK, "Kept Tabs")
	if got := s.Memory("ada", "Tabs"); got.Body != other || len(got.Files) != 1 {
		t.Errorf("it says %q in %v, want %q", got.Body, got.Files, other)
	}
}

func TestReview_MergesVersions(t *testing.T) {
	t.Parallel()
	s := disagreeing(t)
	m := s.Memory("ada", "Tea")
	examine(t, s.Memoir)
	page, err := s.Store.Review(t.Context(), records.ReviewList{Kinds: []findings.Kind{findings.Conflict}, Limit: 1})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	other := slices.IndexFunc(strings.Split(page.Items[0].Subject, ","), func(id string) bool { return id != fmt.Sprintf("%x", m.Fingerprint) })
	form := s.get(t, pageOf(m)+"/edit?with="+strings.Split(page.Items[0].Subject, ",")[other])
	form.expect(http.StatusOK, "Merge two versions", "Text in session of ", "Mira likes green tea.")
	fields := url.Values{
		"etag": {form.Find("input[name=etag]").AttrOr("value", "")}, "with": {form.Find("input[name=with]").AttrOr("value", "")},
		"name": {"Tea"}, "type": {"user"}, "body": {"Mira likes green and black tea."},
	}
	s.post(t, pageOf(m)+"/edit", fields).expect(http.StatusOK, "Saved Tea", "Mira likes green and black tea.")
	s.get(t, pageOf(m)+"/edit?with=nonsense").expect(http.StatusOK, "Edit memory")
}

func TestReview_Missing(t *testing.T) {
	t.Parallel()
	s := reviewing(t, manyMemories(12), setting{decider: &decider{}})
	s.loseAll(t)
	waittest.For(t, "the item", func() bool { return s.get(t, "/review?kind=missing").Find("[data-card]").Length() == 1 })
	page := s.get(t, "/review?kind=missing")
	if got := page.Find(".card-members li").Length(); got != 13 || !slices.Equal(page.decisions(), []string{"w Write back W", "d Delete D", "z Snooze Z"}) {
		t.Errorf("%d memories with %q", got, page.decisions())
	}
	page.press(s, "write_back")
	if s.Read("ada/memory/n03.md") == "" {
		t.Error("the file is not back")
	}
}

func TestReview_Blocked(t *testing.T) {
	t.Parallel()
	s := reviewing(t, twoMemories(), setting{decider: &decider{}})
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	s.Write("ada/memory/back.md", twoMemories()["ada/memory/tabs.md"])
	s.Scan("ada")
	waittest.For(t, "the item", func() bool { return s.get(t, "/review?kind=blocked").Find("[data-card]").Length() == 1 })
	page := s.get(t, "/review?kind=blocked")
	page.expect(http.StatusOK, "memory/back.md", "Use tabs.")
	page.press(s, "delete")
	if s.Read("ada/memory/back.md") != "" {
		t.Error("the file is still there")
	}
}

func TestReview_Deletion(t *testing.T) {
	t.Parallel()
	s := reviewing(t, twoMemories(), setting{decider: &decider{}})
	tabs := s.Memory("ada", "Tabs")
	elsewhere := engine.ConflictOp{ID: uuid.MustParse(tabs.ID), At: time.Now()}
	if err := s.Engine.AddDeletionConflict(t.Context(), "ada", elsewhere); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the item", func() bool { return s.get(t, "/review?kind=deletion").Find("[data-card]").Length() == 1 })
	page := s.get(t, "/review?kind=deletion")
	page.expect(http.StatusOK, "Deletion", "Changed here, deleted elsewhere", "You decide for both machines.", "Use tabs.", "Keep", "Delete")
	page.press(s, "keep")
	if got := s.Memory("ada", "Tabs"); got.State != memories.Active {
		t.Errorf("it is %s", got.State)
	}
	s.get(t, adaTimeline).happened("Kept Tabs: you")
	waittest.For(t, "no item", func() bool { return s.get(t, "/review?kind=deletion").Find("[data-card]").Length() == 0 })

	s.submit(t, s.get(t, adaList), "Delete Tabs")
	content := exchange.Fingerprint(memories.FingerprintOf(memories.Feedback, "", "Use spaces."))
	changed := exchange.Memory{
		ID: uuid.New(), Name: "Tabs", Readable: true, Type: memories.Feedback, Current: content, CreatedAt: time.Now(), UpdatedAt: time.Now(), ModifiedAt: time.Now(), ContentAt: time.Now(),
		Revisions: []exchange.Revision{{Content: content, Hash: "1", Type: memories.Feedback, Body: "Use spaces.", Raw: exchange.Bytes("---\nname: Tabs\ntype: feedback\n---\n\nUse spaces.\n"), SeenAt: time.Now()}},
	}
	elsewhere.Changed = &changed
	if err := s.Engine.AddDeletionConflict(t.Context(), "ada", elsewhere); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the item", func() bool { return s.get(t, "/review?kind=deletion").Find("[data-card]").Length() == 1 })
	page = s.get(t, "/review?kind=deletion")
	page.expect(http.StatusOK, "Deleted here, changed elsewhere", "Use spaces.")
	page.press(s, "keep")
	if got := s.Memory("ada", "Tabs"); got.State != memories.Active || got.Body != "Use spaces." {
		t.Errorf("it is %s and says %q", got.State, got.Body)
	}
}

func TestReview_FixesType(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{"ada/memory/printer.md": "---\nname: Printer\n---\n\nIt jams.\n"}, setting{decider: &decider{}})
	page := s.get(t, s.itemPath(t, findings.Broken))
	page.expect(http.StatusOK, "No type; agents do not see it", "Fix: Feedback")
	s.submit(t, page, "User").expect(http.StatusOK, "Fixed Printer")
	if got := s.Memory("ada", "Printer"); got.Type != memories.User {
		t.Errorf("its type is %q", got.Type)
	}
}

func TestReview_Suggestions(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{"ada/memory/user_tea.md": memoirtest.Note("Tea", memories.User, "Drinks green tea.")}, setting{decider: &decider{}})
	s.propose(t, "ada", "Tea", memories.User, "Drinks black tea.")
	s.propose(t, "ada", "Use tabs", memories.Feedback, "Always **tabs**. <script>alert(1)</script>")
	s.Engine.EmitScanned("ada")
	waittest.For(t, "the items", func() bool { return s.get(t, "/review?kind=suggestion").Find(".triage-row").Length() == 2 })
	open := func(says string) *answer {
		t.Helper()
		var found *answer
		s.get(t, "/review?kind=suggestion").Find("a[data-item]").Each(func(_ int, row *selection) {
			if page := s.get(t, row.AttrOr("href", "")); strings.Contains(words(page.Find("[data-card]")), says) {
				found = page
			}
		})
		if found == nil {
			t.Fatalf("no card says %q", says)
		}
		return found
	}
	tea := open("they said Tea <b>themselves</b>")
	if got := tea.Find(".card-change .diff mark").Length(); got != 2 {
		t.Errorf("%d words differ", got)
	}
	if got := tea.decisions(); !slices.Equal(got, []string{"a Accept A", "d Dismiss D", "e Edit E", "z Snooze Z"}) {
		t.Errorf("the decisions are %q", got)
	}
	form := s.get(t, tea.Find(`.decide [data-key="e"]`).AttrOr("href", ""))
	form.expect(http.StatusOK, "they said Tea <b>themselves</b>", "Accept")
	open("they said Use tabs").press(s, "accept").expect(http.StatusOK, "Accepted")
	if !strings.Contains(s.Read("ada/memory/feedback_use_tabs.md"), "originSessionId: s-one") {
		t.Error("it is not saved")
	}
	done := open("they said Tea").press(s, "dismiss")
	done.expect(http.StatusOK, "Dismissed")
	done.undo(s).expect(http.StatusOK, "they said Tea")
}

func TestReview_Plan(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/MEMORY.md": "- [Gone](gone.md)\n- [Alpha](alpha.md)\n",
		"ada/memory/alpha.md":  memoirtest.Note("Alpha", memories.Project, "Releases are cut on the first working day of the month."),
	}, setting{decider: &decider{}})
	page := s.get(t, ada+"/review?kind=plan")
	page.expect(http.StatusOK, "No plan yet.")
	page = s.submit(t, page, "Make a plan")
	page.expect(http.StatusOK, "Plan of", "1 memory examined")
	waittest.For(t, "the step", func() bool { return s.get(t, ada+"/review?kind=plan").Find("[data-card]").Length() == 1 })
	page = s.get(t, ada+"/review?kind=plan")
	if got := page.decisions(); !slices.Equal(got, []string{"a Apply A", "d Skip D", "z Snooze Z"}) || page.Find(".card-change .line").Length() == 0 {
		t.Errorf("the decisions are %q", got)
	}
	s.submit(t, page, "Discard plan").expect(http.StatusOK, "No plan yet.")
}

func TestReview_Redirects(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/tabs.md":     memoirtest.Note("Tabs", memories.User, "Use tabs."),
		"ada/memory/tabs_too.md": memoirtest.Note("Tabs", memories.User, "Use four spaces."),
	}, setting{})
	conflict := s.itemPath(t, findings.Conflict)
	s.propose(t, "ada", "Use tabs", memories.Feedback, "Always tabs.")
	s.Engine.EmitScanned("ada")
	waittest.For(t, "the suggestion", func() bool { return s.get(t, "/review?kind=suggestion").Find(".triage-row").Length() == 1 })
	page, err := s.Store.Review(t.Context(), records.ReviewList{Kinds: []findings.Kind{findings.Suggestion}, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		ada + "/attention": ada + "/review", ada + "/proposals": ada + "/review?kind=suggestion", ada + "/consolidation": ada + "/review?kind=plan",
		ada + "/proposals/" + page.Items[0].Subject:             ada + "/review/" + page.Items[0].ID,
		ada + "/proposals/00000000-0000-7000-8000-000000000000": ada + "/review?kind=suggestion",
		pageOf(s.Memory("ada", "Tabs")) + "/versions":           ada + conflict,
		"/agents/nobody/attention":                              "",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+from, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if to == "" && got.StatusCode != http.StatusNotFound || to != "" && (got.StatusCode != http.StatusMovedPermanently || got.Header.Get("Location") != to) {
			t.Errorf("%s answers %d and leads to %s, want %s", from, got.StatusCode, got.Header.Get("Location"), to)
		}
	}
}

func TestReview_Refused(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	path := s.itemPath(t, findings.Expired)
	got := s.post(t, path, url.Values{"decision": {"delete"}, "etag": {`"other"`}, "kind": {"expired"}, "agent": {"ada"}})
	got.expect(http.StatusConflict, "This changed while you read it", "Deploy freeze")
	if got.Find(".triage-row").Length() != 1 || got.Find(".agent").Length() != 1 || got.Find(`[data-card]`).AttrOr("data-card", "") != strings.TrimPrefix(path, "/review/") {
		t.Errorf("it shows another list:\n%s", words(got.Find("main")))
	}
	s.post(t, "/review/expired-0123", url.Values{"decision": {"delete"}}).expect(http.StatusConflict, "This changed while you read it")
	s.get(t, s.itemPath(t, findings.Broken)).press(s, "fix").expect(http.StatusConflict, "Not done", "The file is locked.")
	if s.Memory("ada", "Deploy freeze").State != memories.Active {
		t.Error("the memory is deleted")
	}
}

func TestReview_Readers(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}, token: "the-token", readToken: "look-only"})
	as := func(token, path string) *answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		return s.send(t, request)
	}
	page := as("look-only", s.itemPath(t, findings.Secret))
	page.expect(http.StatusOK, "Database login")
	if n := page.Find(`main form, .decide, .triage-row input`).Length(); n != 0 || page.Find("[data-key]").Length() != 0 {
		t.Errorf("readers have %d forms", n)
	}
	if got := as("look-only", "/review/batch?kind=expired"); got.Request.URL.Path != "/review" || got.Find(".decide").Length() != 0 {
		t.Errorf("readers can see %s", got.Request.URL)
	}
	reveal := as("the-token", "/review?kind=secret").Find(`[data-key="r"]`).AttrOr("href", "")
	as("look-only", reveal).expect(http.StatusForbidden)
	shown := as("the-token", reveal)
	shown.expect(http.StatusOK, secretPassword)
	if got := shown.Find("mark").Text(); !strings.Contains(got, secretPassword) || shown.Find("[data-hides]").Length() != 1 {
		t.Errorf("the evidence is %q", got)
	}
	if hidden := as("the-token", strings.Split(reveal, "?")[0]); strings.Contains(hidden.raw, secretPassword) {
		t.Error("it is shown without asking")
	}
}

// manyItems stores items about the memories of ada, three of four with two texts.
func manyItems(t testing.TB, s *site, n int) {
	t.Helper()
	agent, err := s.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.Store.Memories(t.Context(), agent, memories.Filter{}, memories.PageRequest{Limit: records.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	kinds, items := review.Kinds(), make([]records.ReviewItem, n)
	shown := slices.DeleteFunc(review.Kinds(), func(k findings.Kind) bool { return k == findings.Deletion })
	for i := range items {
		kind := shown[4+i%8]
		if kind == findings.Blocked || kind == findings.Conflict || kind == findings.Broken {
			kind = findings.Contradiction
		}
		item := records.ReviewItem{ID: fmt.Sprintf("%s-%020d", kind, i), Kind: kind, Rank: slices.Index(kinds, kind), Weight: float64(n - i), Reason: "Two different values for one thing, it seems"}
		for side := range 1 + min(1, i%4) {
			m := page.Memories[(i+side*7)%len(page.Memories)]
			item.Memories = append(item.Memories, records.ReviewMemory{ID: m.ID, Name: m.Name, Path: m.Path, ETag: engine.ETag(m)})
			item.Evidence = append(item.Evidence, records.Evidence{Memory: m.ID, Field: findings.Body, Start: 300, End: 306})
		}
		items[i] = item
	}
	now, err := s.Store.AgentUncounted(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	if saved, err := s.Store.SaveReview(t.Context(), agent.ID, now.ClaudeMD.Version, records.Now(), items); err != nil || !saved {
		t.Fatal(saved, err)
	}
}

func TestReview_FiveThousand(t *testing.T) {
	t.Parallel()
	const maxPage = 150_000
	files := differentMemories(300)
	for path, text := range files {
		if strings.HasSuffix(path, "1.md") { // long names, and letters of two bytes
			files[path] = strings.Replace(text, "name: ", "name: Какой порт слушает служба расчётов в production и почему его меняли, ", 1) + "\n" + strings.Repeat("Служба слушает порт 8080. ", 40)
		}
	}
	s := serveMemoir(t, memoirtest.Start(t, files), setting{decider: &decider{}})
	manyItems(t, s, 5000)
	page := s.get(t, "/review")
	page.expect(http.StatusOK, "All 5,000", "1 of 5,000", "Tidy up")
	if n := page.Find(".triage-row").Length(); n != 100 || len(page.raw) > maxPage || page.Find("[data-card]").Length() != 1 {
		t.Errorf("%d rows and %d cards in %d bytes", n, page.Find("[data-card]").Length(), len(page.raw))
	}
	t.Logf("%d bytes", len(page.raw))
	if got := page.each(".triage-group"); len(got) < 2 || page.Find(".triage-group a").Length() == 0 {
		t.Errorf("the groups are %q", got)
	}
	seen := map[string]bool{}
	last := ""
	for address := "/review?kind=index,link"; address != ""; {
		page := s.get(t, address)
		if len(page.raw) > maxPage {
			t.Errorf("%s has %d bytes", address, len(page.raw))
		}
		page.Find("a[data-item]").Each(func(_ int, row *selection) {
			last = row.AttrOr("href", "")
			seen[last] = true
		})
		address = page.Find("a.triage-more[rel=next]").AttrOr("href", "")
	}
	if len(seen) != 625 {
		t.Errorf("the pages list %d items, want 625", len(seen))
	}
	// An item opened by its address is on its page of the list.
	page = s.get(t, last)
	page.expect(http.StatusOK, "625 of 625")
	if page.Find(`a[data-item][aria-current]`).Length() != 1 || page.Find(".triage-row").Length() != 25 {
		t.Errorf("%d rows, %d current", page.Find(".triage-row").Length(), page.Find(`a[data-item][aria-current]`).Length())
	}
}

func BenchmarkReview_FiveThousand(b *testing.B) {
	s := serveMemoir(b, memoirtest.Start(b, differentMemories(300)), setting{decider: &decider{}})
	manyItems(b, s, 5000)
	b.ResetTimer()
	for b.Loop() {
		answer, err := http.Get(s.address + "/review")
		if err != nil {
			b.Fatal(err)
		}
		answer.Body.Close()
	}
}
