package pages_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memories"
)

// TestSharedPages_InBrowser uses the pages Access, All memories, and Export and import by keys alone,
// and without scripts.
func TestSharedPages_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"access by keys": atDesk(accessFlow(true)), "access without JavaScript": onPhone(accessFlow(false)),
		"all memories by keys": atDesk(allMemoriesByKeys), "all memories without JavaScript": onPhone(allMemoriesWithoutScripts),
		"import by keys": atDesk(importFlow(true)), "import without JavaScript": onPhone(importFlow(false)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// tabTo presses Tab until the element with the id, or the button with the text, has the focus.
func (p *tab) tabTo(idOrText string) {
	p.t.Helper()
	for range 80 {
		p.press(kb.Tab)
		if p.holds(`[document.activeElement.id, document.activeElement.textContent.replace(/\s+/g, " ").trim()].includes(` + quoted(idOrText) + `)`) {
			return
		}
	}
	p.t.Fatalf("Tab never reaches %q", idOrText)
}

// accessFlow makes a token and revokes it.
func accessFlow(keys bool) func(*testing.T, context.Context) {
	return func(t *testing.T, browser context.Context) {
		s := serve(t, twoMemories())
		p := open(t, browser, s, "/access", person{withoutScripts: !keys})
		if keys {
			p.tabTo("token-name")
			p.types("nightly report")
			p.tabTo("token-days")
			p.types("30")
			p.tabTo("Create")
			p.follow(stroke(kb.Enter))
		} else {
			p.do(chromedp.SendKeys(chromedp.CSS("#token-name"), "nightly report"), chromedp.SendKeys(chromedp.CSS("#token-days"), "30"))
			p.follow(click("Create"))
		}
		p.shows("Token of nightly report")
		p.shows("It is shown only once.")
		p.fits()
		revoke := click("Revoke nightly report")
		if keys {
			p.tabTo("Revoke nightly report")
			revoke = stroke(kb.Enter)
		}
		p.do(revoke)
		p.shows("Token revoked")
		p.shows("No tokens yet.")
		p.hides("It is shown only once.")
		p.fits()
	}
}

func allMemoriesByKeys(t *testing.T, browser context.Context) {
	s := serve(t, facts(4))
	p := open(t, browser, s, "/memories", person{})
	p.live()
	p.press("/")
	p.until(`document.activeElement.id === "q"`)
	p.types("03")
	p.until(`document.querySelectorAll(".hit").length === 1 && location.search === "?q=03"`)
	p.press(kb.Escape, kb.Escape, "j")
	p.until(`document.activeElement.closest(".hit") !== null`)
	p.follow(stroke(kb.Enter))
	p.at(pageOf(s.Memory("ada", "Fact 03")))
	p.fits()
}

func allMemoriesWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, "/memories", person{withoutScripts: true})
	p.fits()
	p.do(chromedp.SetValue(chromedp.CSS("#type"), string(memories.Feedback)))
	p.follow(click("Show"))
	p.until(`document.querySelectorAll(".hit").length === 1`)
	p.follow(chromedp.Click(chromedp.CSS(".hit a")))
	p.at(pageOf(s.Memory("ada", "Tabs")))
}

// importFlow imports a note into an agent, after a look at what that changes.
func importFlow(keys bool) func(*testing.T, context.Context) {
	return func(t *testing.T, browser context.Context) {
		s := serve(t, twoMemories())
		p := open(t, browser, s, "/exchange", person{withoutScripts: !keys})
		p.fits()
		note := filepath.Join(t.TempDir(), "deploys.md")
		if err := os.WriteFile(note, []byte("# Deploys\n\nRun make.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		p.do(chromedp.SetUploadFiles(chromedp.CSS("#import-file"), []string{note})) // the browser's own dialog
		preview, apply := click("Preview import"), click("Import")
		if keys {
			p.tabTo("import-into")
			p.press(kb.ArrowDown)
			p.until(`document.getElementById("import-into").value === "ada"`)
			p.tabTo("Preview import")
			preview, apply = stroke(kb.Enter), stroke(kb.Enter)
		} else {
			p.do(chromedp.SetValue(chromedp.CSS("#import-into"), "ada"))
		}
		p.follow(preview)
		p.shows("1 new")
		p.fits()
		if keys {
			p.tabTo("Import")
		}
		p.follow(apply)
		p.shows("Imported")
		p.fits()
		s.get(t, adaList+"?q=make").expect(http.StatusOK, "1 memory")
	}
}
