package pages_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestDeletion_Preview(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = "# Index\n\n- [Tabs](tabs.md) and [Release](release.md)\n"
	const session = "ada/sessions/U1-C1-1741512345.123456/memory/"
	files[session+"deep/tabs.md"] = files["ada/memory/tabs.md"]
	files[session+"memory.md"] = "- [Tabs](deep/tabs.md#how) — how to indent\n- [More](more.md)\n"
	s := serve(t, files)
	before := s.Read("ada/CLAUDE.md")
	m := s.Memory("ada", "Tabs")

	href := s.get(t, pageOf(m)).Find(`#pane .menu a[href$="/delete"]`).AttrOr("href", "")
	page := s.get(t, href)
	page.expect(http.StatusOK, "Delete “Tabs” ?", "2 files move to the trash", "memory/tabs.md", "sessions/U1-C1-1741512345.123456/memory/deep/tabs.md",
		"characters fewer, about", "tokens", "restore it from the trash")
	gone := page.each(`.line[data-kind="removed"]`)
	for _, line := range []string{"removed: ## Feedback Memory", "removed: ### Tabs", "removed: Use tabs.", "removed: - [Tabs](deep/tabs.md#how) — how to indent"} {
		if !slices.Contains(gone, line) {
			t.Errorf("%q is not among what goes: %q", line, gone)
		}
	}
	if stays := page.each(`.line[data-kind="added"]`); len(stays) != 1 || strings.Contains(stays[0], "Tabs") || !strings.Contains(stays[0], "[Release](release.md)") {
		t.Errorf("of the line with two links stays %q", stays)
	}
	if s.Read("ada/memory/tabs.md") == "" || s.Read("ada/CLAUDE.md") != before || s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("something has changed already")
	}

	said := words(page.Find(".change .facts").First())
	page = s.submit(t, page, "Delete Tabs")
	page.expect(http.StatusOK, "Deleted Tabs")
	if page.Request.URL.Path != adaList {
		t.Errorf("the deletion leads to %s", page.Request.URL)
	}
	after := s.Read("ada/CLAUDE.md")
	for _, chars := range []int{len([]rune(before)), len([]rune(after))} {
		if !strings.Contains(strings.ReplaceAll(said, ",", ""), strconv.Itoa(chars)) {
			t.Errorf("it was said %q, and CLAUDE.md had %d characters", said, chars)
		}
	}
	if got, want := s.Read("ada/memory/MEMORY.md"), "[Release](release.md)"; !strings.Contains(got, want) || strings.Contains(got, "Tabs") {
		t.Errorf("the index says %q", got)
	}
	if got := s.Read(session + "memory.md"); got != "- [More](more.md)\n" {
		t.Errorf("the session's index says %q", got)
	}
}

func TestDeletion_NotCompiled(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/printer.md": "---\nname: Printer\n---\nIt jams.\n", "ada/memory/broken.md": "\x00"})
	for name, file := range map[string]string{"Printer": "memory/printer.md", "broken": "memory/broken.md"} {
		page := s.get(t, pageOf(s.Memory("ada", name))+"/delete")
		page.expect(http.StatusOK, "The memory is not in it", "1 file moves to the trash", file, "No line leads to these files")
		s.submit(t, page, "Delete "+name).expect(http.StatusOK, "Deleted "+name+"")
		if s.Read("ada/"+file) != "" {
			t.Errorf("%s is still there", file)
		}
	}
}

func TestDeletion_AlreadyDeleted(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	stale := s.get(t, pageOf(m)+"/delete")
	s.submit(t, stale, "Delete Tabs")
	if page := s.get(t, pageOf(m)+"/delete"); page.Request.URL.Path != pageOf(m) {
		t.Errorf("it leads to %s", page.Request.URL)
	}
	s.submit(t, stale, "Delete Tabs").expect(http.StatusOK, "Deleted Tabs")
	s.get(t, adaList+"/nonsense/delete").expect(http.StatusNotFound, "Page not found")
}

func TestDeletion_ChangedMemory(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	page := s.get(t, pageOf(s.Memory("ada", "Tabs"))+"/delete")
	s.learn("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.submit(t, page, "Delete Tabs").expect(http.StatusPreconditionFailed, "Memory has changed", "Use spaces.")
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("the file is gone")
	}
}

func TestDeletion_DamagedAgent(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = "<!-- memoir:begin -->\n<!-- memoir:begin -->\n"
	s := serve(t, files)
	path := pageOf(s.Memory("ada", "Tabs")) + "/delete"
	s.get(t, path).expect(http.StatusOK, "has damaged memoir:begin", "The memory is deleted anyway", "### Tabs")
	s.Remove("ada")
	s.get(t, path).expect(http.StatusOK, "### Tabs", "No line leads to these files")
}
