package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestAgent_RedirectsToMemories(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	for _, path := range []string{ada, ada + "/"} {
		if got := s.get(t, path).Request.URL.Path; got != adaList {
			t.Errorf("%s leads to %s", path, got)
		}
	}
}

func TestMemories_GroupsByType(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/r.md": memoirtest.Note("Wiki", memories.Reference, "There."),
		"ada/memory/p.md": memoirtest.Note("Release", memories.Project, "Tuesdays."),
		"ada/memory/u.md": memoirtest.Note("Mira", memories.User, "Likes tea."),
		"ada/memory/f.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/n.md": "Just words.\n",
		"ada/sessions/U1-C1-1741512345.123456/memory/s.md": memoirtest.Note("Jonas", memories.User, "Is new."),
	})
	page := s.get(t, adaList)
	page.expect(http.StatusOK, "About Tabs", "from session, 9 Mar 2025", "today", "The file has no frontmatter")
	var headings []string
	for _, h := range page.each(".group h2") {
		headings = append(headings, strings.Fields(h)[0])
	}
	if want := []string{"Feedback", "User", "Project", "Reference", "Needs"}; !slices.Equal(headings, want) {
		t.Errorf("groups %q, want %q", headings, want)
	}
	if got := page.each("#group-attention h3"); !slices.Equal(got, []string{"n"}) {
		t.Errorf("needing attention: %q", got)
	}
	if got := page.Find("main").AttrOr("data-events", ""); got != "/api/v1/events?agent=ada" {
		t.Errorf("the page follows %q", got)
	}
}

func TestMemories_SearchAndType(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("Tabs", memories.Feedback, "Indent with tabs."),
		"ada/memory/b.md": memoirtest.Note("Kettle", memories.User, "Mira's tabs of tea."),
		"ada/memory/c.md": memoirtest.Note("Release", memories.Project, "Tuesdays."),
		"ada/memory/d.md": "tabs without a type\n",
	})
	for query, want := range map[string][]string{
		"?q=TAB":                           {"Tabs", "Kettle", "d"},
		"?q=tabs&type=user":                {"Kettle"},
		"?type=project":                    {"Release"},
		"?state=needs_attention":           {"d"},
		"?q=tuesday&state=needs_attention": nil,
		"?q=nothing+at+all":                nil,
		"?q=%00%ff":                        nil,
	} {
		page := s.get(t, adaList+query)
		page.expect(http.StatusOK)
		if got := page.names(); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	s.get(t, adaList+"?q=tab").expect(http.StatusOK, "3 memories found for “tab”")
	s.get(t, adaList+"?q=zebra").expect(http.StatusOK, "No memory matches", "Show all 4")
}

func TestMemories_LongGroup(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")}
	for i := range 450 {
		name := fmt.Sprintf("Place %03d", i)
		files[fmt.Sprintf("ada/memory/p%03d.md", i)] = memoirtest.Note(name, memories.Reference, "There.")
	}
	s := serve(t, files)
	s.Write("ada/memory/zz.md", memoirtest.Note("Zebra", memories.Reference, "The newest."))
	s.Scan("ada")

	page := s.get(t, adaList)
	page.expect(http.StatusOK, "Show more 431 more")
	if got := page.Find("#group-reference .row").Length(); got != 20 {
		t.Errorf("%d rows of the long group", got)
	}
	if got := words(page.Find("#group-reference .row h3").First()); got != "Zebra" {
		t.Errorf("the newest is %q", got)
	}
	if page.Find("#group-feedback .row").Length() != 1 || words(page.Find("#group-feedback .more")) != "" {
		t.Error("the short group is not whole, or says that it is not")
	}

	seen := map[string]bool{}
	for _, name := range page.each("#group-reference .row h3") {
		seen[name] = true
	}
	path := page.Find("#group-reference .more a").AttrOr("href", "")
	for range 10 {
		page = s.get(t, path)
		page.expect(http.StatusOK)
		for _, name := range page.names() {
			if seen[name] {
				t.Errorf("%s is listed twice", name)
			}
			seen[name] = true
		}
		next := page.Find("main .more a[rel=next]")
		if next.Length() == 0 {
			break
		}
		path = next.AttrOr("href", "")
	}
	if len(seen) != 451 {
		t.Errorf("the pages list %d memories, want 451", len(seen))
	}
	page.expect(http.StatusOK, "Back to the first")
	first, err := url.Parse(page.Find(`main .more a:contains("Back to the first")`).AttrOr("href", ""))
	if err != nil || first.Query().Has("cursor") {
		t.Errorf("the first page is at %v (%v)", first, err)
	}
}

func TestMemories_InvalidAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	s.get(t, adaList+"?type=opinion").expect(http.StatusBadRequest, "“type” can only be feedback, user, project or reference.")
	s.get(t, adaList+"?state=asleep").expect(http.StatusBadRequest, "needs_attention")
	s.get(t, adaList+"?state=needs_attention&type=user").expect(http.StatusBadRequest, "cannot be combined")
	s.get(t, adaList+"?type=user&type=project").expect(http.StatusBadRequest, "“type” is given 2 times: give it once.")
	s.get(t, adaList+"?type=user&cursor=x").expect(http.StatusBadRequest, "leave it out to start from the first page")
	for _, path := range []string{
		"/nowhere", "/agents", "/agents/nobody", "/agents/nobody/memory", "/agents/nobody/trash", "/agents/%00/memory", "/agents/%ff/memory",
		adaList + "/no-id", adaList + "/00000000-0000-7000-8000-000000000000", adaList + "/no-id/raw",
	} {
		s.get(t, path).expect(http.StatusNotFound, "Page not found")
	}
	s.post(t, adaList, nil).expect(http.StatusMethodNotAllowed, "Not possible here")
	if got := s.post(t, adaList, nil).Header.Get("Allow"); got != "GET, HEAD" {
		t.Errorf("Allow: %q", got)
	}
	if got := s.get(t, "/samples").Header.Get("Allow"); got != "POST" {
		t.Errorf("Allow: %q", got)
	}
}

func TestAgents_CardSaysAgeOfNewestMemory(t *testing.T) {
	t.Parallel()
	modified := time.Now().AddDate(0, 0, -100).UTC().Format(time.RFC3339)
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md": "---\nname: Tabs\ntype: feedback\nmetadata:\n  modified: " + modified + "\n---\n\nUse tabs.\n",
	})
	s.get(t, "/").expect(http.StatusOK, "changed 100 days ago")
	s.get(t, adaList).expect(http.StatusOK, "100 days")
}
