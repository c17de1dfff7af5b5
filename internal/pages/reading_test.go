package pages_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

func TestMemory_SafeMarkdown(t *testing.T) {
	t.Parallel()
	body := "Use **tabs**, see [[Release]], [the file](release.md) and [[Nobody]].\n\n<script>alert(1)</script>\n\n## Why\n\nBecause."
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":    memoirtest.Note("Tabs", memories.Feedback, body),
		"ada/memory/release.md": memoirtest.Note("release", memories.Project, "On Tuesdays."),
		"ada/memory/named.md":   memoirtest.Note("Release", memories.Project, "On Mondays."),
	})
	page := s.get(t, pageOf(s.Memory("ada", "Tabs")))
	page.expect(http.StatusOK, "Tabs", "About Tabs", "Feedback", "Because.")
	if got := words(page.Find(".prose strong")); got != "tabs" {
		t.Errorf("bold is %q", got)
	}
	if page.Find(".prose script").Length() != 0 {
		t.Error("the memory runs a script")
	}
	for text, m := range map[string]string{"Release": "Release", "the file": "release"} {
		link := page.Find(".prose a").FilterFunction(func(_ int, a *selection) bool { return words(a) == text })
		if got, want := link.AttrOr("href", ""), pageOf(s.Memory("ada", m)); got != want {
			t.Errorf("the link %q leads to %q, want %q", text, got, want)
		}
	}
}

func TestRaw_ExactBytes(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{
		"ada/memory/page.md":   "---\nname: Page\ntype: user\n---\r\n<script>alert(1)</script>\r\n",
		"ada/memory/binary.md": "---\nname: Bytes\n---\n\x00\xff\n",
		"ada/memory/large.md":  strings.Repeat("x", memories.MaxFileSize+1),
	}
	s := serve(t, files)
	for name, path := range map[string]string{"Page": "ada/memory/page.md", "Bytes": "ada/memory/binary.md"} {
		raw := s.get(t, pageOf(s.Memory("ada", name))+"/raw")
		if raw.raw != files[path] {
			t.Errorf("%s comes as %q", path, raw.raw)
		}
		if got := raw.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("it comes as %s", got)
		}
		if raw.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(raw.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("headers: %v", raw.Header)
		}
	}
	s.get(t, pageOf(s.Memory("ada", "large"))+"/raw").expect(http.StatusNotFound, "File content not stored", "memory/large.md")
}

func TestClaudeMD_PreviewOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := postgres.Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	engine, err := engine.Start(store, engine.Options{
		Places:   agents.Settings{MemoryDirs: []agents.NamedDir{{Slug: "reviewer", Path: dir}}},
		Debounce: 20 * time.Millisecond, Rescan: time.Hour, ClaudeMDLimit: memoirtest.ClaudeMDLimit, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	m := &memoirtest.Memoir{TB: t, Dir: dir, Store: store, Engine: engine}
	waittest.For(m, "the first scan", engine.Ready)
	m.Write("tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use tabs."))
	m.Scan("reviewer")

	s := serveMemoir(t, m, setting{})
	s.get(t, "/agents/reviewer/context").expect(http.StatusOK, "No MEMORY.md yet")
	page := s.get(t, "/agents/reviewer/context?file=claude-md")
	page.expect(http.StatusOK, "Claude Code loads these memories itself. Preview only.", "### Tabs", "Use tabs.", "Would be in CLAUDE.md")
	if got := words(s.get(t, "/").Find("#agent-reviewer td").Eq(3)); strings.Contains(got, "tokens") {
		t.Errorf("the first page measures a CLAUDE.md that is not written: %q", got)
	}
}

func TestSync_CountsAndScans(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	page := s.get(t, "/sync")
	page.expect(http.StatusOK, "Files on disk 2", "Mirrored 2", "Watching by events")
	s.submit(t, page, "Scan now").expect(http.StatusOK, "Scanned 2 files in", "no change")
}

func TestAssets_AreCached(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	page := s.get(t, "/")
	for _, selector := range []string{"link[rel=stylesheet]", "link[rel=icon]", "script"} {
		page.Find(selector).Each(func(_ int, e *selection) {
			path := e.AttrOr("href", e.AttrOr("src", ""))
			if got := s.get(t, path); got.StatusCode != http.StatusOK || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s answers %d, %s", path, got.StatusCode, got.Header.Get("Cache-Control"))
			}
		})
	}
	if got := s.get(t, "/favicon.ico").Header.Get("Content-Type"); got != "image/svg+xml" {
		t.Errorf("the icon is %s", got)
	}
}

func TestPages_HEADAndAllow(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	memory := pageOf(s.Memory("ada", "Tabs"))
	send := func(method, path string) *answer {
		request, err := http.NewRequestWithContext(t.Context(), method, s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.send(t, request)
	}
	for _, path := range []string{"/", "/sync", ada, ada + "/", adaList, adaContext, ada + "/timeline", ada + "/trash", memory, memory + "/raw", memory + "/history"} {
		if head := send(http.MethodHead, path); head.StatusCode != http.StatusOK || head.raw != "" {
			t.Errorf("HEAD %s answers %d with %d bytes", path, head.StatusCode, len(head.raw))
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			refused := send(method, path)
			refused.expect(http.StatusMethodNotAllowed)
			if got := refused.Header.Get("Allow"); got != "GET, HEAD" {
				t.Errorf("%s %s: Allow %q", method, path, got)
			}
		}
	}
	for _, path := range []string{memory + "/purge", ada + "/forget"} {
		if got := send(http.MethodGet, path).Header.Get("Allow"); got != "POST" {
			t.Errorf("GET %s: Allow %q", path, got)
		}
	}
}
