package pages_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/web/templates"
)

// clientsSite returns a site with agents of four clients.
func clientsSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"agents/ada/memory/tabs.md":             "---\nname: Tabs\ndescription: tabs in Go\ntype: feedback\n---\n\nUse tabs.\n",
		"gemini/tmp/shop/memory/release.md":     "# Order of the deploys\n\n1. schema\n",
		"qwen/projects/-src-shop/memory/a.md":   "---\nname: staging\ntype: project\n---\n\nPort 5433.\n",
		"codex/memories/MEMORY.md":              "# Task Group: shop / releases\nscope: how releases are cut\n\n- tag first\n",
		"qwen/projects/-src-shop/memory/key.md": "---\nname: key\ntype: project\n---\n\nThe key is AKIA" + "Z7QH3WTYUJ2LNB4V.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := memoirtest.StartIn(t, agents.Settings{
		AgentsDir: filepath.Join(dir, "agents"), GeminiDir: filepath.Join(dir, "gemini"), QwenDir: filepath.Join(dir, "qwen"), CodexDir: filepath.Join(dir, "codex"),
	})
	m.Dir = dir
	return serveMemoir(t, m, setting{})
}

func TestAllMemories_FiltersAndCopies(t *testing.T) {
	t.Parallel()
	s := clientsSite(t)
	for query, want := range map[string]string{
		"":                                   "Tabs key release shop-releases staging",
		"?layout=gemini":                     "release",
		"?layout=qwen&type=project":          "key staging",
		"?agent=ada":                         "Tabs",
		"?q=tag":                             "shop-releases",
		"?q=deploys&layout=codex":            "",
		"?layout=codex&agent=ada":            "",
		"?layout=nonsense":                   "",
		"?q=zzqqzz":                          "",
		"?type=feedback":                     "Tabs",
		"?layout=hive&agent=ada&q=tabs+go":   "Tabs",
		"?agent=gemini-shop&layout=&q=&type": "release",
	} {
		page := s.get(t, templates.AllMemoriesPath+query)
		names := strings.Join(slices.Sorted(slices.Values(page.hits())), " ")
		if page.StatusCode != http.StatusOK || names != want {
			t.Errorf("%q lists %q with %d, want %q", query, names, page.StatusCode, want)
		}
	}
	s.Write("agents/ada/memory/old.md", "---\nname: Old\ntype: user\nmetadata:\n  modified: 2020-01-01T00:00:00Z\n---\n\nIt was so.\n")
	s.Scan("ada")
	page := s.get(t, templates.AllMemoriesPath)
	if names := page.hits(); names[len(names)-1] != "Old" {
		t.Errorf("the oldest memory is not the last one of %q", names)
	}
	if got := page.Text(); strings.Contains(got, "Z7QH3WTYUJ2LNB4V") || !strings.Contains(got, "Gemini CLI") {
		t.Error("the list shows a secret, or no client")
	}
	if page := s.get(t, templates.AllMemoriesPath+"?cursor=x"); page.StatusCode == http.StatusOK {
		t.Errorf("a wrong cursor is %d", page.StatusCode)
	}

	// From the list to the memory, and from there to another client.
	href := page.Find(`.hit h3 a:contains("shop-releases")`).AttrOr("href", "")
	memory := s.get(t, href)
	if memory.Find(`form[action$="/delete"], [data-action="edit"], [data-action="delete"], [data-action="new"]`).Length() > 0 {
		t.Error("a memory of Codex can be changed on its page")
	}
	if !strings.Contains(words(memory.Find("main")), "Memoir only reads this memory") {
		t.Error("the page does not say why nothing can be changed")
	}
	memory = s.get(t, memory.Find(`.menu a:contains("Copy to another agent")`).AttrOr("href", ""))
	if got := words(memory.Find("#taker option")); got != "ada gemini-shop qwen-src-shop" {
		t.Errorf("it can be copied to %q", got)
	}
	s.copyTo(t, memory, "gemini-shop").expect(http.StatusOK, "Copied shop-releases", "tag first")
	if got := s.Read("gemini/tmp/shop/memory/shop-releases.md"); got != "# how releases are cut\n\nscope: how releases are cut\n\n- tag first\n" {
		t.Errorf("the copy is %q", got)
	}
	if got := s.Read("gemini/tmp/shop/memory/MEMORY.md"); !strings.Contains(got, "](shop-releases.md) — how releases are cut\n") {
		t.Errorf("the index is %q", got)
	}
}
