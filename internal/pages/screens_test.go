package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// screen is what somebody reads on, and the scheme that they prefer.
type screen struct {
	name, scheme  string
	width, height int64
}

// screens are the sizes and schemes that people read in.
var screens = []screen{
	{"desk, light", "light", 1280, 800},
	{"desk, dark", "dark", 1280, 800},
	{"phone, light", "light", 390, 844},
	{"phone, dark", "dark", 390, 844},
}

// deskAndPhone are two screens that differ in all that screens differ in.
var deskAndPhone = []int{0, 3}

// sits puts somebody before a screen.
func (p *tab) sits(before screen) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(before.width, before.height))
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: before.scheme}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

type screenKey struct{}

// atDeskAndPhone runs a flow twice: whoever opens a page in it sits at a desk in the light, then holds a phone in the
// dark.
func atDeskAndPhone(t *testing.T, browser context.Context, flow func(*testing.T, context.Context)) {
	t.Helper()
	for _, i := range deskAndPhone {
		t.Run(screens[i].name, func(t *testing.T) {
			t.Parallel()
			flow(t, context.WithValue(browser, screenKey{}, screens[i]))
		})
	}
}

// fits fails when the page is wider than its window.
func (p *tab) fits() {
	p.t.Helper()
	p.until(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
}
