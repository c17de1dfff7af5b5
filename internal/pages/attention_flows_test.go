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

func mendInTheInbox(t *testing.T, browser context.Context) {
	const raw = "---\nname: Printer\n---\n\nIt jams.\n"
	s := serve(t, memoirtest.Files{"ada/memory/reference_printer.md": raw})
	p := open(t, browser, s, adaList, person{})
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/attention"]`)))
	p.live()
	p.mark()
	p.shows("The memory has no type")
	p.do(chromedp.Click(chromedp.CSS(".writes summary")))
	p.until(`document.querySelector(".writes").open && document.querySelector('.writes .line[data-kind="added"]').innerText.includes("type: reference")`)
	p.fits()
	p.do(click("It is reference Printer"))
	p.shows("Fixed Printer")
	p.shows("Nothing needs attention")
	p.fits()
	if !strings.Contains(s.Read("ada/memory/reference_printer.md"), "type: reference\n") || !strings.Contains(s.Read("ada/CLAUDE.md"), "### Printer") {
		t.Error("it is not mended on disk")
	}
	p.do(click("Undo the fix of Printer"))
	p.shows("Undone: Printer")
	p.shows("The memory has no type")
	if got := s.Read("ada/memory/reference_printer.md"); got != raw {
		t.Errorf("the file is %q", got)
	}
	// The open page shows new files, and removes memories that were fixed elsewhere.
	s.Write("ada/memory/loose.md", "A thought.\n")
	p.shows("loose")
	s.Write("ada/memory/loose.md", memoirtest.Note("Loose", memories.User, "A thought."))
	p.hides("The file has no frontmatter")
	p.isMarked()
}

func mendHostileFile(t *testing.T, browser context.Context) {
	name := "\u202e<script>alert(1)</script>" + strings.Repeat("long", 40)
	s := serve(t, memoirtest.Files{
		"ada/memory/<b>x.md": "---\nname: '" + name + "'\n---\n\n<script>alert(2)</script>\x00" + strings.Repeat("word", 5000) + "\n",
	})
	p := open(t, browser, s, adaAttention, person{})
	p.shows("The memory has no type")
	p.do(chromedp.Click(chromedp.CSS(".writes summary")))
	p.until(`document.querySelector(".writes").open`)
	p.fits()
}

func compareAndKeep(t *testing.T, browser context.Context) {
	s := disagreeing(t)
	p := open(t, browser, s, adaAttention, person{})
	p.follow(chromedp.Click(chromedp.CSS("#disagreements h3 a")))
	p.live()
	p.shows("U1MIRA in C1TEAM")
	p.until(`[...document.querySelectorAll(".version mark")].map(m => m.textContent).join() === "black,green"`)
	p.fits()
	p.do(click("Keep this one from U1MIRA in C1TEAM"))
	p.shows("Kept this text of Tea")
	p.shows("This is settled")
	p.fits()
	if got := s.Memory("ada", "Tea").Body; got != "Mira likes green tea." {
		t.Errorf("it says %q", got)
	}
}

func mergeByHand(t *testing.T, browser context.Context) {
	s := disagreeing(t)
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tea")), person{})
	p.follow(click("Compare the versions"))
	p.follow(click("Merge by hand with the one from U1MIRA in C1TEAM"))
	p.shows("What U1MIRA in C1TEAM says")
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " And green tea."))
	p.until(`document.querySelector("#preview").innerText.includes("And green tea.")`)
	p.follow(click("Save what I made of them"))
	p.shows("Saved Tea")
	p.hides("say 2 different things")
	if got := s.Memory("ada", "Tea").Body; !strings.Contains(got, "black") || !strings.Contains(got, "green") {
		t.Errorf("it says %q", got)
	}
}

func attentionWithoutScripts(t *testing.T, browser context.Context) {
	s := disagreeing(t)
	s.Write("ada/memory/printer.md", "---\nname: Printer\ndescription: it: jams\ntype: user\n---\n\nIt jams.\n")
	s.Scan("ada")
	p := open(t, browser, s, adaAttention, person{withoutScripts: true})
	p.follow(click("Write it as valid YAML Printer"))
	p.shows("Fixed Printer")
	if got := s.Read("ada/memory/printer.md"); !strings.Contains(got, "description: 'it: jams'\n") {
		t.Errorf("the file is %q", got)
	}
	p.follow(chromedp.Click(chromedp.CSS("#disagreements h3 a")))
	p.follow(click("Keep this one from U1MIRA in C1TEAM"))
	p.shows("This is settled")
}

func decideAboutTheMissing(t *testing.T, browser context.Context) {
	s := serve(t, manyMemories(12))
	s.loseAll(t)
	p := open(t, browser, s, ada+"/attention", person{})
	p.live()
	p.mark()
	p.do(click("Write it back Fact 03"))
	p.shows("Restored Fact 03")
	p.do(click("Write them back"))
	p.until(`!document.querySelector("#missing")`)
	p.fits()
	p.isMarked()
	for _, path := range []string{"ada/memory/n03.md", "ada/memory/n11.md", "ada/memory/untyped.md"} {
		if s.Read(path) == "" {
			t.Errorf("%s is not back", path)
		}
	}
}

func decideAboutWhatIsKeptOut(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	tabs, release := s.Read("ada/memory/tabs.md"), s.Read("ada/memory/release.md")
	for _, name := range []string{"Tabs", "Release"} {
		s.asScript(t, http.MethodDelete, "/agents/ada/memories/"+s.Memory("ada", name).ID)
	}
	p := open(t, browser, s, adaList, person{})
	p.live()
	s.Write("ada/memory/tabs.md", tabs)
	s.Write("ada/memory/release.md", release)
	p.shows("2 deleted memories have turned up on disk again")
	p.follow(click("Decide"))
	p.live()
	p.mark()
	p.do(click("Let it in Tabs"))
	p.shows("Allowed Tabs")
	p.do(click("Remove the file memory/release.md"), click("Yes, remove the file memory/release.md"))
	p.until(`!document.querySelector("#blocked")`)
	p.fits()
	p.isMarked()
	if s.Read("ada/memory/tabs.md") == "" || s.Read("ada/memory/release.md") != "" {
		t.Error("the files are not what was decided")
	}
}
