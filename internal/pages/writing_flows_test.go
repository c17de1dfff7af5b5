package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
)

func writeWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{withoutScripts: true, allowed: []string{"422 (Unprocessable Entity)"}})
	p.follow(chromedp.Click(chromedp.CSS("a[data-action=new]")))
	p.do(chromedp.SendKeys(chromedp.CSS("#name"), "Kettle"), chromedp.SendKeys(chromedp.CSS("#body"), "Mira likes **tea**."))
	p.follow(click("Preview"))
	p.until(`document.querySelector("#preview strong")?.textContent === "tea"`)
	p.follow(saveForm)
	p.shows("The type must be one of")
	p.do(chromedp.Click(chromedp.CSS(`label[for="type-user"]`)))
	p.follow(saveForm)
	p.shows("Saved Kettle")
	p.follow(click("Edit E"))
	p.do(chromedp.SendKeys(chromedp.CSS("#description"), "Who drinks what"))
	p.follow(saveForm)
	p.shows("Who drinks what")
}
