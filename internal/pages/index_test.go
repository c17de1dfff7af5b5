package pages_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const indexTab = ada + "/index"

// longIndex returns an index with that many lines. The first two link to the memories.
func longIndex(lines int) string {
	return "- [Tabs](tabs.md)\n- [Release](release.md)\n" + strings.Repeat("- a note without a link\n", lines-2)
}

func TestIndex_ShowsLoadedPart(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = longIndex(200)
	s := serve(t, files)
	page := s.get(t, indexTab)
	page.expect(http.StatusOK, "memory/MEMORY.md", "200 of 200 lines", "It is nearly full")
	if n := page.Find(".index-line").Length(); n != 200 || page.Find(".index-end").Length() != 0 || page.Find(`[data-fate="cut"]`).Length() != 0 {
		t.Errorf("of 200 lines %d are shown, and %d are cut", n, page.Find(`[data-fate="cut"]`).Length())
	}

	s.Write("ada/memory/MEMORY.md", longIndex(201))
	page = s.get(t, indexTab)
	page.expect(http.StatusOK, "201 of 200 lines", "The agent does not see all of it", "> WARNING: MEMORY.md is 201 lines (limit: 200). Only part of it was loaded: 1 of 201 lines were cut off, starting at line 201 (")
	if cut := page.each(`.index-line[data-fate="cut"]`); len(cut) != 1 || cut[0] != "201 - a note without a link (not seen by the agent)" {
		t.Errorf("cut are %q", cut)
	}
	if before := words(page.Find(".index-end").Prev()); !strings.HasPrefix(before, "200 ") {
		t.Errorf("the view ends behind %q", before)
	}

	s.Write("ada/memory/MEMORY.md", "x"+strings.Repeat("😀", 12_499)+"x\n")
	s.get(t, indexTab).expect(http.StatusOK, "25,000 of 25,000 UTF-16 units", "It is nearly full")
	s.Write("ada/memory/MEMORY.md", "x"+strings.Repeat("😀", 12_500)+"\n")
	page = s.get(t, indexTab)
	page.expect(http.StatusOK, "25,001 of 25,000 UTF-16 units", "24.4KB (limit: 24.4KB) — index entries are too long")
	if n := page.Find(`[id="line-1"]`).Length(); n != 1 || page.Find(`[data-fate="seen"]`).Length() != 1 || page.Find(`[data-fate="cut"]`).Length() != 1 {
		t.Errorf("a line that is cut within is there %d times by its id", n)
	}
}

func TestIndex_ShowsFindings(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = "---\nx: y\n---\n- [Tabs](tabs.md)\n- [Gone](gone.md)\n- [Tabs again](tabs.md)\n- " + strings.Repeat("é", 200) + "\n<script>alert(1)</script>\n"
	s := serve(t, files)
	page := s.get(t, indexTab)
	page.expect(http.StatusOK, "1 link leads to nothing", "1 memory has no line", "1 line repeats a file", "1 line is too long")
	for line, says := range map[int]string{5: "There is no gone.md.", 6: "tabs.md has a line already: line 4.", 7: "202 characters."} {
		if got := words(page.Find(fmt.Sprintf("#line-%d .line-finding", line))); !strings.Contains(got, says) {
			t.Errorf("line %d says %q, want %q", line, got, says)
		}
		if page.Find(fmt.Sprintf(`.findings a[href="#line-%d"]`, line)).Length() != 1 {
			t.Errorf("nothing leads to line %d", line)
		}
	}
	if got := words(page.Find("#line-2")); got != "2 x: y (left out when it is loaded)" {
		t.Errorf("frontmatter is shown as %q", got)
	}
	if href := page.Find(`.findings a:contains("release.md")`).AttrOr("href", ""); href != pageOf(s.Memory("ada", "Release")) {
		t.Errorf("the memory without a line is at %q", href)
	}
	if page.Find("main script").Length() != 0 {
		t.Error("a line of the index became a script")
	}
}

func TestRepairIndex_WritesPreview(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	const index = "ada/memory/MEMORY.md"
	files[index] = "# By hand\n\n- [Gone](gone.md)\n- [Tabs](tabs.md) — mine\n"
	s := serve(t, files)
	page := s.get(t, s.get(t, indexTab).Find(`a:contains("Bring in step")`).AttrOr("href", ""))
	page.expect(http.StatusOK, "Bring MEMORY.md in step?", "1 line comes, 1 line goes.", "removed: - [Gone](gone.md)", "added: - [Release](release.md)")
	if s.Read(index) != files[index] {
		t.Fatal("it was written before somebody asked for it")
	}

	s.Write(index, files[index]+"\nMore by hand.\n")
	page = s.submit(t, page, "Bring it in step")
	page.expect(http.StatusPreconditionFailed, "It changed since you looked", "Nothing was written", "More by hand.")
	if s.Read(index) != files[index]+"\nMore by hand.\n" {
		t.Fatalf("it was written all the same: %q", s.Read(index))
	}

	page = s.submit(t, page, "Bring it in step")
	page.expect(http.StatusOK, "MEMORY.md updated", "Every memory has its line", "MEMORY.md needs no repair")
	if got := s.Read(index); !strings.HasPrefix(got, "# By hand\n\n- [Tabs](tabs.md) — mine\n- [Release](release.md) — ") || !strings.HasSuffix(got, "\n\nMore by hand.\n") {
		t.Errorf("it says %q", got)
	}
	if page.Request.URL.Path != indexTab {
		t.Errorf("the repair leads to %s", page.Request.URL)
	}
	s.get(t, indexTab+"/repair").expect(http.StatusOK, "There is nothing to do")
}

func TestIndex_Absent(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	delete(files, "ada/memory/MEMORY.md")
	files["bob/memory/note.png"] = "no memory\n"
	s := serve(t, files)
	page := s.get(t, indexTab)
	page.expect(http.StatusOK, "No index yet")
	page = s.get(t, page.Find(`a:contains("Create it")`).AttrOr("href", ""))
	page.expect(http.StatusOK, "Create MEMORY.md?", "2 lines come, none goes.")
	s.submit(t, page, "Create it").expect(http.StatusOK, "Every memory has its line")
	if got := s.Read("ada/memory/MEMORY.md"); strings.Count(got, "\n") != 2 {
		t.Errorf("it says %q", got)
	}
	empty := s.get(t, "/agents/bob/index")
	empty.expect(http.StatusOK, "No index yet", "There is no memory file yet that it could list")
	if empty.Find(`a:contains("Create it")`).Length() != 0 {
		t.Error("an index of nothing is offered")
	}
}

func TestIndex_Unreadable(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	delete(files, "ada/memory/MEMORY.md")
	s := serve(t, files)
	s.Write("secret.md", "not for anybody")
	if err := os.Symlink(s.Path("secret.md"), s.Path("ada/memory/MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	page := s.get(t, indexTab)
	page.expect(http.StatusOK, "cannot be read", "It is unchanged")
	if strings.Contains(page.raw, "not for anybody") {
		t.Error("a link out of the directory was followed")
	}
	s.get(t, indexTab+"/repair").expect(http.StatusConflict, "cannot be read")
}

func TestIndex_LargePageIsBounded(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = "<!--\n" + strings.Repeat("comment\n", 5000) + "-->\n\n" + strings.Repeat("- [Gone](gone.md) "+strings.Repeat("x", 1000)+"\n", 2000)
	s := serve(t, files)
	page := s.get(t, indexTab)
	page.expect(http.StatusOK, "more lines are not shown: they are no part of what the agent loads", "more lines are not shown", "more characters", "2,000 links lead to nothing")
	if len(page.raw) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page.raw))
	}
	if page.Find(".index-end").Length() != 1 {
		t.Error("where the view ends is not shown")
	}
}

func TestClaudeMD_LabelsParts(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = "\n# Mine <b>\n\n<!-- memoir:begin -->\n<!-- memoir:end -->\n\nBehind.\n"
	s := serve(t, files)
	page := s.get(t, ada+"/claude-md")
	if got := page.Find(".document").Text(); got != s.Read("ada/CLAUDE.md") {
		t.Errorf("the text is\n%s", got)
	}
	var own []string
	page.Find(".document .handwritten").Each(func(_ int, h *selection) { own = append(own, h.Text()) })
	if len(own) != 2 || own[0] != "\n# Mine <b>\n\n" || own[1] != "\n\nBehind.\n" {
		t.Errorf("written by hand is %q", own)
	}
	tabs := s.Memory("ada", "Tabs")
	jump := page.Find(`.costs li:contains("Tabs") a.chars`).AttrOr("href", "")
	place := page.Find(`[id="` + strings.TrimPrefix(jump, "#") + `"]`)
	if !strings.HasPrefix(place.Text(), "### Tabs\n\nUse tabs.") || place.Find("a").AttrOr("href", "") != pageOf(tabs) {
		t.Errorf("%q leads to %q", jump, place.Text())
	}
	if part := page.Find(`.cost-bar a[data-cost="` + tabs.ID + `"]`); part.AttrOr("href", "") != pageOf(tabs) || !strings.HasPrefix(words(part), "Tabs: ") {
		t.Errorf("its part of the bar is %q", words(part))
	}
	page.expect(http.StatusOK, "Written by hand 23", "approximately")
}

func TestClaudeMD_CutsLongText(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = "first\n" + strings.Repeat("filler é\n", 120_000) + "last\n"
	s := serve(t, files)
	page := s.get(t, ada+"/claude-md")
	page.expect(http.StatusOK, "first filler", "last <!-- memoir:begin -->", "over the limit", "2 memories are not in the file, only counted", "… and 2 more")
	if len(page.raw) > 200_000 {
		t.Errorf("the page has %d bytes", len(page.raw))
	}
	if page.Find(".cost-limit").Length() != 1 {
		t.Error("the bar does not show the limit")
	}
}

func TestClaudeMD_DamagedMarkers(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = strings.Repeat("text\n", 9) + "<!-- memoir:end -->\n" + strings.Repeat("text\n", 9) + "<!-- memoir:begin -->\n```\n<!-- memoir:begin -->\n```\n"
	s := serve(t, files)
	page := s.get(t, ada+"/claude-md")
	page.expect(http.StatusOK, "The file as it is", "What would be compiled", "### Tabs")
	if got := page.each(".index-line[data-marker]"); len(got) != 2 || !strings.HasPrefix(got[0], "10 <!-- memoir:end -->") || !strings.HasPrefix(got[1], "20 <!-- memoir:begin -->") {
		t.Errorf("the markers are %q", got)
	}
	if n := page.Find(".damaged .index-line").Length(); n != 10 {
		t.Errorf("%d lines are shown", n)
	}
}

func TestIndex_MarkupIsEscaped(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/x.md": memoirtest.Note(`"<img src=x onerror=alert(1)>"`, memories.User, "<script>alert(2)</script>")})
	for _, path := range []string{ada + "/claude-md", indexTab, indexTab + "/repair"} {
		if page := s.get(t, path); page.Find("main img, main script").Length() != 0 {
			t.Errorf("%s has markup of a memory in it", path)
		}
	}
}
