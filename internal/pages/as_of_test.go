package pages_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// asOf returns the address of a page at a past moment.
func asOf(path string, at time.Time) string {
	return path + "?" + url.Values{"as_of": {at.UTC().Format(time.RFC3339Nano)}}.Encode()
}

// past returns a site with memories that were changed, deleted and added after the time then.
func past(t *testing.T) (s *site, then time.Time) {
	t.Helper()
	s = serve(t, twoMemories())
	then = time.Now().Truncate(time.Microsecond) // as Postgres keeps it
	// Clocks of file systems can be up to 10 ms late.
	waittest.For(s, "the clock of the files to be past it", func() bool { return time.Since(then) > 50*time.Millisecond })
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Write("ada/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	s.Scan("ada")
	s.submit(t, s.get(t, pageOf(s.Memory("ada", "Release"))), "Delete Release")
	return s, then
}

func TestMemoriesAsOf_ReadOnly(t *testing.T) {
	t.Parallel()
	s, then := past(t)
	page := s.get(t, asOf(adaList, then))
	page.expect(http.StatusOK, "Showing "+then.Local().Format("2 Jan 2006, 15:04"), "Back to now", "2 memories", "+1 learned since", "−1 deleted since", "Changed since", "Deleted since")
	if got := page.names(); !slices.Equal(got, []string{"Tabs", "Release"}) {
		t.Errorf("it lists %q", got)
	}
	if n := page.Find("main form[method=post]").Length(); n != 0 {
		t.Errorf("there are %d forms that change something", n)
	}
	if back := page.Find(`.as-of a`).AttrOr("href", ""); back != adaList {
		t.Errorf("now is at %q", back)
	}

	only := s.get(t, asOf(adaList, then)+"&type=project")
	if got := only.names(); !slices.Equal(got, []string{"Release"}) {
		t.Errorf("of the projects it lists %q", got)
	}
	s.get(t, asOf(adaList, then)+"&type=opinion").expect(http.StatusBadRequest)
	s.get(t, asOf(adaList, then)+"&cursor=wrong").expect(http.StatusBadRequest)
	s.get(t, asOf(adaList, then.AddDate(-30, 0, 0))).expect(http.StatusOK, "No memories at that time")
	s.get(t, asOf("/agents/nobody/memory", then)).expect(http.StatusNotFound)
}

func TestMemoryAsOf_ShowsChangesSince(t *testing.T) {
	t.Parallel()
	s, then := past(t)
	tabs := s.get(t, asOf(pageOf(s.Memory("ada", "Tabs")), then))
	tabs.expect(http.StatusOK, "Since then", "Showing ")
	if got := words(tabs.Find(".prose")); got != "Use tabs." {
		t.Errorf("it said %q", got)
	}
	if got := tabs.each(".line[data-kind=added]"); !slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, "spaces") }) {
		t.Errorf("what has changed is told as %q", got)
	}
	s.get(t, asOf(pageOf(s.Memory("ada", "Release")), then)).expect(http.StatusOK, "On Tuesdays.", "Deleted since.", "No changes.")

	kettle := s.get(t, asOf(pageOf(s.Memory("ada", "Kettle")), then.AddDate(0, 0, -1)))
	kettle.expect(http.StatusOK, "Kettle", "Not learned yet, or deleted.")
	if strings.Contains(kettle.raw, "likes tea") {
		t.Error("it says what was learned later")
	}
	s.get(t, asOf(adaList+"/01a1fcb6-9ccc-754f-a837-a053e71bd3b9", then)).expect(http.StatusNotFound)
}

func TestMemoryAsOf_LinksStayInPast(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":    memoirtest.Note("Tabs", memories.Feedback, "See [[Release]] and [[Nothing]]."),
		"ada/memory/release.md": memoirtest.Note("Release", memories.Project, "On Tuesdays."),
	})
	now := time.Now().Truncate(time.Microsecond)
	page := s.get(t, asOf(pageOf(s.Memory("ada", "Tabs")), now))
	if got := page.Find(".prose a").Map(func(_ int, a *selection) string { return a.AttrOr("href", "") }); !slices.Equal(got, []string{asOf(pageOf(s.Memory("ada", "Release")), now)}) {
		t.Errorf("the links lead to %q", got)
	}
}

func TestAsOf_ParsesMoments(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	for written, want := range map[string]string{
		"2026-03-09T12:00:00Z":        "9 Mar 2026",
		"2026-03-09T12:00:00.123456Z": "9 Mar 2026",
		"2026-03-09T12:00:00+01:00":   "9 Mar 2026",
		"2026-03-09T12:00":            "9 Mar 2026, 12:00",
		"2026-03-09":                  "9 Mar 2026",
		"0001-01-01T12:00":            "1 Jan 0001",
	} {
		// Without escapes, as typed by hand.
		page := s.get(t, adaList+"?as_of="+written)
		page.expect(http.StatusOK)
		if got := words(page.Find("#as-of-title")); !strings.HasPrefix(got, "Showing "+want) {
			t.Errorf("%q is shown as %q, want %s", written, got, want)
		}
	}
	later := s.get(t, adaList+"?q=tabs&as_of=9999-01-01")
	if later.expect(http.StatusOK, "Tabs"); later.Request.URL.RequestURI() != adaList+"?q=tabs" {
		t.Errorf("what is not past is at %s", later.Request.URL)
	}
	for _, nonsense := range []string{"yesterday", "2026-13-01", "2026-02-30T10:00", "99999-01-01", "%00", "%FF"} {
		s.get(t, adaList+"?as_of="+nonsense).expect(http.StatusBadRequest, "A moment is written like")
	}
}
