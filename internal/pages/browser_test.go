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

// browser is the one Chromium of the whole run, without a window. How many tabs are driven in it at once is what
// `go test -parallel` says, which is the number of cores: a step gets the time that it needs.
var browser context.Context

// withBrowser runs the tests and then ends the browser that the first of them started.
func withBrowser(run func() int) int {
	profile, err := os.MkdirTemp("", "memoir-browser-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(profile) }()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(filepath.Join(profile, "profile")),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.DisableGPU,
		// A process that waits for a page that may come is started for nothing: a window keeps the one that it has.
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
		// Waiting for the end of a browser that never began takes forever. What one says as it ends is of no interest.
		if chromedp.FromContext(browser).Browser != nil {
			_ = chromedp.Cancel(browser)
		}
		end()
	}()
	return run()
}

var launch = sync.OnceValue(func() error { return chromedp.Do(browser, chromedp.Navigate("about:blank")) })

// startBrowser returns the browser of all tests, which the first of them starts.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if err := launch(); err != nil {
		t.Fatalf("Chromium does not start (apt install chromium): %v", err)
	}
	return browser
}

// tab is one person's browser: a window of its own, without the cookies of the others.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string
	left    int // documents

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

// step gives one step the time that it may take. A tab as a whole may take any.
func (p *tab) step() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, waittest.Patience())
}

// follow does what leads to another document, and waits until that is there. It looks at the documents themselves:
// of the events that tell of a navigation, those of the last one may come late, and those of scripts look the same.
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
		for attempt := 0; attempt < 5 && err != nil && strings.Contains(err.Error(), replacedMeanwhile); attempt++ {
			err = p.try(step)
		}
		if err != nil {
			p.t.Fatalf("%v\n%s", err, p.says())
		}
	}
}

// replacedMeanwhile is what the browser says where a live page has put another element in the place of one that was found and was about
// to be clicked. A hand clicks on whatever is there.
const replacedMeanwhile = "Could not find node with given id"

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

// evaluate returns what a JavaScript expression says.
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
	ctx, cancel := p.step()
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// until waits until a JavaScript expression holds.
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

// longestPause is between two questions to a page that takes its time: each is work for three processes, which the page
// waits for as well where there are two cores.
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

// live waits until the page has opened its event stream, and has caught up with what happened before.
func (p *tab) live() {
	p.t.Helper()
	p.until(`performance.getEntriesByType("resource").some(e => e.initiatorType === "fetch" && e.responseEnd > 0)`)
}

// mark leaves a mark in the document, which a new document would not have.
func (p *tab) mark() { p.do(chromedp.Evaluate[chromedp.Void](`document.body.dataset.mark = "here"`)) }

func (p *tab) isMarked() {
	p.t.Helper()
	if !p.holds(`document.body.dataset.mark === "here"`) {
		p.t.Error("the page was loaded anew")
	}
}

// at waits until the tab is at a path.
func (p *tab) at(path string) {
	p.t.Helper()
	p.until(`location.pathname === ` + quoted(path))
}
