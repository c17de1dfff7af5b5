package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
)

// TestMishap_InBrowser has something go wrong, or happen elsewhere, while a page is open.
func TestMishap_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a sign-in ends during a save":     atDesk(saveSignedOut),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func saveSignedOut(t *testing.T, browser context.Context) {
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the token"})
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{allowed: []string{"401 (Unauthorized)"}})
	signsIn := func() {
		p.at("/sign-in")
		p.do(chromedp.SendKeys(chromedp.CSS("#token"), "the token"))
		p.follow(click("Sign in"))
		p.opens("Tabs")
		p.live()
	}
	signsIn()
	p.press("e")
	p.until(`document.activeElement.id === "body"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Always."))
	evaluate[bool](p, `fetch("/sign-out", { method: "POST" }).then(() => true)`)
	p.save()
	signsIn()
	p.press("e")
	p.shows("Unsaved draft,")
	p.do(click("Restore"))
	p.until(`document.getElementById("body").value.includes("Always.")`)
}
