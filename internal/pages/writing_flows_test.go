package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func writeNew(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{})
	p.follow(click("New memory"))
	p.mark()
	p.do(
		chromedp.SendKeys(chromedp.CSS("#name"), "Kettle"),
		chromedp.Click(chromedp.CSS(`label[for="type-user"]`)),
		chromedp.SendKeys(chromedp.CSS("#description"), "Who drinks what"),
		chromedp.SendKeys(chromedp.CSS("#body"), "Mira likes **tea**."),
	)
	p.until(`document.querySelector("#preview strong")?.textContent === "tea"`)
	p.until(`document.activeElement.id === "body" && document.querySelector("#body").value === "Mira likes **tea**."`)
	p.until(`document.querySelector("#type-user").checked`)
	p.fits()
	p.isMarked()
	if s.Read("ada/memory/user_kettle.md") != "" {
		t.Error("the preview has saved it")
	}
	p.follow(click("Save"))
	p.shows("Saved Kettle")
	p.until(`document.querySelector(".prose strong").textContent === "tea"`)
}

func writeMeanwhile(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m), person{allowed: []string{"412 (Precondition Failed)"}})
	p.follow(click("Edit"))
	p.at(pageOf(m) + "/edit")
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Three of them."))
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	p.until(`document.querySelector("#preview").innerText.includes("Three of them.")`)
	p.until(`document.querySelector("#body").value.includes("Three of them.")`)
	p.follow(click("Save"))
	p.shows("It changed while you were editing")
	p.shows("Use spaces.")
	p.fits()
	p.do(click("Go on editing"))
	p.until(`document.activeElement.id === "body"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Or four."))
	p.until(`document.querySelector("#preview").innerText.includes("Or four.")`)
	p.follow(click("Save mine over it"))
	p.shows("Saved Tabs")
	if got := s.Read("ada/memory/tabs.md"); !strings.Contains(got, "Three of them.") || strings.Contains(got, "spaces") {
		t.Errorf("the file says %q", got)
	}
}

func writeWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{withoutScripts: true, allowed: []string{"422 (Unprocessable Entity)"}})
	p.follow(click("New memory"))
	p.do(chromedp.SendKeys(chromedp.CSS("#name"), "Kettle"), chromedp.SendKeys(chromedp.CSS("#body"), "Mira likes **tea**."))
	p.follow(click("Preview"))
	p.until(`document.querySelector("#preview strong")?.textContent === "tea"`)
	p.follow(click("Save"))
	p.shows("The type must be one of")
	p.do(chromedp.Click(chromedp.CSS(`label[for="type-user"]`)))
	p.follow(click("Save"))
	p.shows("Saved Kettle")
	p.follow(click("Edit"))
	p.do(chromedp.SendKeys(chromedp.CSS("#description"), "Who drinks what"))
	p.follow(click("Save"))
	p.shows("Who drinks what")
}
