package pages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"memoir/internal/waittest"
)

// browser is the Chromium of all tests, without a window. `go test -parallel` limits the number of
// tabs in use, by default to the number of cores, so that each step gets enough time.
var browser context.Context

// withBrowser runs the tests and then closes the browser, if a test has started it.
func withBrowser(run func() int) int {
	profile, err := os.MkdirTemp("", "memoir-browser-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(profile) }()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(filepath.Join(profile, "profile")),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.DisableGPU,
		// A spare process would be started for each page; a window keeps its process.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
		chromedp.WSURLReadTimeout(waittest.Patience()))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var end context.CancelFunc
	browser, end = chromedp.NewContext(allocator)
	defer func() {
		// Cancel would wait forever for a browser that never started. Its error does not matter.
		if chromedp.FromContext(browser).Browser != nil {
			_ = chromedp.Cancel(browser)
		}
		end()
	}()
	return run()
}

var launch = sync.OnceValue(func() error { return chromedp.Do(browser, chromedp.Navigate("about:blank")) })

// startBrowser returns the browser of all tests, and starts it first if necessary.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if err := launch(); err != nil {
		t.Fatalf("Chromium does not start (apt install chromium): %v", err)
	}
	return browser
}

// tab is one user's browser: a separate window with its own cookies.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string
	left    int // number of documents left

	mu      sync.Mutex
	console []string
}

// person describes a user: with or without scripts. allowed are parts of console messages that are
// no failures.
type person struct {
	withoutScripts bool
	allowed        []string
}

// open opens a page of the site. The test fails at a console message that is not allowed, such as a
// script error or a policy violation.
func open(t *testing.T, browser context.Context, s *site, path string, as person) *tab {
	t.Helper()
	ctx, leave := context.WithCancel(openWindow(t, browser, s.address))
	p := &tab{t: t, ctx: ctx, address: s.address}
	listening := p.listen(ctx)
	t.Cleanup(func() {
		leave()
		<-listening
		for _, message := range p.console {
			if !slices.ContainsFunc(as.allowed, func(part string) bool { return strings.Contains(message, part) }) {
				t.Errorf("the console says: %s", message)
			}
		}
	})
	if as.withoutScripts {
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	if screen, ok := browser.Value(screenKey{}).(screen); ok {
		p.sits(screen)
	}
	p.follow(chromedp.Navigate(s.address + path))
	return p
}

// listen collects console messages until the tab is closed.
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

// step returns a context with the timeout of one step. A tab as a whole has no timeout.
func (p *tab) step() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, waittest.Patience())
}

// follow runs a step that opens another document, and waits for it. It checks the document itself,
// because navigation events can be late and scripts cause equal ones.
func (p *tab) follow(step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.left++
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.left = %d`, p.left)), step)
	p.until(fmt.Sprintf(`document.readyState === "complete" && document.left !== %d`, p.left))
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, step := range steps {
		err := p.try(step)
		for attempt := 0; attempt < 5 && err != nil && isReplaced(err); attempt++ {
			err = p.try(step)
		}
		if err != nil {
			p.t.Fatalf("%v\n%s", err, p.says())
		}
	}
}

// isReplaced reports whether err means that a live page replaced the element to be clicked, before
// the click or before its place was known.
func isReplaced(err error) bool {
	return strings.Contains(err.Error(), "Could not find node with given id") || strings.Contains(err.Error(), "invalid dimensions")
}

func (p *tab) try(step chromedp.Action[chromedp.Void]) error {
	ctx, cancel := p.step()
	defer cancel()
	return chromedp.Do(ctx, step)
}

// call sends the browser a command for the tab.
func call[P, R any](p *tab, command cdp.Command[P, R], with P) {
	p.t.Helper()
	ctx, cancel := p.step()
	defer cancel()
	if _, err := chromedp.Call(ctx, command, with); err != nil {
		p.t.Fatal(err)
	}
}

// evaluate returns the value of a JavaScript expression.
func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := p.step()
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// button finds the only visible button, summary or link with that text. It prefers the open
// memory's, because the row in the list has an equal one.
func button(text string) chromedp.Search {
	has := `*[self::button or self::summary or self::a][normalize-space(.)="` + text + `"]`
	open := `//*[@id="pane"]//` + has
	return chromedp.Search(open + `|//main//` + has + `[not(` + open + `)]|//*[@id="notices"]//button[normalize-space(.)="` + text + `"]`)
}

func click(text string) chromedp.Action[chromedp.Void] { return chromedp.Click(button(text)) }

// saveForm clicks the button that saves the open form. Its text has the key of the platform.
var saveForm = chromedp.Click(chromedp.CSS("[data-save]"))

// says returns the visible text of the page.
func (p *tab) says() string {
	ctx, cancel := p.step()
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// until waits until a JavaScript expression is true.
func (p *tab) until(expression string) {
	p.t.Helper()
	ctx, cancel := p.step()
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, longestPause) {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if holds {
			return
		}
		if ctx.Err() != nil {
			p.t.Fatalf("waited in vain until %s: %v\n%s", expression, err, p.says())
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// longestPause is the maximum pause between two checks of a page. Each check costs time of three
// processes, which slows the page down on two cores.
const longestPause = 80 * time.Millisecond

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

// live waits until the page has opened its event stream and loaded earlier changes.
func (p *tab) live() {
	p.t.Helper()
	p.until(`performance.getEntriesByType("resource").some(e => e.initiatorType === "fetch" && e.responseEnd > 0)`)
}

// mark marks the document, to detect a new one.
func (p *tab) mark() { p.do(chromedp.Evaluate[chromedp.Void](`document.body.dataset.mark = "here"`)) }

func (p *tab) isMarked() {
	p.t.Helper()
	if !p.holds(`document.body.dataset.mark === "here"`) {
		p.t.Error("the page was loaded anew")
	}
}

// at waits until the tab shows a path.
func (p *tab) at(path string) {
	p.t.Helper()
	p.until(`location.pathname === ` + quoted(path))
}
