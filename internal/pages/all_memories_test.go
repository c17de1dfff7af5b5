package pages_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/web/templates/address"
)

// clientsSite returns a site with agents of five clients.
func clientsSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"agents/ada/memory/tabs.md":             "---\nname: Tabs\ndescription: tabs in Go\ntype: feedback\n---\n\nUse tabs.\n",
		"gemini/tmp/shop/memory/release.md":     "# Order of the deploys\n\n1. schema\n",
		"qwen/projects/-src-shop/memory/a.md":   "---\nname: staging\ntype: project\n---\n\nPort 5433.\n",
		"codex/memories/MEMORY.md":              "# Task Group: shop / releases\nscope: how releases are cut\n\n- tag first\n",
		"openclaw/workspace/MEMORY.md":          "## coffee\n\nBlack.\n",
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
		OpenClawDir: filepath.Join(dir, "openclaw"),
	})
	m.Dir = dir
	return serveMemoir(t, m, setting{})
}

func TestAllMemories_FiltersAndCopies(t *testing.T) {
	t.Parallel()
	s := clientsSite(t)
	for query, want := range map[string]string{
		"":                                   "Tabs coffee key release shop-releases staging",
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
		page := s.get(t, address.AllMemoriesPath+query)
		names := strings.Join(slices.Sorted(slices.Values(page.hits())), " ")
		if page.StatusCode != http.StatusOK || names != want {
			t.Errorf("%q lists %q with %d, want %q", query, names, page.StatusCode, want)
		}
	}
	s.Write("agents/ada/memory/old.md", "---\nname: Old\ntype: user\nmetadata:\n  modified: 2020-01-01T00:00:00Z\n---\n\nIt was so.\n")
	s.Scan("ada")
	page := s.get(t, address.AllMemoriesPath)
	if names := page.hits(); names[len(names)-1] != "Old" {
		t.Errorf("the oldest memory is not the last one of %q", names)
	}
	if got := page.Text(); strings.Contains(got, "Z7QH3WTYUJ2LNB4V") || !strings.Contains(got, "Gemini CLI") {
		t.Error("the list shows a secret, or no client")
	}
	if page := s.get(t, address.AllMemoriesPath+"?cursor=x"); page.StatusCode == http.StatusOK {
		t.Errorf("a wrong cursor is %d", page.StatusCode)
	}

	// From the list to the memory, and from there to another client.
	open := func(name string) *answer {
		return s.get(t, page.Find(`.hit h3 a:contains("`+name+`")`).AttrOr("href", ""))
	}
	memory := open("coffee")
	if memory.Find(`form[action$="/delete"], [data-action="edit"], [data-action="delete"], [data-action="new"]`).Length() > 0 {
		t.Error("a memory of OpenClaw can be changed on its page")
	}
	if !strings.Contains(words(memory.Find("main")), "Memoir only reads this memory") {
		t.Error("the page does not say why nothing can be changed")
	}
	memory = open("shop-releases")
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

func TestNotes_PendingOnPages(t *testing.T) {
	t.Parallel()
	s := clientsSite(t)
	list := s.get(t, address.AgentPath("codex"))
	if !strings.Contains(words(list.Find("main")), "Changes are notes for Codex") {
		t.Error("the page does not say how changes reach Codex")
	}
	memory := s.get(t, list.Find(`.row a:contains("shop-releases"), a.row:contains("shop-releases")`).First().AttrOr("href", ""))
	preview := s.get(t, memory.Find(`a:contains("Preview deletion")`).AttrOr("href", ""))
	preview.expect(http.StatusOK, "A note asks Codex to forget it", "No change. The memory is not in it.", "No files to remove")
	deleted := s.submit(t, memory, "Delete shop-releases")
	deleted.expect(http.StatusOK, "Deletion pending: shop-releases")
	if row := words(deleted.Find("main")); !strings.Contains(row, "Deletion pending") {
		t.Error("no row says that the deletion is pending")
	}
	s.submit(t, deleted, "Undo the deletion of shop-releases").expect(http.StatusOK, "tag first")

	notes := func() int {
		found, err := filepath.Glob(filepath.Join(s.Dir, "codex/memories/extensions/ad_hoc/notes/*.md"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	editor := s.get(t, memory.Find(`[data-action="edit"]`).AttrOr("href", ""))
	edited := s.write(t, editor, url.Values{"body": {"Tag last."}})
	edited.expect(http.StatusOK, "Tag last.", "Pending")
	if notes() != 1 {
		t.Errorf("%d notes after the edit", notes())
	}
	s.undone(t, edited).expect(http.StatusOK, "tag first")
	created := s.write(t, s.get(t, list.Find(`[data-action="new"]`).AttrOr("href", "")), kettle())
	created.expect(http.StatusOK, "Mira likes tea", "Pending")
	if notes() != 1 {
		t.Errorf("%d notes after a new memory, and an edit that was undone", notes())
	}
	s.undone(t, created)
	if notes() != 0 {
		t.Errorf("%d notes are left", notes())
	}
	many := s.selecting(t, s.get(t, address.AgentPath("codex")), "Delete", "shop-releases")
	many.expect(http.StatusOK, "Deletion pending until Codex has removed the text")
	s.submit(t, many, "Restore").expect(http.StatusOK, "Restored shop-releases")
	if notes() != 0 {
		t.Errorf("%d notes are left after the deletion was taken back", notes())
	}
}
