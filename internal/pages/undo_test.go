package pages_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/findings"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// undone presses the undo of the notice, and presses it once more, which does nothing.
func (s *site) undone(t *testing.T, page *answer) *answer {
	t.Helper()
	form := page.Find("#notices form")
	if form.Length() != 1 {
		t.Fatalf("%s has %d undos: %s", page.Request.URL, form.Length(), words(page.Find("main, #notices")))
	}
	fields := url.Values{"back": {form.Find("[name=back]").AttrOr("value", "")}}
	path := form.AttrOr("action", "")
	if !strings.HasPrefix(path, "/undo/") {
		t.Errorf("the notice posts to %s", path)
	}
	after := s.post(t, path, fields)
	after.expect(http.StatusOK)
	s.post(t, path, fields).expect(http.StatusOK, "Already undone")
	return after
}

func TestUndo_Events(t *testing.T) {
	t.Parallel()
	const old = "metadata:\n  modified: 2026-01-02T03:04:05Z\n---\n\n"
	files := twoMemories()
	files["ada/memory/tabs.md"] = strings.Replace(files["ada/memory/tabs.md"], "---\n\n", old, 1)
	for name, c := range map[string]struct {
		act  func(s *site) *answer
		says string
	}{
		"edit": {func(s *site) *answer {
			return s.write(t, s.get(t, pageOf(s.Memory("ada", "Tabs"))+"/edit"), url.Values{"body": {"Use spaces."}, "description": {"Other"}})
		}, "Undone: Tabs"},
		"rename": {func(s *site) *answer {
			return s.write(t, s.get(t, pageOf(s.Memory("ada", "Tabs"))+"/edit"), url.Values{"name": {"Indent"}})
		}, "Undone: Tabs"},
		"rename and edit": {func(s *site) *answer {
			return s.write(t, s.get(t, pageOf(s.Memory("ada", "Tabs"))+"/edit"), url.Values{"name": {"Indent"}, "body": {"Use spaces."}})
		}, "Undone: Tabs"},
		"type": {func(s *site) *answer {
			return s.post(t, pageOf(s.Memory("ada", "Tabs"))+"/type", url.Values{"type": {"user"}})
		}, "Undone: Tabs"},
		"verification": {func(s *site) *answer {
			return s.post(t, pageOf(s.Memory("ada", "Tabs"))+"/verify", nil)
		}, "Undone: Tabs"},
		"move": {func(s *site) *answer {
			return s.submit(t, s.get(t, pageOf(s.Memory("ada", "Tabs"))), "Move to team Tabs")
		}, "Moved Tabs to private memory"},
		"deletion": {func(s *site) *answer {
			return s.submit(t, s.get(t, pageOf(s.Memory("ada", "Tabs"))), "Delete Tabs")
		}, "Restored Tabs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, files)
			before := s.Memory("ada", "Tabs")
			compiled := s.Read("ada/CLAUDE.md")
			page := c.act(s)
			page.expect(http.StatusOK)
			s.undone(t, page).expect(http.StatusOK, c.says)
			now := s.Memory("ada", "Tabs")
			if now.ID != before.ID || now.State != before.State || now.Team || now.Fingerprint != before.Fingerprint {
				t.Errorf("after the undo it is %+v, want %+v", now, before)
			}
			if !strings.HasPrefix(name, "rename") && (!now.ModifiedAt.Equal(before.ModifiedAt) || s.Read("ada/CLAUDE.md") != compiled) {
				t.Errorf("after the undo it is of %s, want %s", now.ModifiedAt, before.ModifiedAt)
			}
			if s.Memory("ada", "Release").State != memories.Active {
				t.Error("another memory has changed")
			}
		})
	}
}

func TestUndo_NewMemories(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	copied := s.submit(t, s.get(t, pageOf(s.Memory("ada", "Tabs"))), "Copy to team Tabs")
	copied.expect(http.StatusOK, "Copied Tabs to team memory")
	if page := s.undone(t, copied); page.Request.URL.Path != adaList {
		t.Errorf("the undo leads to %s", page.Request.URL)
	}
	if s.Read("ada/memory/tabs.md") == "" || s.Read("ada/memory/team/feedback_tabs.md") != "" {
		t.Error("the wrong file is gone")
	}
	s.undone(t, s.write(t, s.get(t, adaList+"/new"), kettle())).expect(http.StatusOK, "Undone: Kettle")
	if m := s.Memory("ada", "Kettle"); m.State != memories.Deleted {
		t.Errorf("the new memory is %s", m.State)
	}
	s.undone(t, s.post(t, pageOf(s.Memory("ada", "Kettle"))+"/restore", nil))
	if m := s.Memory("ada", "Kettle"); m.State != memories.Deleted {
		t.Errorf("the restored memory is %s", m.State)
	}
}

func TestUndo_Batches(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	before := s.Read("ada/CLAUDE.md")
	for button, says := range map[string]string{
		"Set to Feedback": "Undone: 2 memories", "Move to team": "Undone: 2 memories", "Still true": "Undone: 2 memories", "Delete": "2 memories restored",
	} {
		page := s.selecting(t, s.get(t, adaList), button, "Fact 01", "Fact 02")
		page.expect(http.StatusOK)
		s.undone(t, page).expect(http.StatusOK, says)
		if s.Read("ada/CLAUDE.md") != before {
			t.Errorf("%s: CLAUDE.md is not as before", button)
		}
	}
}

func TestUndo_BatchFromTimeline(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	s.selecting(t, s.get(t, adaList), "Set to User", "Fact 01", "Fact 02")
	open := s.get(t, s.get(t, adaTimeline).Find(".event .do a").First().AttrOr("href", ""))
	if got := words(open.Find(".event > .do").First()); got != "Undo 2 memories Hide" {
		t.Errorf("the line offers %q", got)
	}
	// One of them, then the rest.
	back := url.Values{"back": {"/timeline"}}
	s.post(t, open.Find(".folded form").First().AttrOr("action", ""), back).expect(http.StatusOK, "Undone: Fact 0")
	s.post(t, open.Find(".event > .do form").AttrOr("action", ""), back).expect(http.StatusOK, "Undone: 2 memories")
	for _, name := range []string{"Fact 01", "Fact 02"} {
		if got := s.Memory("ada", name).Type; got != memories.Project {
			t.Errorf("%s is %s", name, got)
		}
	}
}

func TestUndo_ChangedSince(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	edited := s.write(t, s.get(t, pageOf(s.Memory("ada", "Fact 01"))+"/edit"), url.Values{"body": {"One."}})
	typed := s.selecting(t, s.get(t, adaList), "Set to User", "Fact 01", "Fact 02")
	undo := func(page *answer) *answer { return s.post(t, page.Find("#notices form").AttrOr("action", ""), nil) }
	undo(edited).expect(http.StatusConflict, "Not done", "The memory was changed by you after that. Nothing was undone.")
	s.Write("ada/memory/fact_02.md", memoirtest.Note("Fact 02", memories.Project, "Learned since."))
	s.Scan("ada")
	page := undo(typed)
	page.expect(http.StatusConflict, "1 of 2 not undone", "Fact 02", "The memory was changed by the agent after that.", "Undone: Fact 01")
	if m := s.Memory("ada", "Fact 02"); m.Body != "Learned since." {
		t.Errorf("it says %q", m.Body)
	}
	// The later change is undone, so the earlier one can be.
	undo(edited).expect(http.StatusOK, "Undone: Fact 01")
	if m := s.Memory("ada", "Fact 01"); m.Body != "What is known of 01." {
		t.Errorf("it says %q", m.Body)
	}
	gone := s.submit(t, s.get(t, pageOf(s.Memory("ada", "Fact 03"))), "Delete Fact 03")
	s.post(t, pageOf(s.Memory("ada", "Fact 03"))+"/purge", nil).expect(http.StatusOK, "Deleted permanently")
	undo(gone).expect(http.StatusConflict, "deleted permanently")
	for _, event := range []string{"x", "1.2.3", "review-x", "a%20b"} {
		if page := s.post(t, "/undo/"+event, nil); page.StatusCode != http.StatusNotFound {
			t.Errorf("/undo/%s answers %d", event, page.StatusCode)
		}
	}
	s.get(t, "/undo/x").expect(http.StatusOK)
}

func TestUndo_DecisionFromTimeline(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	item := s.itemPath(t, findings.Expired)
	s.get(t, item).press(s, "delete").expect(http.StatusOK, "Deleted Deploy freeze")
	undo := s.get(t, adaTimeline).Find(".event .do form").First()
	if got, want := undo.AttrOr("action", ""), "/undo/review-"+strings.TrimPrefix(item, "/review/"); got != want {
		t.Fatalf("the timeline posts to %s, want %s", got, want)
	}
	fields := url.Values{"back": {adaTimeline}}
	s.post(t, undo.AttrOr("action", ""), fields).expect(http.StatusOK, "Undone.")
	if s.Memory("ada", "Deploy freeze").State != memories.Active {
		t.Error("the memory is not restored")
	}
	s.get(t, item).expect(http.StatusOK, "Date passed: 3 Mar 2025")
	s.post(t, undo.AttrOr("action", ""), fields).expect(http.StatusOK, "Already undone")
}

func TestUndo_ByKeyInBrowser(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(3))
		before := s.Read("ada/CLAUDE.md")
		p := open(t, browser, s, adaList+"?sort=name", person{})
		p.live()
		bulk := func(path, says string) {
			p.do(chromedp.Click(chromedp.CSS("#pick-all-all")))
			p.shows("3 selected")
			p.do(chromedp.Click(chromedp.CSS("#selection-more summary")), chromedp.Click(chromedp.CSS(`#selection [formaction$="`+path+`"]`)))
			p.shows(says)
			p.until(`document.querySelector("#selection[data-some]") === null`)
		}
		bulk("/type-user", "3 memories set to User")
		bulk("/team", "3 memories moved to team")
		p.follow(chromedp.Reload())
		p.live()
		p.until(`document.querySelector("#notices .toast") === null`)
		p.press("u")
		p.shows("Undone: 3 memories")
		if slices.ContainsFunc([]string{"Fact 01", "Fact 02", "Fact 03"}, func(name string) bool { return s.Memory("ada", name).Team }) {
			t.Error("a memory is still in team memory")
		}
		p.press("u")
		p.until(`sessionStorage.getItem("memoir-undo") === "[]"`)
		p.until(`document.querySelector("#group-project, [data-row][data-type=project]") !== null`)
		if got := s.Read("ada/CLAUDE.md"); got != before {
			t.Errorf("CLAUDE.md is not as before:\n%s", got)
		}

		// Changes that the journal does not have are undone by their own forms.
		p.goTo(adaSettings)
		p.do(chromedp.Click(chromedp.CSS(`form[action$="/memory/off"] button`)))
		p.shows("Memory off.")
		p.do(chromedp.Click(chromedp.CSS("#target-gemini form button")))
		p.shows("Published")
		p.goTo("/timeline")
		p.press("u")
		p.shows("Undone.")
		p.until(`JSON.parse(sessionStorage.getItem("memoir-undo")).length === 1`)
		p.goTo("/timeline")
		p.press("u")
		p.until(`sessionStorage.getItem("memoir-undo") === "[]"`)
		p.shows("Undone.")
		s.get(t, adaSettings).expect(http.StatusOK, "Turn off")
		if s.Read("ada/GEMINI.md") != "" {
			t.Error("GEMINI.md is still there")
		}
	})(t, startBrowser(t))
}

func TestReveal_InTimeline(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/db.md": memoirtest.Note("Database", memories.Reference, "db password: "+paneSecret)})
	page := pageOf(s.Memory("ada", "Database"))
	for range 2 {
		s.post(t, page+"/reveal", nil).expect(http.StatusOK, paneSecret)
	}
	for path, line := range map[string]string{adaTimeline: "Revealed Database: you", "/timeline?kind=revealed": "Revealed Database: ada you"} {
		timeline := s.get(t, path)
		timeline.happened(line)
		if strings.Contains(timeline.raw, paneSecret) || timeline.Find(".event .do form").Length() != 0 {
			t.Errorf("%s shows the secret or an undo", path)
		}
	}
	// It is no change: the last change can still be undone.
	s.undone(t, s.post(t, page+"/verify", nil))
}

func TestActors_AnotherBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	m := s.Memory("ada", "Tabs")
	for browser, who := range map[string]string{testBrowser: "you", strings.Repeat("B", 26): "another browser", "": "another browser"} {
		as := func(path string) *answer { return s.getAs(t, path, browser) }
		as(adaTimeline).happened("Deleted Tabs: " + who)
		for _, path := range []string{adaList + "?view=trash", pageOf(m)} {
			as(path).expect(http.StatusOK, "deleted by "+who)
		}
	}
	page, err := s.Store.Activity(t.Context(), records.ActivityList{MemoryID: m.ID, Limit: 1})
	if err != nil || page.Activity[0].Browser != testBrowser || page.Activity[0].Action == "" {
		t.Errorf("the journal says %+v, %v", page.Activity, err)
	}
}
