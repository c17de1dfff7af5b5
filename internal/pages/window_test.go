package pages_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"memoir/internal/waittest"
)

// window is a browser window with one tab and its own cookies and storage. Creating one takes a
// slow processor a second, so windows are reused, and everything that a test left is removed.
type window struct {
	ctx   context.Context
	close context.CancelFunc
}

// free are the windows that no test uses.
var free struct {
	mu  sync.Mutex
	all []window
}

// openWindow returns a window that looks new to a page, until the test ends. Cleanup functions of
// the test run before that.
func openWindow(t *testing.T, browser context.Context, origin string) context.Context {
	t.Helper()
	w, reused := takeWindow()
	if !reused {
		w.ctx, w.close = chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
		if err := chromedp.Do(w.ctx, chromedp.Navigate("about:blank")); err != nil {
			w.close()
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		// After a failed test a window may be in any state.
		if t.Failed() || w.tidy(origin) != nil {
			w.close()
			return
		}
		free.mu.Lock()
		defer free.mu.Unlock()
		free.all = append(free.all, w)
	})
	return w.ctx
}

func takeWindow() (w window, ok bool) {
	free.mu.Lock()
	defer free.mu.Unlock()
	last := len(free.all) - 1
	if last < 0 {
		return window{}, false
	}
	w, free.all = free.all[last], free.all[:last]
	return w, true
}

// tidy leaves the page and resets the window: history, cookies, storage, size and emulated media.
func (w window) tidy(origin string) error {
	ctx, cancel := context.WithTimeout(w.ctx, waittest.Patience())
	defer cancel()
	return firstError(
		command(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false}),
		func() error { acceptDialogs(ctx); return leavePage(ctx) },
		command(ctx, page.ResetNavigationHistory, cdp.Empty{}),
		command(ctx, network.ClearBrowserCookies, cdp.Empty{}),
		command(ctx, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: origin, StorageTypes: "all"}),
		command(ctx, emulation.ClearDeviceMetricsOverride, cdp.Empty{}),
		command(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}),
	)
}

// leaving is a script that clears the page's session storage and prevents later writes. The
// browser's own command for that is not always complete.
const leaving = `try { sessionStorage.clear(); Storage.prototype.setItem = () => {} } catch {} location.replace("about:blank")`

// leavePage makes the page open an empty one. A navigation by the browser would start two
// processes.
func leavePage(ctx context.Context) error {
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](leaving)); err != nil {
		return err
	}
	for {
		left, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`location.href === "about:blank"`))
		if left {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// acceptDialogs answers each dialog of the page with yes, until ctx ends. So a page with unsaved
// text can be left.
func acceptDialogs(ctx context.Context) {
	dialogs := chromedp.Events(ctx, page.JavascriptDialogOpening)
	go func() {
		for range dialogs {
			_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}
	}()
}

// command returns a function that sends a command to the tab of ctx.
func command[P, R any](ctx context.Context, what cdp.Command[P, R], with P) func() error {
	return func() error {
		_, err := chromedp.Call(ctx, what, with)
		return err
	}
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// traces is a script that returns what a page can see of the window's earlier use.
const traces = `[document.cookie, localStorage.length, sessionStorage.length, history.length, innerWidth,
	matchMedia("(prefers-color-scheme: dark)").matches, document.documentElement.dataset.script].join()`

func TestBrowser_WindowIsReset(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	ctx, end := chromedp.NewContext(startBrowser(t), chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	p := &tab{t: t, ctx: ctx, address: s.address}
	p.goTo(adaList)
	before := evaluate[string](p, traces)
	p.do(chromedp.Evaluate[chromedp.Void](`document.cookie = "a=b"; localStorage.a = sessionStorage.a = "b"`))
	p.sits(phone)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.follow(chromedp.Navigate(s.address + "/keys"))
	if used := evaluate[string](p, traces); used == before {
		t.Fatalf("nothing tells that it was used: %s", used)
	}
	if err := (window{ctx, end}).tidy(s.address); err != nil {
		t.Fatal(err)
	}
	p.goTo(adaList)
	if after := evaluate[string](p, traces); after != before {
		t.Errorf("a page finds %s, and in a new window %s", after, before)
	}
}
