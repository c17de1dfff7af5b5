package templates_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"memoir/web/templates/address"
)

func TestPages_FitScreenAndPolicy(t *testing.T) {
	// Screenshots of all pages are written to the directory of `go test -artifacts`.
	t.Parallel()
	pages := http.NewServeMux()
	all := everyPage(t)
	for name, component := range all {
		pages.Handle("/"+name, templ.Handler(component))
	}
	pages.HandleFunc(address.EventsPath, silence)
	pages.HandleFunc("/agents/{slug}/events", silence)
	site := guarded(t, pages)

	for _, look := range []struct {
		name, scheme  string
		width, height int64
	}{
		{"desk-light", "light", 1280, 800},
		{"phone-dark", "dark", 390, 844},
	} {
		t.Run(look.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, "about:blank")
			p.do(chromedp.EmulateViewport(look.width, look.height))
			ctx, cancel := p.step()
			defer cancel()
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: look.scheme},
					{Name: "prefers-reduced-motion", Value: "reduce"},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			for name := range all {
				p.visit(site + "/" + name)
				if cut := evaluate[[]string](p, findCut); len(cut) > 0 {
					t.Errorf("%s is wider than the screen: %s", name, strings.Join(cut, "; "))
				}
				if flag.Lookup("test.artifacts").Value.String() == "true" {
					p.picture(filepath.Join(t.ArtifactDir(), look.name+" "+name+".png"))
				}
			}
		})
	}
}

func (p *page) picture(file string) {
	p.t.Helper()
	// The screenshot includes confirmation steps.
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d, i) => { d.open = i % 2 === 0; })`))
	ctx, cancel := p.step()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, picture, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// findCut is a script that returns the elements outside the window that cannot be scrolled into
// view.
const findCut = `[...document.body.querySelectorAll("*")].filter(e => {
	if (e.closest(".unseen, .skip, .sprite")) return false;
	for (let p = e.parentElement; p; p = p.parentElement)
		if (["auto", "scroll"].includes(getComputedStyle(p).overflowX)) return false;
	return e.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
}).map(e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40))`

// silence is an event stream without events.
func silence(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}
