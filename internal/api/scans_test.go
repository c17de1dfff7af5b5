package api_test

import (
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

func TestScan_WaitsForEnd(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"bob/memory/b.md":    memoirtest.Note("B", memories.Feedback, "Bee."),
	})
	s.Write("ada/memory/odd.md", "No frontmatter.")
	one := s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	if one.keys() != sorted("scanned added updated removed needs_attention took_ms") || one["scanned"] != 2.0 || one["needs_attention"] != 1.0 {
		t.Errorf("one agent: %v", one)
	}
	if took := one["took_ms"].(float64); took < 0 || took != float64(int64(took)) {
		t.Errorf("took_ms is %v", took)
	}
	if got := s.ok(200, "GET", "/api/v1/agents/ada/memories", nil)["total"]; got != 2.0 {
		t.Errorf("memories after the scan: %v", got)
	}
	s.Write("cas/memory/new.md", memoirtest.Note("New", memories.User, "An agent that appears."))
	if all := s.ok(200, "POST", "/api/v1/scan", nil); all["scanned"] != 4.0 {
		t.Errorf("all agents: %v", all)
	}
	s.ok(200, "GET", "/api/v1/agents/cas", nil)
}

func TestSync_Numbers(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/odd.md":  "No frontmatter.",
	})
	waittest.For(s, "nothing to be pending", func() bool { return s.ok(200, "GET", "/api/v1/sync", nil)["pending"] == 0.0 })
	figures := s.ok(200, "GET", "/api/v1/sync", nil)
	if figures.keys() != sorted("backup files_on_disk mirrored needs_attention pending watch_mode watch_note overflows last_full_scan lag_ms runs_as problems") {
		t.Errorf("fields: %s", figures.keys())
	}
	if figures["files_on_disk"] != 2.0 || figures["mirrored"] != 2.0 || figures["needs_attention"] != 1.0 || figures["overflows"] != 0.0 {
		t.Errorf("figures: %v", figures)
	}
	if _, err := time.Parse(time.RFC3339, figures.string("last_full_scan")); err != nil {
		t.Error(err)
	}
	if mode := figures.string("watch_mode"); mode != "watch" && mode != "poll" {
		t.Errorf("watch mode %q", mode)
	}
	if lag := figures["lag_ms"].(float64); lag != float64(int64(lag)) {
		t.Errorf("lag_ms is %v", lag)
	}
}

func TestSync_PerAgent(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/odd.md":  "No frontmatter.",
		"bob/memory/b.md":    memoirtest.Note("B", memories.Feedback, "Bee."),
	})
	s.Remove("bob")
	s.ok(200, "POST", "/api/v1/scan", nil)
	list := s.ok(200, "GET", "/api/v1/sync/agents", nil)["agents"].([]any)
	if len(list) != 2 {
		t.Fatalf("%d agents", len(list))
	}
	ada, bob := object(list[0].(map[string]any)), object(list[1].(map[string]any))
	if ada.keys() != sorted("slug name present files_on_disk mirrored needs_attention missing pending problem elsewhere scan_problem") {
		t.Errorf("fields: %s", ada.keys())
	}
	if ada["slug"] != "ada" || ada["present"] != true || ada["files_on_disk"] != 2.0 || ada["mirrored"] != 2.0 || ada["needs_attention"] != 1.0 || ada["problem"] != nil {
		t.Errorf("ada: %v", ada)
	}
	if bob["slug"] != "bob" || bob["present"] != false {
		t.Errorf("bob: %v", bob)
	}
}

func TestScan_IsFull(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	last := func() string { return s.ok(200, "GET", "/api/v1/sync", nil).string("last_full_scan") }
	waittest.For(s, "the first scan to be noted", func() bool { return last() != "" })
	before := last()
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	if got := last(); got != before {
		t.Errorf("a scan of one agent moved the last full scan from %s to %s", before, got)
	}
	s.ok(200, "POST", "/api/v1/scan", nil)
	if got := last(); got == before {
		t.Errorf("a scan of all agents left the last full scan at %s", got)
	}
}
