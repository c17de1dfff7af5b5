package pages_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
)

// startBrowser runs a Chromium without a window until the test and its subtests end.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	profile, err := os.MkdirTemp("", "memoir-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(filepath.Join(profile, "profile")),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(browser) // what a browser says as it ends is of no interest
		end()
		stop()
	})
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("Chromium does not start (apt install chromium): %v", err)
	}
	return browser
}

// tab is one person's browser: a context of its own, without the cookies of the others.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string

	mu      sync.Mutex
	console []string
}

// person is how somebody uses the site: with scripts, or without; allowed are parts of what the console may say.
type person struct {
	withoutScripts bool
	allowed        []string
}

// open opens a page of the site. The test fails when the console says anything from then on that is not allowed:
// errors of scripts and violations of the content security policy are among what it says.
func open(t *testing.T, browser context.Context, s *site, path string, as person) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	limited, cancel := context.WithTimeout(ctx, 2*memoirtest.Patience)
	p := &tab{t: t, ctx: limited, address: s.address}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	listening := p.listen(ctx)
	t.Cleanup(func() {
		cancel()
		closeTab()
		<-listening
		for _, message := range p.console {
			if !slices.ContainsFunc(as.allowed, func(part string) bool { return strings.Contains(message, part) }) {
				t.Errorf("the console says: %s", message)
			}
		}
	})
	if as.withoutScripts {
		if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			t.Fatal(err)
		}
	}
	if screen, ok := browser.Value(screenKey{}).(screen); ok {
		p.sits(screen)
	}
	p.follow(chromedp.Navigate(s.address + path))
	return p
}

// listen keeps what the console says, from now on until the tab is closed.
func (p *tab) listen(ctx context.Context) (done chan struct{}) {
	messages := chromedp.Console(ctx)
	done = make(chan struct{})
	go func() {
		defer close(done)
		for message, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.console = append(p.console, message.String())
			p.mu.Unlock()
		}
	}()
	return done
}

// follow does what leads to another document, and waits for it.
func (p *tab) follow(step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if _, err := chromedp.RunResponse(p.ctx, step); err != nil {
		p.t.Fatalf("%v\n%s", err, p.says())
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("%v\n%s", err, p.says())
	}
}

// button finds the only visible button, or what looks like one, with that text: of the open memory, where it has one,
// because its row beside it has the same.
func button(text string) chromedp.Search {
	has := `*[self::button or self::summary or self::a][normalize-space(.)="` + text + `"]`
	open := `//*[@id="reading"]//` + has
	return chromedp.Search(open + `|//main//` + has + `[not(` + open + `)]|//*[@id="notices"]//button[normalize-space(.)="` + text + `"]`)
}

// click clicks what has that text.
func click(text string) chromedp.Action[chromedp.Void] { return chromedp.Click(button(text)) }

// says is the text that somebody sees.
func (p *tab) says() string {
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// until waits until a JavaScript expression holds.
func (p *tab) until(expression string) {
	p.t.Helper()
	for {
		holds, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
		if holds {
			return
		}
		if p.ctx.Err() != nil {
			p.t.Fatalf("waited in vain until %s: %v", expression, err)
		}
		select {
		case <-p.ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shows waits until the page shows a text.
func (p *tab) shows(text string) {
	p.t.Helper()
	p.until(`document.body?.innerText.replace(/\s+/g, " ").includes(` + quoted(text) + `)`)
}

// hides waits until the page does not show a text.
func (p *tab) hides(text string) {
	p.t.Helper()
	p.until(`!document.body?.innerText.replace(/\s+/g, " ").includes(` + quoted(text) + `)`)
}

// live waits until the page has opened its event stream, and has caught up with what happened before.
func (p *tab) live() {
	p.t.Helper()
	p.until(`performance.getEntriesByType("resource").some(e => e.initiatorType === "fetch" && e.responseEnd > 0)`)
}

// mark leaves a mark in the document, which a new document would not have.
func (p *tab) mark() { p.do(chromedp.Evaluate[chromedp.Void](`document.body.dataset.mark = "here"`)) }

func (p *tab) isMarked() {
	p.t.Helper()
	marked, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`document.body.dataset.mark === "here"`))
	if err != nil || !marked {
		p.t.Errorf("the page was loaded anew (%v)", err)
	}
}

// at waits until the tab is at a path.
func (p *tab) at(path string) {
	p.t.Helper()
	p.until(`location.pathname === ` + quoted(path))
}
