package pages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// laptop is the smallest screen on which the list must show 12 memories.
var laptop = screen{"laptop, light", "light", 1440, 900}

// places returns n memories of one type, the first of them the newest.
func places(n int) memoirtest.Files {
	files := memoirtest.Files{}
	now := time.Now().Add(-48 * time.Hour)
	for i := range n {
		modified := now.Add(-time.Duration(i) * time.Minute).UTC().Format(time.RFC3339)
		note := memoirtest.Note(fmt.Sprintf("Place %03d", i), memories.Reference, "There.")
		files[fmt.Sprintf("ada/memory/p%03d.md", i)] = strings.Replace(note, "---\n\n", "metadata:\n  modified: "+modified+"\n---\n\n", 1)
	}
	return files
}

// middle is a script that tells whether the row of the open memory is in the middle third of the list.
const middle = `(() => {
	const row = document.querySelector("#list [aria-current]")?.closest(".row")?.getBoundingClientRect();
	const list = document.getElementById("list").getBoundingClientRect();
	return row && row.top >= list.top + list.height / 3 - row.height && row.bottom <= list.top + list.height * 2 / 3 + row.height;
})()`

func TestFaultA2_RowInSight(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, places(474))
		p := open(t, browser, s, pageOf(s.Memory("ada", "Place 300")), person{})
		p.until(middle)
		p.live()
		s.Write("ada/memory/new.md", memoirtest.Note("Newest", memories.Reference, "Here."))
		s.Scan("ada")
		p.until(`document.querySelector(".views").textContent.includes("475")`)
		p.until(middle)
		p.until(`document.querySelectorAll("#list [data-row]").length >= 24`)
	})(t, startBrowser(t))
}

func TestFaultA4_SelectAll(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, places(130))
		p := open(t, browser, s, adaList+"?type=reference", person{})
		p.live()
		p.do(chromedp.Click(chromedp.CSS("#pick-all-all")))
		p.shows("100 selected")
		p.shows("Select all 130 in Reference")
		p.do(chromedp.Click(chromedp.CSS("#pick-whole")))
		p.shows("130 selected")
		p.do(chromedp.Click(chromedp.CSS(`#selection [data-action="delete"]`)))
		p.shows("Deleted 130 memories")
		if s.Read("ada/memory/p129.md") != "" {
			t.Error("the last one is still on disk")
		}
		p.do(chromedp.Click(chromedp.CSS(`#notices [data-action="undo"]`)))
		p.shows("130 memories restored")
		if s.Read("ada/memory/p000.md") == "" || s.Read("ada/memory/p129.md") == "" {
			t.Error("the undo did not bring all back")
		}
	})(t, startBrowser(t))
}

func TestFaultA4_ListChanged(t *testing.T) {
	t.Parallel()
	s := serve(t, places(130))
	page := s.get(t, adaList+"?type=reference")
	all, back := page.Find("#pick-whole").AttrOr("value", ""), page.Find("#selection input[name=back]").AttrOr("value", "")
	s.Write("ada/memory/new.md", memoirtest.Note("Newest", memories.Reference, "Here."))
	s.Scan("ada")
	form := map[string][]string{"all": {all}, "back": {back}, "confirmed": {"true"}}
	page = s.post(t, adaList+"/batch/delete", form)
	page.expect(409, "List has changed", "130 memories selected, 131 now", "Newest")
	if s.Read("ada/memory/p000.md") == "" {
		t.Error("something was deleted")
	}
	s.submit(t, page, "Delete 131 memories").expect(200, "Deleted 131 memories")
}

func TestFaultB17_TwelveRows(t *testing.T) {
	t.Parallel()
	before(func(t *testing.T, browser context.Context) {
		s := serve(t, places(30))
		p := open(t, browser, s, adaList, person{})
		p.until(`document.fonts.status === "loaded"`)
		whole := `[...document.querySelectorAll("#list [data-row]")].filter(row => {
			const box = row.getBoundingClientRect(), list = document.getElementById("list").getBoundingClientRect();
			return box.top >= list.top && box.bottom <= Math.min(list.bottom, innerHeight);
		}).length`
		if got := evaluate[int](p, whole); got < 12 {
			t.Errorf("%d whole rows, want 12", got)
		}
	}, laptop)(t, startBrowser(t))
}

func TestFaultB18_MemoryIsOpen(t *testing.T) {
	t.Parallel()
	everywhere(func(t *testing.T, browser context.Context) {
		s := serve(t, places(3))
		p := open(t, browser, s, adaList, person{})
		if p.holds(`innerWidth < 768`) {
			p.until(`document.getElementById("list").checkVisibility() && !document.querySelector("article.memory").checkVisibility()`)
			if top := evaluate[float64](p, `document.querySelector("#list [data-row]").getBoundingClientRect().top`); top > 180 {
				t.Errorf("the first row is at %v", top)
			}
			return
		}
		p.until(`document.querySelector("article.memory h2")?.textContent.trim() === "Place 000"`)
		p.at(pageOf(s.Memory("ada", "Place 000")))
	})(t, startBrowser(t))
}

func TestFaultC27_TypeOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	page := s.get(t, adaList)
	page.Find("#list .row").Each(func(_ int, row *selection) {
		if text := strings.ToLower(words(row)); strings.Contains(text, "feedback") || strings.Contains(text, "project") || row.Find(".icon").Length() != 1 {
			t.Errorf("a row says %q", text)
		}
	})
}

func TestList_NewRowsWait(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, places(40))
		p := open(t, browser, s, adaList+"?type=reference", person{})
		p.live()
		p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("list").scrollTop = 900`))
		top := evaluate[float64](p, `document.querySelectorAll("#list [data-row]")[20].getBoundingClientRect().top`)
		s.Write("ada/memory/a.md", memoirtest.Note("New A", memories.Reference, "Here."))
		s.Write("ada/memory/b.md", memoirtest.Note("New B", memories.Reference, "Here."))
		s.Scan("ada")
		p.shows("2 new · Show")
		if got := evaluate[float64](p, `document.querySelectorAll("#list [data-row]")[20].getBoundingClientRect().top`); got != top {
			t.Errorf("the row moved from %v to %v", top, got)
		}
		p.do(chromedp.Click(chromedp.CSS("#held")))
		p.until(`document.querySelectorAll("#list [data-row]").length === 42`)
		p.hides("2 new · Show")
	})(t, startBrowser(t))
}

// TestList_Budget checks the size of the document of a large agent.
func TestList_Budget(t *testing.T) {
	t.Parallel()
	files := places(400)
	for i, kind := range memories.Types() {
		for n := range 60 {
			name := fmt.Sprintf("%s %d with a name of the usual length", kind, n)
			files[fmt.Sprintf("ada/memory/t%d_%d.md", i, n)] = memoirtest.Note(name, kind, strings.Repeat("A usual text. ", 20))
		}
	}
	s := serve(t, files)
	for _, path := range []string{adaList, adaList + "?type=reference", adaList + "?sort=name"} {
		if size := len(s.get(t, path).raw); size > 150_000 {
			t.Errorf("%s has %d bytes", path, size)
		}
	}
}
