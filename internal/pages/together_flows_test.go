package pages_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestChanges_ByOthersInBrowser changes the same memories by several users and agents at the same
// time.
func TestChanges_ByOthersInBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"two people edit one memory and the second sees both":       onPhone(twoEdit),
		"an edit keeps the keys that Memoir does not know":          atDesk(keepUnknownKeys),
		"an open memory that somebody else deletes says so":         everywhere(deletedWhileOpen),
		"an open memory that is deleted for good is told of":        atDesk(purgedWhileOpen),
		"of many, what changed meanwhile is left and said which":    everywhere(leaveWhatChanged),
		"a deletion of one that somebody else did is no failure":    atDesk(deletedTwice),
		"an edit of what somebody else deleted can bring it back":   onPhone(editWhatWasDeleted),
		"a rename by somebody else takes the open memory with it":   atDesk(renamedWhileOpen),
		"a memory that its agent rewrites is read in its new words": onPhone(rewrittenWhileOpen),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func twoEdit(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	page := pageOf(s.Memory("ada", "Tabs")) + "/edit"
	first := open(t, browser, s, page, person{})
	second := open(t, browser, s, page, person{allowed: []string{"412 (Precondition Failed)"}})
	second.do(chromedp.SendKeys(chromedp.CSS("#body"), " Says the second."))
	first.do(chromedp.SendKeys(chromedp.CSS("#body"), " Says the first."))
	first.do(saveForm)
	first.shows("Saved Tabs")
	second.do(saveForm)
	second.shows("Memory has changed")
	second.shows("Says the first.")
	second.until(`document.querySelector("#body").value.includes("Says the second.")`)
	second.fits()
	if got := s.Memory("ada", "Tabs").Body; !strings.Contains(got, "Says the first.") || strings.Contains(got, "Says the second.") {
		t.Errorf("before the choice it says %q", got)
	}
	second.until(`document.querySelector("[data-save]").textContent.startsWith("Overwrite")`)
	second.do(saveForm)
	second.shows("Saved Tabs")
	// The content of the first user is in the history.
	second.do(click("History 3"))
	second.shows("Says the first.")
}

func keepUnknownKeys(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": "---\nname: Tabs\nx-team: [blue, green]\ntype: feedback\nmetadata:\n  source: wiki # by hand\n---\n\nUse tabs.\n"})
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.do(click("Edit E"))
	p.until(`document.activeElement.id === "body"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Always."), chromedp.SendKeys(chromedp.CSS("#description"), "How to indent"))
	p.do(saveForm)
	p.shows("Saved Tabs")
	got := s.Read("ada/memory/tabs.md")
	for _, kept := range []string{"x-team: [blue, green]\n", "metadata:\n  source: wiki # by hand\n", "description: How to indent\n", "Always."} {
		if !strings.Contains(got, kept) {
			t.Errorf("the file lacks %q:\n%s", kept, got)
		}
	}
	if strings.Index(got, "x-team") > strings.Index(got, "metadata") {
		t.Errorf("the keys have changed places:\n%s", got)
	}
}

func deletedWhileOpen(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m), person{})
	p.live()
	p.mark()
	other := open(t, browser, s, pageOf(m), person{})
	other.live()
	other.do(click("Delete Tabs"))
	other.shows("Deleted Tabs")
	p.until(`document.querySelector("#pane .badge[data-tone=danger]")?.textContent === "deleted by another browser"`)
	p.shows("Use tabs.")
	p.do(chromedp.Click(chromedp.CSS(`#pane [data-action="restore"]`)))
	p.shows("Restored Tabs")
	p.fits()
	p.isMarked()
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("it is not back on disk")
	}
}

func purgedWhileOpen(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m), person{allowed: []string{"404 (Not Found)"}})
	p.live()
	s.asScript(t, http.MethodDelete, "/agents/ada/memories/"+m.ID+"?purge=true")
	p.shows("Page not found")
	p.hides("Use tabs.")
	p.fits()
}

func leaveWhatChanged(t *testing.T, browser context.Context) {
	s := serve(t, facts(21))
	p := open(t, browser, s, adaList+"?sort=name", person{allowed: []string{"409 (Conflict)"}})
	p.live()
	p.do(chromedp.Click(chromedp.CSS("#pick-all-all")))
	p.shows("21 selected")
	// The row of a text that has changed since, before the page has refreshed.
	m := s.Memory("ada", "Fact 02")
	p.until(`(document.querySelector("#memory-` + m.ID + ` [data-pick]").value = "` + m.ID + ` old") !== ""`)
	p.do(chromedp.Click(chromedp.CSS(`#selection [data-action="delete"]`)))
	p.shows("1 of 21 not deleted")
	p.shows("The others are done.")
	p.shows("1 selected")
	p.fits()
	if s.Read("ada/memory/fact_02.md") == "" || s.Read("ada/memory/fact_01.md") != "" || s.Read("ada/memory/fact_03.md") != "" {
		t.Error("the files are not what the page says")
	}
	p.do(chromedp.Click(chromedp.Search(`//*[@id="notices"]//button[contains(., "Undo")]`)))
	p.shows("20 memories restored")
	if s.Read("ada/memory/fact_01.md") == "" {
		t.Error("the undo did not bring back what was deleted")
	}
}

func deletedTwice(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{withoutScripts: true})
	s.asScript(t, http.MethodDelete, "/agents/ada/memories/"+s.Memory("ada", "Tabs").ID)
	p.follow(click("Delete Tabs"))
	p.shows("Deleted Tabs")
	p.follow(click("Undo the deletion of Tabs"))
	p.shows("Restored Tabs")
}

func editWhatWasDeleted(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m)+"/edit", person{allowed: []string{"412 (Precondition Failed)"}})
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Still."))
	s.asScript(t, http.MethodDelete, "/agents/ada/memories/"+m.ID)
	p.do(saveForm)
	p.shows("deleted")
	p.until(`document.querySelector("#body").value.includes("Still.")`)
	if s.Read("ada/memory/tabs.md") != "" {
		t.Error("it is back before anybody chose so")
	}
	p.fits()
}

func renamedWhileOpen(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m), person{})
	p.live()
	other := open(t, browser, s, pageOf(m)+"/edit", person{})
	other.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("name").select()`), chromedp.SendKeys(chromedp.CSS("#name"), "Indenting"))
	other.do(saveForm)
	other.shows("Saved Indenting")
	p.until(`document.querySelector("#pane")?.textContent.includes("Indenting")`)
	if now := s.Memory("ada", "Indenting"); now.ID != m.ID || now.Body != m.Body {
		t.Errorf("the renamed memory is %+v", now)
	}
}

func rewrittenWhileOpen(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.live()
	p.mark()
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "See [[Release]] and `tabs`."))
	p.until(`document.querySelector("#pane .prose code")?.textContent === "tabs"`)
	p.until(`document.querySelector("#pane .prose a")?.textContent === "Release"`)
	p.isMarked()
}
