package pages_test

import (
	"encoding/json"
	"net/url"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestView_LinksKeepFilters requests all combinations and compares the page with
// the API.
func TestView_LinksKeepFilters(t *testing.T) {
	t.Parallel()
	s := ofManyKinds(t)
	for _, narrowed := range []url.Values{{}, {"type": {"project"}}, {"state": {"needs_attention"}}} {
		for _, stale := range []string{"", "true"} {
			for _, session := range []string{"", habitSession} {
				for _, q := range []string{"", "habit"} {
					for _, sort := range []string{"", "name", "updated", "age"} {
						view := url.Values{}
						for field, value := range map[string]string{"type": narrowed.Get("type"), "state": narrowed.Get("state"), "stale": stale, "session": session, "q": q, "sort": sort} {
							if value != "" {
								view.Set(field, value)
							}
						}
						s.holdsTheView(t, view)
					}
				}
			}
		}
	}
}

func TestMemories_UpdatedSince(t *testing.T) {
	t.Parallel()
	s := ofManyKinds(t)
	for _, since := range []string{"2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"} {
		s.holdsTheView(t, url.Values{"updated_since": {since}, "q": {"habit"}})
	}
	s.get(t, adaList+"?updated_since=2100-01-01T00:00:00Z").expect(200, "updated since")
	s.get(t, adaList+"?updated_since=soon").expect(400, "updated_since")
}

// holdsTheView fails if a link or form of the page omits a part of the view, or the page and the
// API list different memories.
func (s *site) holdsTheView(t *testing.T, view url.Values) {
	t.Helper()
	page := s.get(t, adaList+"?"+view.Encode())
	page.expect(200)
	form := url.Values{}
	page.Find("#search input").Each(func(_ int, field *selection) {
		if value := field.AttrOr("value", ""); value != "" {
			form.Set(field.AttrOr("name", ""), value)
		}
	})
	if sort := page.Find("#search option[selected]").AttrOr("value", ""); sort != "" {
		form.Set("sort", sort)
	}
	if view.Get("q") == "" && view.Get("sort") == "updated" {
		form.Set("sort", "updated") // the default order
	}
	if page.Find("#search").Length() > 0 && form.Encode() != view.Encode() {
		t.Errorf("the form of ?%s asks for ?%s", view.Encode(), form.Encode())
	}
	page.Find(".row a[data-open]").Each(func(_ int, link *selection) {
		if to, err := url.Parse(link.AttrOr("href", "")); err != nil || to.Query().Encode() != view.Encode() {
			t.Errorf("of ?%s a row leads to %s", view.Encode(), to)
		}
	})
	listed := map[string]int{}
	for _, name := range page.names() {
		listed[name]++
	}
	for name, n := range s.listedByAPI(t, view) {
		if listed[name] != n {
			t.Errorf("?%s lists %q %d times, the API %d times", view.Encode(), name, listed[name], n)
		}
		delete(listed, name)
	}
	if len(listed) > 0 {
		t.Errorf("?%s lists %v, which the API does not", view.Encode(), listed)
	}
}

// listedByAPI returns the names that the API lists for the same view.
func (s *site) listedByAPI(t *testing.T, view url.Values) map[string]int {
	t.Helper()
	var list struct {
		Memories []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(s.get(t, "/api/v1/agents/ada/memories?"+view.Encode()).raw), &list); err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, m := range list.Memories {
		names[m.Name]++
	}
	return names
}

const habitSession = "U1-C1-1741512345.123456"

// ofManyKinds returns a site with memories for every part of a view.
func ofManyKinds(t *testing.T) *site {
	t.Helper()
	session := "ada/sessions/" + habitSession + "/memory/"
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":    memoirtest.Note("Tabs", memories.Feedback, "Use tabs, out of habit."),
		"ada/memory/b.md":       memoirtest.Note("Habit B", memories.Project, "Of habit B."),
		"ada/memory/printer.md": "---\nname: Printer\n---\n\nIt has a habit.\n",
		session + "a.md":        memoirtest.Note("Habit A", memories.Project, "Of habit A."),
		session + "new.md":      memoirtest.Note("Habit C", memories.Project, "Of habit C."),
	})
	age(t, s, "ada/memory/b.md", 20)
	age(t, s, session+"a.md", 12)
	return s
}
