package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// screen is a screen size and the preferred colour scheme.
type screen struct {
	name, scheme  string
	width, height int64
}

// desk and phone differ in size and scheme. A tablet has a rail in place of the sidebar.
var (
	desk   = screen{"desk, light", "light", 1280, 800}
	tablet = screen{"tablet, light", "light", 1024, 768}
	phone  = screen{"phone, dark", "dark", 390, 844}
)

// sits sets the tab's screen.
func (p *tab) sits(before screen) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(before.width, before.height))
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: before.scheme}},
	})
}

type screenKey struct{}

// flow is a sequence of steps in a browser, on the screens that its author chose.
//
// Use everywhere if a page of the flow has another structure on a phone: a memory replaces the
// list, something covers the page, or the header has a link instead of a field. Otherwise use one
// screen; use the phone if the flow checks that the page fits. TestPages_Looks checks all screens.
type flow func(*testing.T, context.Context)

// everywhere runs a flow twice: on a desk in light colours and on a phone in dark ones.
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

// fits fails if the page is wider than its window.
func (p *tab) fits() {
	p.t.Helper()
	p.until(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
}
