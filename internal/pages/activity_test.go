package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const (
	adaActivity  = ada + "/activity"
	conversation = "U1-C1-1741512345.123456"
)

// happenings returns the entries of the page, newest first: action, memory and actor.
func (a *answer) happenings() []string {
	return a.Find(".event").Map(func(_ int, e *selection) string {
		return words(e.Find(".badge")) + " " + words(e.Find(".event-name").Find("a, strong")) + ": " + words(e.Find(".facts > span").First())
	})
}

// happened checks that the newest entries of the page equal want.
func (a *answer) happened(want ...string) {
	a.t.Helper()
	got := a.happenings()
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		a.t.Errorf("%s tells of\n%s\nwant\n%s", a.Request.URL, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// asScript makes a call of the API.
func (s *site) asScript(t *testing.T, method, path string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.address+"/api/v1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer := s.send(t, request); answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, answer.raw)
	}
}

func TestActivity_NamesEventAndActor(t *testing.T) {
	t.Parallel()
	const own = "in a file of the agent’s own"
	tabs := memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": tabs})
	s.get(t, adaActivity).happened("Learned Tabs: " + own)

	s.Write("ada/sessions/"+conversation+"/memory/release.md", memoirtest.Note("Release", memories.Project, "On Tuesdays."))
	s.Scan("ada")
	page := s.get(t, adaActivity)
	page.expect(http.StatusOK, "U1 in C1, 9 Mar 2025", "memory/release.md")
	if got := page.happenings(); !slices.ContainsFunc(got, func(h string) bool { return strings.HasPrefix(h, "Learned Release: by U1 in C1") }) {
		t.Errorf("the session is not named: %q", got)
	}

	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	m := s.Memory("ada", "Tabs")
	api := "/agents/ada/memories/" + m.ID
	s.asScript(t, http.MethodPost, api+"/verify")
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	s.get(t, adaActivity).happened("Deleted Tabs: in the browser", "Still true Tabs: by a script", "Changed Tabs: "+own)

	s.Write("ada/memory/again.md", tabs)
	s.Scan("ada")
	s.get(t, adaActivity).happened("Kept out Tabs: " + own)

	s.Remove("ada/memory/again.md")
	s.Scan("ada")
	s.asScript(t, http.MethodPost, api+"/restore")
	s.asScript(t, http.MethodDelete, api)
	s.asScript(t, http.MethodDelete, api+"?purge=true")
	page = s.get(t, adaActivity)
	page.happened("Gone for good Tabs: by a script", "Deleted Tabs: by a script", "Restored Tabs: by a script")
	if link := page.Find(".event").First().Find(".event-name a"); link.Length() != 0 {
		t.Error("what is gone for good has a link")
	}
}

func TestActivity_MissingAndReturned(t *testing.T) {
	t.Parallel()
	s := serve(t, manyMemories(12))
	lost := s.loseAll(t)
	if got := s.get(t, adaActivity+"?kind=missing").each(".event .badge"); len(got) != 13 || got[0] != "Missing" {
		t.Errorf("the missing ones are told as %q", got)
	}
	s.submit(t, lost, "Write them back")
	if got := s.get(t, adaActivity+"?actor=browser").happenings(); len(got) != 13 || !strings.HasSuffix(got[0], ": in the browser") {
		t.Errorf("their return is told as %q", got)
	}
}

func TestActivity_Filters(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.Write("ada/sessions/"+conversation+"/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	s.Write("bo/memory/desk.md", memoirtest.Note("Desk", memories.User, "By the window."))
	s.scanAll()
	s.submit(t, s.get(t, adaList), "Delete Tabs")

	for address, want := range map[string][]string{
		adaActivity + "?kind=deleted":                                       {"Tabs"},
		adaActivity + "?actor=session":                                      {"Kettle"},
		adaActivity + "?session=" + url.QueryEscape(conversation):           {"Kettle"},
		adaActivity + "?kind=deleted&actor=session":                         nil,
		adaActivity + "?kind=&actor=browser":                                {"Tabs"},
		"/activity?kind=deleted":                                            {"Tabs"},
		"/agents/bo/activity":                                               {"Desk"},
		adaActivity + "?kind=learned&session=" + url.QueryEscape("no such"): nil,
	} {
		page := s.get(t, address)
		page.expect(http.StatusOK)
		if got := page.each(".event-name > a"); !slices.Equal(got, want) {
			t.Errorf("%s tells of %q, want %q", address, got, want)
		}
	}
	chosen := s.get(t, adaActivity+"?kind=deleted&actor=browser")
	if got := chosen.each("option[selected]"); !slices.Equal(got, []string{"Deleted", "People, in the browser"}) {
		t.Errorf("the form has chosen %q", got)
	}
	s.get(t, adaActivity+"?kind=deleted&actor=session").expect(http.StatusOK, "Nothing like that has happened", "Show everything")
	s.get(t, "/activity").expect(http.StatusOK, "What all agents learned", "ada", "bo")
	for _, address := range []string{"?kind=eaten", "?actor=cat", "?session=%00", "?cursor=wrong"} {
		s.get(t, adaActivity+address).expect(http.StatusBadRequest)
	}
}

func TestActivity_LinksReachAll(t *testing.T) {
	t.Parallel()
	const all = 520
	files := memoirtest.Files{}
	for i := range all {
		files[fmt.Sprintf("ada/memory/n%03d.md", i)] = memoirtest.Note(fmt.Sprintf("Fact %03d", i), memories.Project, fmt.Sprintf("It is %d.", i))
	}
	s := serve(t, files)
	told := map[string]bool{}
	address := adaActivity
	for _, want := range []int{50, 150, 500, 20} {
		page := s.get(t, address)
		names := page.each(".event-name > a")
		if len(names) != want {
			t.Errorf("%s has %d entries, want %d", address, len(names), want)
		}
		for _, name := range names {
			told[name] = true
		}
		address = page.Find(`a[rel=next]`).AttrOr("href", "")
		if last := want == 20; last {
			if address != "" || words(page.Find(".more")) != "Back to the newest" || page.Find(".pictures").Length() != 0 {
				t.Errorf("the last page leads on to %q and says %q", address, words(page.Find(".more")))
			}
		}
	}
	if len(told) != all {
		t.Errorf("%d of %d are told", len(told), all)
	}
}

func TestActivity_LinksToHistory(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use neither."))
	s.Scan("ada")
	changes := s.get(t, adaActivity+"?kind=changed").Find(".event .facts a")
	if changes.Length() != 2 {
		t.Fatalf("there are %d changes to look at", changes.Length())
	}
	history := s.get(t, changes.Last().AttrOr("href", ""))
	history.expect(http.StatusOK)
	if got := words(history.Find(".revision").First().Find(".line[data-kind=added]")); got != "added: Use spaces ." {
		t.Errorf("the history begins with %q", got)
	}
}

func TestActivity_ChartsInWords(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	page := s.get(t, adaActivity)
	for selector, want := range map[string]string{
		"#growth-desc": "1 feedback, 1 project.",
		"#ages-desc":   "today: 2, 1–2 days: 0",
		".legend":      "Feedback 1 Project 1",
	} {
		if got := words(page.Find(selector)); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	if got := page.each("#growth-numbers tbody tr"); len(got) == 0 || !strings.HasSuffix(got[0], "1 1 2") {
		t.Errorf("the table of the growth says %q", got)
	}
	empty := serve(t, memoirtest.Files{"bo/memory/notes.png": "no memory"})
	empty.get(t, "/agents/bo/activity").expect(http.StatusOK, "Nothing has happened yet")
}
