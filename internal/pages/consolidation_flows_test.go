package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const consolidationTab = ada + "/consolidation"

// TestConsolidation_InBrowser requests a plan, applies a part and undoes it.
func TestConsolidation_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a plan is made, applied in part, and undone from the activity": everywhere(consolidate),
		"plans work without JavaScript":                                 atDesk(consolidateWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// twins returns two equal memories and an outdated index.
func twins() memoirtest.Files {
	const same = "Releases are cut on the first working day of the month, from the branch that was frozen before."
	return memoirtest.Files{
		"ada/memory/MEMORY.md": "- [Gone](gone.md)\n- [Alpha](alpha.md)\n",
		"ada/memory/alpha.md":  memoirtest.Note("Alpha", memories.Project, same),
		"ada/memory/beta.md":   memoirtest.Note("Beta", memories.Project, same),
	}
}

func consolidate(t *testing.T, browser context.Context) {
	s := serve(t, twins())
	p := open(t, browser, s, adaList, person{})
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/consolidation"]`)))
	p.live()
	p.shows("Never consolidated.")
	p.mark()
	p.do(click("Make a plan"))
	p.shows("Nothing has been changed yet.")
	p.until(`document.querySelectorAll("#steps .step").length === 2`)
	p.do(chromedp.Click(chromedp.CSS(`#steps .step:first-child summary`)))
	p.until(`document.querySelector("#steps .step details").open && document.querySelector("#steps .diff") !== null`)
	p.do(chromedp.Click(chromedp.CSS(`#steps .step:last-child input[type=checkbox]`)))
	p.do(chromedp.Click(chromedp.CSS(`#steps button.primary`))) // no notice covers it, also on a phone
	p.shows("The selected steps are applied.")
	p.until(`document.querySelectorAll("#steps .step").length === 1`)
	if s.Read("ada/memory/alpha.md") != "" && s.Read("ada/memory/beta.md") != "" || !strings.Contains(s.Read("ada/memory/MEMORY.md"), "gone.md") {
		t.Errorf("what was ticked is not applied, or what was not is: %q", s.Read("ada/memory/MEMORY.md"))
	}
	p.isMarked()
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/activity"]`)))
	p.live()
	p.do(chromedp.Click(chromedp.CSS(`#consolidated > summary`)))
	p.do(chromedp.Click(chromedp.CSS(`#consolidated form button`)))
	p.shows("The step is undone")
	if s.Read("ada/memory/alpha.md") == "" || s.Read("ada/memory/beta.md") == "" {
		t.Error("what was deleted is not back")
	}
	p.at(ada + "/activity")
}

func consolidateWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, twins())
	p := open(t, browser, s, consolidationTab, person{withoutScripts: true})
	p.follow(click("Make a plan"))
	p.shows("Nothing has been changed yet.")
	p.follow(click("Apply selected"))
	p.shows("The selected steps are applied.")
	if index := s.Read("ada/memory/MEMORY.md"); strings.Contains(index, "gone.md") {
		t.Errorf("the index says %q", index)
	}
	p.follow(chromedp.Click(chromedp.CSS(`#plan-title ~ ul .step form button`)))
	p.shows("The step is undone")
	p.follow(click("Discard the plan"))
	p.shows("The plan is discarded.")
	p.shows("No plan yet")
}
