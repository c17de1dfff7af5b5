package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
)

const (
	adaTimeline  = ada + "/timeline"
	conversation = "U1-C1-1741512345.123456"
)

// happenings returns the lines of the page, newest first: kind, name and actor.
func (a *answer) happenings() []string {
	return a.Find(".event").Map(func(_ int, e *selection) string {
		return words(e.ChildrenFiltered(".verb")) + " " + words(e.ChildrenFiltered(".what").Children().First()) + ": " + words(e.ChildrenFiltered(".what").Find(".who"))
	})
}

// happened checks that the newest lines of the page equal want.
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

// serveDated returns a site with an agent whose memories were written at these times, by name.
func serveDated(t *testing.T, written map[string]time.Time) *site {
	t.Helper()
	s := serve(t, nil)
	// The files get their times before Memoir sees them.
	staging := s.Dir + "-staging"
	if err := os.MkdirAll(filepath.Join(staging, "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, at := range written {
		path := filepath.Join(staging, "memory", strings.ReplaceAll(name, " ", "_")+".md")
		if err := os.WriteFile(path, []byte(memoirtest.Note(name, memories.Project, "About "+name+".")), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(staging, s.Path("ada")); err != nil {
		t.Fatal(err)
	}
	s.scanAll()
	return s
}

func TestTimeline_NamesEventAndActor(t *testing.T) {
	t.Parallel()
	tabs := memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": tabs})
	s.get(t, adaTimeline).happened("Learned 1 memory: Memoir")

	s.Write("ada/sessions/"+conversation+"/memory/release.md", memoirtest.Note("Release", memories.Project, "On Tuesdays."))
	s.Scan("ada")
	s.get(t, adaTimeline).happened("Learned Release: the agent, session of 9 Mar 2025")

	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	m := s.Memory("ada", "Tabs")
	api := "/agents/ada/memories/" + m.ID
	s.asScript(t, http.MethodPost, api+"/verify")
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	s.get(t, adaTimeline).happened("Deleted Tabs: you", "Still true Tabs: a script", "Changed Tabs: the agent")

	s.Write("ada/memory/again.md", tabs)
	s.Scan("ada")
	s.get(t, adaTimeline).happened("Blocked Tabs: the agent")

	s.Remove("ada/memory/again.md")
	s.Scan("ada")
	s.asScript(t, http.MethodPost, api+"/restore")
	s.asScript(t, http.MethodDelete, api)
	s.asScript(t, http.MethodDelete, api+"?purge=true")
	page := s.get(t, adaTimeline)
	page.happened("Purged Tabs: a script", "Deleted Tabs: a script", "Restored Tabs: a script")
	if link := page.Find(".event").First().Find(".what a"); link.Length() != 0 {
		t.Error("a purged memory has a link")
	}
}

func TestTimeline_Undo(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	undo := s.get(t, adaTimeline).Find(".event").First().Find(".do form")
	if undo.Length() != 1 {
		t.Fatal("a deletion has no undo")
	}
	back := s.post(t, undo.AttrOr("action", ""), url.Values{"back": {undo.Find("input[name=back]").AttrOr("value", "")}})
	back.expect(http.StatusOK, "Restored Tabs")
	if back.Request.URL.Path != adaTimeline || s.Memory("ada", "Tabs").State != memories.Active {
		t.Errorf("the undo leads to %s", back.Request.URL)
	}
	back.happened("Restored Tabs: you", "Deleted Tabs: you")
	if n := back.Find(".event .do form").Length(); n != 0 {
		t.Errorf("%d undone events have an undo", n)
	}
}

func TestTimeline_Filters(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.Write("ada/sessions/"+conversation+"/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	s.Write("bo/memory/desk.md", memoirtest.Note("Desk", memories.User, "By the window."))
	s.scanAll()
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	tabs := s.Memory("ada", "Tabs").ID

	for address, want := range map[string][]string{
		adaTimeline + "?kind=deleted":                             {"Tabs"},
		adaTimeline + "?actor=session":                            {"Kettle"},
		adaTimeline + "?session=" + url.QueryEscape(conversation): {"Kettle"},
		adaTimeline + "?kind=deleted&actor=session":               nil,
		adaTimeline + "?kind=recalled":                            nil,
		adaTimeline + "?kind=&actor=browser":                      {"Tabs"},
		adaTimeline + "?memory=" + tabs:                           {"Tabs", "Tabs"},
		adaTimeline + "?q=ketT":                                   {"Kettle"},
		adaTimeline + "?q=100%25":                                 nil,
		"/timeline?kind=deleted":                                  {"Tabs"},
		"/timeline?q=desk":                                        {"Desk"},
	} {
		page := s.get(t, address)
		page.expect(http.StatusOK)
		if got := page.each(".event > .what > :first-child"); !slices.Equal(got, want) {
			t.Errorf("%s tells of %q, want %q", address, got, want)
		}
	}
	chosen := s.get(t, adaTimeline+"?kind=deleted&actor=browser&q=tabs")
	if got := chosen.each("option[selected]"); !slices.Equal(got, []string{"Deleted"}) {
		t.Errorf("the form has chosen %q", got)
	}
	chosen.expect(http.StatusOK, "By you", "Show all")
	s.get(t, adaTimeline+"?q=zebra").expect(http.StatusOK, "No results for “zebra”", "Show all")
	for _, query := range []string{"?kind=eaten", "?actor=cat", "?session=%00", "?show=everything", "?memory=7", "?show=sessions&session=nobody", "?show=logs&day=2020-01-01", "?show=logs&day=x"} {
		s.get(t, adaTimeline+query).expect(http.StatusNotFound)
	}
	for _, query := range []string{"?cursor=wrong", "?as_of=yesterday", "?on=x", "?show=sessions&cursor=made+up"} {
		s.get(t, adaTimeline+query).expect(http.StatusBadRequest)
	}
	s.get(t, "/agents/nobody/timeline").expect(http.StatusNotFound)
}

func TestTimeline_PagesReachAll(t *testing.T) {
	t.Parallel()
	files := map[string]time.Time{}
	begin := time.Now().AddDate(0, 0, -20)
	for i := range 230 {
		files[fmt.Sprintf("Fact %03d", i)] = begin.Add(time.Duration(i) * 11 * time.Minute)
	}
	s := serveDated(t, files)
	told := map[string]bool{}
	address := adaTimeline + "?q=fact"
	for _, want := range []int{100, 100, 30} {
		page := s.get(t, address)
		names := page.each(".event > .what > a[data-open]")
		if len(names) != want {
			t.Errorf("%s has %d lines, want %d", address, len(names), want)
		}
		for _, name := range names {
			told[name] = true
		}
		address = page.Find(`a[rel=next]`).AttrOr("href", "")
	}
	if len(told) != len(files) || address != "" {
		t.Errorf("%d of %d are told, and the last page leads to %q", len(told), len(files), address)
	}
}

func TestTimeline_ChosenDay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := serveDated(t, map[string]time.Time{
		"Old": now.AddDate(0, 0, -40), "Middle": now.AddDate(0, 0, -20), "New": now.AddDate(0, 0, -2), "Newer": now.AddDate(0, 0, -1),
	})
	s.submit(t, s.get(t, pageOf(s.Memory("ada", "Old"))), "Delete Old")
	page := s.get(t, adaTimeline)
	if got := words(page.Find("#day-title")); got != "3 memories" {
		t.Errorf("the chart says %q", got)
	}
	if got := page.each(".since h2, .since dd"); !slices.Equal(got, []string{"Last 30 days", "+3", "−1", "0"}) {
		t.Errorf("since a month it says %q", got)
	}
	slider := page.Find("#day")
	first, last := slider.AttrOr("min", ""), slider.AttrOr("max", "")
	if first == last || slider.AttrOr("value", "") != last || page.Find(".bar").Length() != 1 {
		t.Errorf("the slider goes from %s to %s", first, last)
	}

	// the slider's form without scripts
	day := now.AddDate(0, 0, -10)
	on := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400
	page = s.get(t, adaTimeline+fmt.Sprintf("?kind=learned&on=%d", on))
	if got, want := page.Request.URL.RawQuery, "as_of="+day.Format(time.DateOnly)+"&kind=learned"; got != want {
		t.Errorf("the slider leads to %q, want %q", got, want)
	}
	page.expect(http.StatusOK, "2 memories on "+day.Format("2 January"), "1 fewer than today", "Back to now", "Open this day", "Since "+day.Format("2 January"), "tokens per conversation")
	if got := page.each(".since dd"); len(got) != 4 || !slices.Equal(got[:3], []string{"+2", "−1", "0"}) {
		t.Errorf("since that day it says %q", got)
	}
	if got := words(page.Find(".agent .facts")); got != "2 memories" {
		t.Errorf("the header says %q", got)
	}
	then := s.get(t, page.Find(".tabs a").First().AttrOr("href", ""))
	then.expect(http.StatusOK, "Showing "+day.Format("2 Jan 2006"), "Back to now", "+2 learned since", "−1 deleted since")
	if got := then.names(); !slices.Equal(got, []string{"Middle", "Old"}) || then.Find("[data-action=new], main form[method=post]").Length() != 0 {
		t.Errorf("that day has %q", got)
	}
	for _, future := range []string{"?as_of=" + now.Format(time.DateOnly), "?as_of=9999-01-01", "?on=999999"} {
		if page := s.get(t, adaTimeline+future); page.Request.URL.RawQuery != "" {
			t.Errorf("%s leads to %s", future, page.Request.URL)
		}
	}
	s.get(t, "/timeline?as_of="+day.Format(time.DateOnly)).expect(http.StatusOK, "2 memories on ")
}

func TestTimeline_Empty(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"bo/memory/notes.png": "no memory"})
	s.get(t, "/agents/bo/timeline").expect(http.StatusOK, "No events yet.")
	s.get(t, "/agents/bo/timeline?show=sessions").expect(http.StatusOK, "No sessions yet")
	s.get(t, "/agents/bo/timeline?show=logs").expect(http.StatusOK, "No logs yet")
	s.get(t, "/timeline?show=logs").expect(http.StatusOK, "bo")
	serve(t, nil).get(t, "/timeline").expect(http.StatusOK, "No events yet.")
}

func TestTimeline_EarlierAddresses(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for from, to := range map[string]string{
		"/activity":                          "/timeline",
		"/activity?kind=deleted&shown=150":   "/timeline?kind=deleted",
		ada + "/activity?session=x&cursor=y": adaTimeline + "?session=x",
		ada + "/sessions":                    adaTimeline + "?show=sessions",
		ada + "/sessions/50%25%2Fx/memory":   adaTimeline + "?session=50%25%2Fx&show=sessions",
		ada + "/logs":                        adaTimeline + "?show=logs",
		ada + "/logs?q=split&month=2026-03":  adaTimeline + "?month=2026-03&q=split&show=logs",
		ada + "/logs/2026-03-01":             adaTimeline + "?day=2026-03-01&show=logs",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+from, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := response.Header.Get("Location"); response.StatusCode != http.StatusMovedPermanently || got != to {
			t.Errorf("%s: %d to %q, want %q", from, response.StatusCode, got, to)
		}
	}
}

func TestTimeline_Recalls(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/freeze.md": memoirtest.Note("winter freeze", memories.Project, "No deploy from 18 December."),
		"ada/memory/ship.md":   memoirtest.Note("ship checkout", memories.Project, "Ship the checkout after the winter freeze."),
	})
	query := "Can I ship the checkout during the winter freeze?"
	if _, err := s.Recaller.Recall(t.Context(), recall.Request{Agent: "ada", Query: query, Session: conversation, From: recall.FromHook}); err != nil {
		t.Fatal(err)
	}
	page := s.get(t, adaTimeline+"?kind=recalled")
	line := page.Find(".event")
	if got := words(line); line.Length() != 1 || !strings.Contains(got, "Recalled") || !strings.Contains(got, "“Can I ship the checkout during the winter freeze?”") {
		t.Errorf("the recall is told as %q", got)
	}
	if got := words(line.Find(".do a")); got != "Why?" {
		t.Errorf("it offers %q", got)
	}
	s.get(t, adaTimeline+"?q=winter").expect(http.StatusOK, "Recalled")
	s.get(t, adaTimeline+"?show=sessions&session="+url.QueryEscape(conversation)).expect(http.StatusOK, "Session of 9 Mar 2025", "Recalled")
}

func TestSessions_Pages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 130 {
		files[fmt.Sprintf("ada/sessions/U1-C%d-1700000000.1/memory/a.md", i)] = memoirtest.Note(fmt.Sprint("Note ", i), memories.User, "Ada.")
	}
	s := serve(t, files)
	seen := map[string]bool{}
	address, pages := adaTimeline+"?show=sessions", 0
	for ; address != "" && pages < 5; pages++ {
		page := s.get(t, address)
		page.expect(http.StatusOK, "1 learned, 0 recalled")
		page.Find(".event a[data-open]").Each(func(_ int, a *selection) { seen[a.AttrOr("href", "")] = true })
		address = page.Find("a[rel=next]").AttrOr("href", "")
	}
	if len(seen) != len(files) || pages != 2 {
		t.Errorf("%d sessions on %d pages", len(seen), pages)
	}
}

func TestSessionNotes_OddNames(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.User, "Use tabs.")}
	names := []string{"50%25", "a,b;c", "x(1)", "50%"}
	for _, name := range names {
		files["ada/session-memory/"+name+"/memory.md"] = "# Where we are\n\nThis is " + name + ".\n"
	}
	s := serve(t, files)
	for _, name := range names {
		s.get(t, ada+"/sessions/"+url.PathEscape(name)+"/memory").expect(http.StatusOK, "This is "+name+".")
	}
	if got := s.get(t, adaTimeline+"?show=sessions").Find(".event").Length(); got != len(names) {
		t.Errorf("%d sessions are listed", got)
	}
	for _, name := range []string{"50%252525", "..", "50%/memory"} {
		s.get(t, adaTimeline+"?show=sessions&session="+url.QueryEscape(name)).expect(http.StatusNotFound)
	}
}

func TestFaultA9_SameWordsForOneDeletion(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(4))
	s.submit(t, s.get(t, pageOf(s.Memory("ada", "Fact 03"))), "Delete Fact 03")
	s.asScript(t, http.MethodDelete, "/agents/ada/memories/"+s.Memory("ada", "Fact 01").ID)
	s.Remove("ada/memory/fact_02.md")
	s.scanAll()
	trash := s.get(t, ada+"/trash")
	for _, name := range []string{"Fact 01", "Fact 02", "Fact 03"} {
		m := s.Memory("ada", name)
		if m.State != memories.Deleted {
			continue
		}
		who := words(s.get(t, adaTimeline+"?kind=deleted&q="+url.QueryEscape(name)).Find(".event .who"))
		if row := words(trash.Find("#memory-" + m.ID)); who == "" || !strings.Contains(row, "deleted by "+who) {
			t.Errorf("%s was deleted by %q, and the trash says %q", name, who, row)
		}
	}
}

func TestFaultB21_FirstScanIsOneLine(t *testing.T) {
	t.Parallel()
	files := map[string]time.Time{}
	begin := time.Now().AddDate(0, 0, -300)
	for i := range 474 {
		files[fmt.Sprintf("Fact %03d", i)] = begin.Add(time.Duration(i) * 15 * time.Hour)
	}
	s := serveDated(t, files)
	page := s.get(t, adaTimeline)
	page.happened("Learned 474 memories: Memoir")
	line := page.Find(".event")
	if got := words(line.Find(".what")); line.Length() != 1 || got != "474 memories in the first scan Memoir" {
		t.Errorf("%d lines, the first says %q", line.Length(), got)
	}
	seen := map[string]bool{}
	for address := line.Find(".do a").AttrOr("href", ""); address != ""; {
		page = s.get(t, address)
		rows := page.each(".folded a[data-open]")
		if len(rows) > 100 || len(page.raw) > 150_000 {
			t.Errorf("%s has %d rows and %d bytes", address, len(rows), len(page.raw))
		}
		for _, name := range rows {
			seen[name] = true
		}
		address = page.Find(".folded li:last-child > a").AttrOr("href", "")
	}
	if len(seen) != 474 {
		t.Errorf("%d memories are shown", len(seen))
	}
	for i := range 12 {
		s.Write(fmt.Sprintf("ada/memory/m%02d.md", i), memoirtest.Note(fmt.Sprint("More ", i), memories.User, fmt.Sprint(i)))
	}
	s.Scan("ada")
	s.get(t, adaTimeline).happened("Learned 12 memories: the agent", "Learned 474 memories: Memoir")
}

func TestFaultB23_NoRawIDsInRows(t *testing.T) {
	t.Parallel()
	const id = "U2K5X9-C02DEPLOYS-1741512345.123456"
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	s.Write("ada/sessions/"+id+"/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	s.Scan("ada")
	session := adaTimeline + "?show=sessions&session=" + url.QueryEscape(id)
	rows := func(path string) string { return words(s.get(t, path).Find("main [data-row], main .row")) }
	for _, path := range []string{adaTimeline, "/timeline", adaTimeline + "?show=sessions", adaList} {
		if got := rows(path); strings.Contains(got, "U2K5") || path != adaList && !strings.Contains(strings.ToLower(got), "session") {
			t.Errorf("the rows of %s say %q", path, got)
		}
	}
	s.get(t, adaTimeline+"?show=sessions").expect(http.StatusOK, "Session of 9 Mar 2025", "Name this…")
	page := s.get(t, session)
	page.expect(http.StatusOK, "Kettle")
	forms := page.Find("#names form")
	for i, name := range []string{"Mira", "#deploys"} {
		form := forms.Eq(i)
		s.post(t, form.AttrOr("action", ""), url.Values{
			"id": {form.Find("[name=id]").AttrOr("value", "")}, "name": {name}, "back": {form.Find("[name=back]").AttrOr("value", "")},
		}).expect(http.StatusOK, "Name saved.")
	}
	for _, path := range []string{adaTimeline, "/timeline", adaTimeline + "?show=sessions", session} {
		s.get(t, path).expect(http.StatusOK, "Mira in #deploys, 9 Mar 2025")
	}
	s.post(t, ada+"/timeline/names", url.Values{"id": {"U2K5X9"}, "name": {""}}).expect(http.StatusOK, "#deploys, 9 Mar 2025")
	s.post(t, ada+"/timeline/names", url.Values{"id": {""}, "name": {"x"}}).expect(http.StatusBadRequest)
	s.post(t, ada+"/timeline/names", url.Values{"id": {"U1"}, "name": {strings.Repeat("x", 201)}}).expect(http.StatusBadRequest)
}
