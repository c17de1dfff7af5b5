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

// desk and phone differ in all that screens differ in.
var (
	desk  = screen{"desk, light", "light", 1280, 800}
	phone = screen{"phone, dark", "dark", 390, 844}
)

// sits puts somebody before a screen.
func (p *tab) sits(before screen) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(before.width, before.height))
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: before.scheme}},
	})
}

type screenKey struct{}

// flow is what somebody does in a browser, before the screens that its maker chose.
//
// It goes everywhere where a page, on the way, is built otherwise on a phone: a memory takes the list's place, versions stand below
// each other, a bar or a notice lies over the page, the header has a link instead of a field, something else scrolls. Any other
// flow goes before one of the two, and on a phone where it asks whether the page fits; how each page looks, TestLooks holds to every screen.
type flow func(*testing.T, context.Context)

// everywhere is a flow that is gone through twice: whoever opens a page in it sits at a desk in the light, then holds a
// phone in the dark.
func everywhere(steps func(*testing.T, context.Context)) flow {
	return before(steps, desk, phone)
}

func atDesk(steps func(*testing.T, context.Context)) flow  { return before(steps, desk) }
func onPhone(steps func(*testing.T, context.Context)) flow { return before(steps, phone) }

func before(steps func(*testing.T, context.Context), chosen ...screen) flow {
	return func(t *testing.T, browser context.Context) {
		t.Helper()
		for _, screen := range chosen {
			t.Run(screen.name, func(t *testing.T) {
				t.Parallel()
				steps(t, context.WithValue(browser, screenKey{}, screen))
			})
		}
	}
}

// fits fails when the page is wider than its window.
func (p *tab) fits() {
	p.t.Helper()
	p.until(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
}
