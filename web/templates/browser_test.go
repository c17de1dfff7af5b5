package templates_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"memoir/internal/gate"
	"memoir/internal/waittest"
	"memoir/web"
)

// browser is the browser of all tests. Each test has its own tab.
var browser context.Context

func TestMain(m *testing.M) {
	os.Exit(withBrowser(m))
}

func withBrowser(m *testing.M) int {
	profile, err := os.MkdirTemp("", "memoir-browser-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(profile) }()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(filepath.Join(profile, "profile")),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(waittest.Patience()))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	tab, closeTab := chromedp.NewContext(allocator)
	defer func() {
		// Cancel would wait forever for a browser that never started.
		if chromedp.FromContext(tab).Browser != nil {
			_ = chromedp.Cancel(tab)
		}
		closeTab()
	}()
	browser = tab
	return m.Run()
}

var startBrowser = sync.OnceValue(func() error { return chromedp.Do(browser, chromedp.Navigate("about:blank")) })

// page is a tab that collects its console messages.
type page struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string
}

// open opens a tab. The test fails at a console message that is not allowed, such as a violation of
// the content security policy.
func open(t *testing.T, address string, allowed ...string) *page {
	t.Helper()
	if err := startBrowser(); err != nil {
		t.Fatalf("Chromium does not start (apt install chromium): %v", err)
	}
	tab, closeTab := chromedp.NewContext(browser)
	p := &page{t: t, ctx: tab}
	if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(tab)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.messages = append(p.messages, m.String())
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		closeTab()
		<-done
		for _, m := range p.messages {
			if !containsAny(m, allowed) {
				t.Errorf("the console says: %s", m)
			}
		}
	})
	p.visit(address)
	return p
}

// step returns a context with the timeout of one step. A tab as a whole has no timeout, because the
// number of its pages grows.
func (p *page) step() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, waittest.Patience())
}

func (p *page) visit(address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS("body")))
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, step := range steps {
		ctx, cancel := p.step()
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// until waits until a JavaScript expression is true.
func (p *page) until(expression string) {
	p.t.Helper()
	ctx, cancel := p.step()
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(10*time.Millisecond))); err != nil {
		p.t.Fatalf("waiting until %s: %v\n%s", expression, err, evaluate[string](p, "document.body.innerText"))
	}
}

func evaluate[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := p.step()
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("evaluating %s: %v", expression, err)
	}
	return value
}

// guarded serves pages with the real server's headers and assets.
func guarded(t *testing.T, pages http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(web.Prefix, web.Static())
	mux.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", gate.ContentSecurityPolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		pages.ServeHTTP(w, r)
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.URL
}
