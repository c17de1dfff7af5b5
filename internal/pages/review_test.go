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
	r := review.Start(m.Engine, m.Store, review.Options{Settle: 10 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	waittest.For(t, "the review", func() bool {
		outdated, err := m.Store.ReviewOutdated(t.Context(), time.Time{}, time.Now())
		return err == nil && len(outdated) == 0
	})
	return r
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

// card returns the card of the item with a reason or name.
func (a *answer) card(text string) *selection {
	a.t.Helper()
	found := a.Find(".review-item").FilterFunction(func(_ int, s *selection) bool { return strings.Contains(words(s), text) })
	if found.Length() != 1 {
		a.t.Fatalf("%d cards with %q:\n%s", found.Length(), text, words(a.Find("main")))
	}
	return found
}

// press submits the form of a card's button.
func (s *site) press(t *testing.T, card *selection, button string) *answer {
	t.Helper()
	form, fields := card.Find("form.review-choices"), url.Values{}
	form.Find("input").Each(func(_ int, field *selection) { fields.Add(field.AttrOr("name", ""), field.AttrOr("value", "")) })
	found := form.Find("button").FilterFunction(func(_ int, b *selection) bool { return words(b) == button })
	if found.Length() != 1 {
		t.Fatalf("%d buttons %q on %q", found.Length(), button, words(card))
	}
	fields.Set(found.AttrOr("name", ""), found.AttrOr("value", ""))
	return s.post(t, form.AttrOr("action", ""), fields)
}

func buttonsOf(card *selection) []string {
	return card.Find("form.review-choices .button, summary").Map(func(_ int, b *selection) string {
		b = b.Clone()
		b.Find(".unseen").Remove()
		return words(b)
	})
}

func TestReview_OneOfEach(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	page := s.get(t, "/review")
	page.expect(http.StatusOK, "Safety 1", "Wrong", "Tidy up")
	if page.Find("title").Text() != fmt.Sprintf("(%d) Review · Memoir", page.Find(".review-item").Length()) {
		t.Errorf("the title is %q", page.Find("title").Text())
	}
	for text, want := range map[string][]string{
		"Database login": {"Delete", "Not a secret", "Snooze 30 days", "Never ask again", "Remove the value…"},
		"Deploy freeze":  {"Delete", "Still true", "Snooze 30 days", "Never ask again"},
		"Billing port":   {"Keep 1", "Keep 2", "Merge…", "Keep both", "Snooze 30 days", "Never ask again"},
		"untyped":        {"Fix", "Delete file", "Snooze 30 days", "Never ask again"},
		"Tea pref":       {"Keep 1", "Keep 2", "Merge…", "Keep both", "Snooze 30 days", "Never ask again"},
		"entry without":  {"Fix", "Keep", "Snooze 30 days", "Never ask again"},
	} {
		if got := buttonsOf(page.card(text)); !slices.Equal(got, want) {
			t.Errorf("%s has the buttons %q, want %q", text, got, want)
		}
	}
	freeze := page.card("Deploy freeze")
	if got := freeze.Find("mark").Text(); !strings.Contains(got, "3 March 2025") {
		t.Errorf("the evidence is %q", got)
	}
	if got, _ := freeze.Find(".review-text").Html(); !strings.Contains(got, "&lt;b&gt;Mira") {
		t.Errorf("the text is %q", got)
	}
	port := page.card("Billing port")
	if got := port.Find(".review-side mark").Map(func(_ int, m *selection) string { return m.Text() }); !slices.Contains(got, "8080") || !slices.Contains(got, "9090") {
		t.Errorf("the differing words are %q", got)
	}
	if href := port.Find(".review-side h4 a").First().AttrOr("href", ""); !strings.HasPrefix(href, adaList+"/") {
		t.Errorf("a memory leads to %q", href)
	}
	if strings.Contains(page.raw, secretPassword) {
		t.Error("the page shows the password")
	}
	if login := page.card("Database login"); login.Find("mark").Length() != 0 || !strings.Contains(words(login), "••••") {
		t.Errorf("the secret is shown as %q", words(login))
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
	got := page.Find(".review-item").Map(func(_ int, c *selection) string { return c.AttrOr("id", "") })
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("the cards are %q, want %q", got, want)
	}
}

func TestReview_Filters(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{})
	page := s.get(t, "/review")
	total := page.Find(".review-item").Length()
	link := func(label string) string {
		t.Helper()
		found := page.Find("a.filter").FilterFunction(func(_ int, a *selection) bool { return words(a) == label })
		if found.Length() != 1 {
			t.Fatalf("%d filters %q of %q", found.Length(), label, page.each("a.filter"))
		}
		return found.AttrOr("href", "")
	}
	for label, n := range map[string]int{fmt.Sprintf("All %d", total): total, "Safety 1": 1, "Secret 1": 1, "Junk 2": 2, "bob 1": 1, fmt.Sprintf("All agents %d", total): total, fmt.Sprintf("ada %d", total-1): total - 1} {
		narrowed := s.get(t, link(label))
		if got := narrowed.Find(".review-item").Length(); got != n || !slices.Contains(narrowed.each("a.filter[aria-current]"), label) {
			t.Errorf("%s lists %d items, want %d; current is %q", label, got, n, narrowed.each("a.filter[aria-current]"))
		}
	}
	s.get(t, "/review?q=BILLING").expect(http.StatusOK, "1 item", "Billing port")
	s.get(t, "/review?q=nowhere").expect(http.StatusOK, "Nothing to review.", "Show all items")
	s.get(t, "/review?kind=junk&q=done").expect(http.StatusOK, "1 item")
	for _, wrong := range []string{"/review?kind=nonsense", "/review/nothing", "/agents/nobody/review"} {
		s.get(t, wrong).expect(http.StatusNotFound)
	}
	s.get(t, "/review?cursor=x").expect(http.StatusBadRequest)
	own := s.get(t, "/agents/bob/review")
	if got := own.each(".tabs a[aria-current]"); !slices.Equal(got, []string{"Review 1"}) {
		t.Errorf("the current tab is %q", got)
	}
	s.get(t, "/").expect(http.StatusOK, fmt.Sprintf("%d items to review", total))
	// Without a Decider there are no buttons.
	if got := page.Find(".review-item button, .review-item .button").Length(); got != 0 {
		t.Errorf("%d buttons", got)
	}
}

func TestReview_Empty(t *testing.T) {
	t.Parallel()
	s := reviewing(t, twoMemories(), setting{decider: &decider{}})
	s.get(t, "/review").expect(http.StatusOK, "Nothing to review.")
	s.get(t, ada+"/review").expect(http.StatusOK, "Nothing to review.")
	home := s.get(t, "/")
	home.expect(http.StatusOK, "All clear.")
	if home.Find(`header.page a[href="/review"]`).Length() != 1 {
		t.Error("the first page does not lead to the review")
	}
}

func TestReview_Decide(t *testing.T) {
	t.Parallel()
	made := &decider{}
	s := reviewing(t, oneOfEach(), setting{decider: made})
	page := s.get(t, "/review?kind=junk,expired")
	expired := page.card("Deploy freeze")
	after := page.Find(".review-item").Eq(1).AttrOr("id", "")
	page = s.press(t, expired, "Delete (recommended)")
	page.expect(http.StatusOK, "Deleted Deploy freeze", "2 items")
	if at := page.Request.URL; at.Query().Get("kind") != "junk,expired" || at.Fragment != after {
		t.Errorf("it leads to %s, want the fragment %s", at, after)
	}
	if s.Memory("ada", "Deploy freeze").State != memories.Deleted {
		t.Error("the memory is not deleted")
	}
	if got := made.last(t); len(got.ETags) != 1 || got.ETags[0] == "" {
		t.Errorf("the ETags are %q", got.ETags)
	}
	// A second click counts as success.
	id := strings.TrimPrefix(expired.AttrOr("id", ""), "item-")
	s.post(t, "/review/"+id, url.Values{"decision": {"delete"}, "back": {"/review"}}).expect(http.StatusOK, "Deleted")
	undone := s.submit(t, page, "Undo the decision")
	undone.expect(http.StatusOK, "Undone.")
	if decided, err := s.Store.ReviewDecisions(t.Context(), []string{id}); err != nil || len(decided) != 0 {
		t.Errorf("the decision is still there: %v %v", decided, err)
	}

	// The name of the kept memory is said.
	page = s.get(t, ada+"/review?kind=duplicate")
	name := words(page.Find(".review-side h4 a").First())
	page = s.press(t, page.Find(".review-item"), "Keep 1")
	page.expect(http.StatusOK, "Kept “"+name+"”.", "Nothing to review.")
	if page.Request.URL.Path != ada+"/review" || len(made.last(t).ETags) != 2 {
		t.Errorf("it leads to %s with %q", page.Request.URL, made.last(t).ETags)
	}

	// A merged text comes from the page of the item.
	list := s.get(t, "/review?kind=contradiction")
	item := s.get(t, list.Find("a.button[href$='#merge']").AttrOr("href", ""))
	if got := item.Find("textarea").Text(); !strings.Contains(got, "8080") || !strings.Contains(got, "9090") {
		t.Errorf("the texts to merge are %q", got)
	}
	path := item.Find("form#merge").AttrOr("action", "")
	s.post(t, path, url.Values{"decision": {"merge"}, "body": {"Port 9090."}, "description": {"Ports"}}).expect(http.StatusOK, "Merged ")
	if got := made.last(t); got.Body == nil || *got.Body != "Port 9090." || got.Description == nil || *got.Description != "Ports" {
		t.Errorf("merged %+v", got)
	}
}

func TestReview_Conflict(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/tabs.md":     memoirtest.Note("Tabs", memories.User, "Use tabs."),
		"ada/memory/tabs_too.md": memoirtest.Note("Tabs", memories.User, "Use four spaces."),
	}, setting{decider: &decider{}})
	card := s.get(t, "/review?kind=conflict").card("Tabs")
	if got := card.Find(".review-text").Map(func(_ int, side *selection) string { return words(side) }); len(got) != 2 || !slices.Contains(got, "Use tabs.") || !slices.Contains(got, "Use four spaces.") {
		t.Errorf("the contents are %q", got)
	}
	s.get(t, card.Find(".review-side h4 a").AttrOr("href", "")).expect(http.StatusOK, "Versions of")
}

func TestReview_Refused(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	page := s.get(t, ada+"/review")
	id := strings.TrimPrefix(page.card("Deploy freeze").AttrOr("id", ""), "item-")
	back := url.Values{"back": {ada + "/review?kind=expired"}}
	post := func(path string, fields url.Values) *answer {
		for name, value := range back {
			fields[name] = value
		}
		return s.post(t, path, fields)
	}
	got := post("/review/"+id, url.Values{"decision": {"delete"}, "etag": {`"other"`}})
	got.expect(http.StatusConflict, "This changed while you read it", "Deploy freeze")
	if got.Find(".review-item").Length() != 1 || got.Find(".tabs").Length() != 1 {
		t.Errorf("it shows another list:\n%s", words(got.Find("main")))
	}
	post("/review/expired-0123", url.Values{"decision": {"delete"}}).expect(http.StatusConflict, "This changed while you read it")
	s.press(t, page.card("untyped"), "Fix (recommended)").expect(http.StatusConflict, "Not done", "The file is locked.")
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
	page := as("look-only", "/review")
	page.expect(http.StatusOK, "Deploy freeze")
	if n := page.Find(`.review form:not([method="get"]), .review-item .button`).Length(); n != 0 || strings.Contains(page.raw, "Reveal") {
		t.Errorf("readers have %d forms and buttons", n)
	}
	reveal := as("the-token", "/review?kind=secret").Find(".review-side .facts a").AttrOr("href", "")
	as("look-only", reveal).expect(http.StatusForbidden)
	shown := as("the-token", reveal)
	shown.expect(http.StatusOK, secretPassword)
	if got := shown.Find("mark").Text(); !strings.Contains(got, secretPassword) {
		t.Errorf("the evidence is %q", got)
	}
	hidden := as("the-token", strings.Split(reveal, "?")[0])
	if strings.Contains(hidden.raw, secretPassword) {
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
	for i := range items {
		kind := kinds[4+i%8]
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
	page.expect(http.StatusOK, "All 5,000")
	if n := page.Find(".review-item").Length(); n != 50 || len(page.raw) > maxPage {
		t.Errorf("%d items in %d bytes", n, len(page.raw))
	}
	t.Logf("%d bytes", len(page.raw))
	seen := map[string]bool{}
	for address := "/review?kind=index,link"; address != ""; {
		page := s.get(t, address)
		if len(page.raw) > maxPage {
			t.Errorf("%s has %d bytes", address, len(page.raw))
		}
		page.Find(".review-item").Each(func(_ int, c *selection) { seen[c.AttrOr("id", "")] = true })
		address = page.Find("a[rel=next]").AttrOr("href", "")
	}
	if len(seen) != 625 {
		t.Errorf("the pages list %d items, want 625", len(seen))
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
