package pages_test

import (
	"net/http"
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
	page.expect(http.StatusOK, "About Tabs", "today")
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
	s.get(t, adaList+"?q=tab").expect(http.StatusOK, "3 memories")
}

func TestMemories_InvalidAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
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
	if got := s.get(t, "/").Find("#agent-ada time").AttrOr("datetime", ""); got != modified {
		t.Errorf("the first page says %q, want %q", got, modified)
	}
	s.get(t, adaList).expect(http.StatusOK, "100 days")
}

func TestList_FilterCountsTheView(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	s.submit(t, s.get(t, pageOf(s.Memory("ada", "Fact 01"))), "Delete Fact 01")
	for query, want := range map[string]string{"": "Filter 2 memories", "?view=trash": "Filter 1 memory"} {
		if got := s.get(t, adaList+query).Find("#q").AttrOr("placeholder", ""); got != want {
			t.Errorf("the filter of %q says %q, want %q", query, got, want)
		}
	}
	if page := s.get(t, adaList); strings.Contains(page.raw, "in All") {
		t.Error("the whole list is named twice")
	}
}
