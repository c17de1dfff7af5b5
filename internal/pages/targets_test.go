package pages_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestTargets_PublishAndStop(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	p := open(t, startBrowser(t), s, adaSettings, person{})
	path := filepath.Join(s.Dir, "ada", "GEMINI.md")
	button := `#target-gemini form button`
	p.do(chromedp.Click(chromedp.CSS(button)))
	p.shows("Published")
	if raw, err := os.ReadFile(path); err != nil || !strings.Contains(string(raw), "Use tabs.") {
		t.Errorf("GEMINI.md is %q, %v", raw, err)
	}
	p.fits()
	p.do(chromedp.Click(chromedp.CSS(button)))
	p.shows("Memoir’s text removed")
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("GEMINI.md: %v", err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "ada", "AGENTS.md"), []byte("<!-- memoir:end -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Click(chromedp.CSS(`#target-agents form button`)))
	p.shows("AGENTS.md has damaged memoir:begin and memoir:end markers")
	p.shows("Not written")
	s.post(t, adaSettings+"/targets/claude/on", nil).expect(http.StatusNotFound)
}
