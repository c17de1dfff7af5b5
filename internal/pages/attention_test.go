package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
	"memoir/web/templates"
)

const (
	adaAttention = ada + "/attention"
	mirasSession = "ada/sessions/U1MIRA-C1TEAM-1712345678.000100/memory/"
	jonasSession = "ada/sessions/U2JONAS-C1TEAM-1712349999.000200/memory/"
)

func TestAttention_Empty(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "Nothing needs attention")
	if got := page.each(".tabs a"); len(got) < 3 || got[2] != "Attention 0" {
		t.Errorf("the tabs are %q", got)
	}
	if got := s.get(t, adaList).each(".tabs a"); strings.Contains(strings.Join(got, " "), "attention") {
		t.Errorf("with nothing in it, the tab is shown elsewhere: %q", got)
	}
	s.get(t, "/agents/nobody/attention").expect(http.StatusNotFound)
	s.get(t, adaAttention+"?cursor=nonsense").expect(http.StatusBadRequest)
}

func TestAttention_FixAndUndo(t *testing.T) {
	t.Parallel()
	const raw = "---\nname: Printer\nsource: chat\n---\n\nIt jams.\n"
	s := serve(t, memoirtest.Files{"ada/memory/reference_printer.md": raw})
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "Not in CLAUDE.md until it is mended", "The memory has no type", "It is a guess")
	if got := page.each(".fixes .primary"); len(got) != 1 || got[0] != "It is reference Printer" {
		t.Errorf("what stands out is %q", got)
	}
	if got := page.each(`.writes .line[data-kind="added"]`); len(got) != 1 || got[0] != "added: type: reference" {
		t.Errorf("it would write %q", got)
	}
	if s.Read("ada/memory/reference_printer.md") != raw {
		t.Error("looking at it has changed the file")
	}
	page = s.submit(t, page, "It is reference Printer")
	page.expect(http.StatusOK, "Fixed Printer", "Nothing needs attention")
	if got := s.Read("ada/memory/reference_printer.md"); got != "---\nname: Printer\ntype: reference\nsource: chat\n---\n\nIt jams.\n" {
		t.Errorf("the file is %q", got)
	}
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "### Printer") {
		t.Error("it is not compiled")
	}
	page = s.submit(t, page, "Undo the fix of Printer")
	page.expect(http.StatusOK, "Undone: Printer", "The memory has no type")
	if got := s.Read("ada/memory/reference_printer.md"); got != raw {
		t.Errorf("taken back, the file is %q", got)
	}
}

func TestFix_ChangedFile(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/printer.md": "---\nname: Printer\n---\n\nIt jams.\n"})
	page := s.get(t, adaAttention)
	s.Write("ada/memory/printer.md", "---\nname: Printer\n---\n\nIt works.\n")
	s.Scan("ada")
	s.submit(t, page, "It is user Printer").expect(http.StatusPreconditionFailed, "It works.")
	if got := s.Read("ada/memory/printer.md"); got != "---\nname: Printer\n---\n\nIt works.\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestFix_ShowsInvalidBytes(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/cafe.md": "---\nname: Opening\ntype: user\n---\n\nThe caf\xe9 <b>opens</b>\x00 late.\n"})
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "Read with care", "In use as it is", "caf‹E9›", "‹00› late.")
	page = s.submit(t, page, "Remove the NUL characters Opening")
	page.expect(http.StatusOK, "Fixed Opening", "café")
	s.submit(t, page, "Read as Windows-1252 Opening").expect(http.StatusOK, "Nothing needs attention")
	if got := s.Read("ada/memory/cafe.md"); got != "---\nname: Opening\ntype: user\n---\n\nThe café <b>opens</b> late.\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestFix_RenamesByFrontmatter(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/open.md": "---\nname: Harbour\ntype: project\n\nIt closes at 5.\n"})
	m := s.Memory("ada", "open")
	page := s.get(t, pageOf(m)+"/fix")
	page.expect(http.StatusOK, "Mend “open”", "Puts the line --- below its entries")
	page = s.submit(t, page, "Close the frontmatter open")
	page.expect(http.StatusOK, "Fixed Harbour", "Mend “Harbour”", "Nothing is wrong with it any more.")
	if got := s.Memory("ada", "Harbour"); got.Type != memories.Project || got.Body != "It closes at 5." {
		t.Errorf("it is %+v", got)
	}
}

func TestAttention_TypeWithoutFile(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/MEMORY.md": "", mirasSession + "x.md": "---\nname: Printer\n---\n\nIt jams.\n"})
	s.Remove("ada/sessions")
	s.Scan("ada")
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "No file on disk carries it any more")
	s.submit(t, page, "It is user").expect(http.StatusOK, "Printer: user", "Nothing needs attention")
}

func TestAttention_DecidesMissing(t *testing.T) {
	t.Parallel()
	s := serve(t, manyMemories(12))
	s.loseAll(t)
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "Gone missing")
	if got := page.Find("#missing .row").Length(); got != 13 {
		t.Errorf("%d rows are shown", got)
	}
	page = s.submit(t, page, "Write it back Fact 03")
	page.expect(http.StatusOK, "Restored Fact 03")
	page = s.submit(t, page, "Delete Fact 04")
	page.expect(http.StatusOK, "Deleted Fact 04")
	if s.Read("ada/memory/n03.md") == "" || s.Read("ada/memory/n04.md") != "" || page.Find("#missing .row").Length() != 11 {
		t.Errorf("the decisions are not carried out: %d rows are left", page.Find("#missing .row").Length())
	}
	s.submit(t, page, "Write them back").expect(http.StatusOK, "Written back.")
	if s.Read("ada/memory/n05.md") == "" {
		t.Error("the others are not back")
	}
}

func TestAttention_RemovesBlockedFile(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	s.Write("ada/memory/back.md", twoMemories()["ada/memory/tabs.md"])
	s.Scan("ada")
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "Kept out", "memory/back.md", "Use tabs.", "The file goes from the disk")
	s.get(t, "/").expect(http.StatusOK, "1 kept out")
	page = s.submit(t, page, "Yes, remove the file memory/back.md")
	page.expect(http.StatusOK, "File removed.", "Nothing needs attention")
	if s.Read("ada/memory/back.md") != "" {
		t.Error("the file is still there")
	}
	s.post(t, ada+"/blocked/nonsense/remove", nil).expect(http.StatusNotFound)
}

// disagreeing returns a site with two sessions whose files differ. Jonas's is newer.
func disagreeing(t *testing.T) *site {
	t.Helper()
	s := serve(t, memoirtest.Files{"ada/memory/MEMORY.md": "", mirasSession + "x.md": memoirtest.Note("Tea", memories.User, "Mira likes green tea.")})
	s.Write(jonasSession+"x.md", memoirtest.Note("Tea", memories.User, "Mira likes black tea."))
	s.Scan("ada")
	waittest.For(s, "the newer of two contents", func() bool { return s.Memory("ada", "Tea").Body == "Mira likes black tea." })
	return s
}

func TestVersions_KeepOne(t *testing.T) {
	t.Parallel()
	s := disagreeing(t)
	m := s.Memory("ada", "Tea")
	s.get(t, adaAttention).expect(http.StatusOK, "Conflicts", "2 versions from 2 sessions")
	s.get(t, pageOf(m)).expect(http.StatusOK, "2 sessions say 2 different things about this")
	page := s.get(t, pageOf(m)+"/versions")
	page.expect(http.StatusOK, "until you decide", "U1MIRA", "in C1TEAM", "5 Apr 2024")
	if got := page.each(".version h2"); len(got) != 2 || got[0] != "What the agent goes by" || got[1] != "Another version" {
		t.Fatalf("the versions are %q", got)
	}
	marked := page.Find(".version").Last().Find("mark").Map(func(_ int, m *goquery.Selection) string { return m.Text() })
	if strings.Join(marked, " ") != "black green" {
		t.Errorf("the words that differ are %q", marked)
	}
	page = s.submit(t, page, "Keep this one from U1MIRA in C1TEAM")
	page.expect(http.StatusOK, "Kept this text of Tea", "This is settled")
	if got := s.Memory("ada", "Tea"); got.Body != "Mira likes green tea." || got.Session != "" {
		t.Errorf("it says %q, from %q", got.Body, got.Session)
	}
	if !strings.Contains(s.Read(jonasSession+"x.md"), "black") || !strings.Contains(s.Read("ada/CLAUDE.md"), "green tea") {
		t.Error("the session's file was changed, or CLAUDE.md was not")
	}
	s.get(t, adaAttention).expect(http.StatusOK, "Nothing needs attention")
	s.Write(jonasSession+"x.md", memoirtest.Note("Tea", memories.User, "Mira likes coffee."))
	s.Scan("ada")
	s.get(t, pageOf(m)+"/versions").expect(http.StatusOK, "until you decide", "Mira likes coffee.")
	s.post(t, pageOf(m)+"/versions/nonsense/keep", nil).expect(http.StatusNotFound)
}

func TestVersionsPage_TwoPrimaryFiles(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("Tea", memories.User, "black"), "ada/memory/b.md": memoirtest.Note("Tea", memories.User, "green"),
	})
	m := s.Memory("ada", "Tea")
	s.get(t, adaAttention).expect(http.StatusOK, "Conflicts", "2 versions from the agent’s own files")
	page := s.get(t, pageOf(m)+"/versions")
	page.expect(http.StatusOK, "black", "green", "Keep one; the others are removed.", "Keeping it removes")
	other := page.Find(".version").Last()
	removed := words(other.Find(".facts code").Last())
	button := words(other.Find("button").First())
	page = s.submit(t, page, button)
	page.expect(http.StatusOK, "Kept this text of Tea", "All files on disk say the same.")
	if got := s.Memory("ada", "Tea"); got.Body == m.Body || len(got.Files) != 1 || got.Path == removed {
		t.Errorf("it is %+v, and %s was to be removed", got, removed)
	}
}

func TestVersions_Merge(t *testing.T) {
	t.Parallel()
	s := disagreeing(t)
	m := s.Memory("ada", "Tea")
	page := s.get(t, pageOf(m)+"/versions")
	merge := page.Find(".version a").FilterFunction(func(_ int, a *goquery.Selection) bool { return strings.HasPrefix(words(a), "Merge by hand") })
	form := s.get(t, merge.AttrOr("href", ""))
	form.expect(http.StatusOK, "Merge two versions", "What U1MIRA in C1TEAM says", "Mira likes green tea.")
	if got := form.Find("#body").Text(); strings.TrimSpace(got) != "Mira likes black tea." {
		t.Errorf("the form begins with %q", got)
	}
	fields := url.Values{
		templates.FieldETag: {form.Find("input[name=etag]").AttrOr("value", "")}, templates.FieldWith: {form.Find("input[name=with]").AttrOr("value", "")},
		templates.FieldName: {"Tea"}, templates.FieldType: {"user"}, templates.FieldBody: {"Mira likes green and black tea."},
	}
	s.post(t, pageOf(m)+"/edit/preview", fields).expect(http.StatusOK, "What U1MIRA in C1TEAM says")
	s.post(t, pageOf(m)+"/edit", fields).expect(http.StatusOK, "Saved Tea", "Mira likes green and black tea.")
	s.get(t, pageOf(m)+"/versions").expect(http.StatusOK, "This is settled")
	s.get(t, pageOf(m)+"/edit?with=nonsense").expect(http.StatusOK, "Edit memory")
}

func TestAttention_Pages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 30 {
		files["ada/memory/note"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".md"] = "A thought.\n"
	}
	s := serve(t, files)
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "25 of 30 are on this page")
	next := s.get(t, page.Find(`a[rel="next"]`).AttrOr("href", ""))
	if got := next.Find("#mend .row").Length(); got != 5 {
		t.Errorf("%d are on the next page", got)
	}
}

func TestAttention_ShowsTheFixesOfOneMemory(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/a.md": "---\nname: Printer\n---\n\nIt jams.\n", "ada/memory/b.md": "---\nname: Scanner\n---\n\nIt beeps.\n",
		"ada/memory/c.md": "---\nname: Issue #42\ntype: user\n---\n\nClosed.\n",
	})
	page := s.get(t, adaAttention)
	page.expect(http.StatusOK, "It is user Printer", "Show fixes of Scanner", "Show fixes of Issue #42")
	if got := strings.Join(page.each(".fixes button"), " "); strings.Contains(got, "Scanner") {
		t.Errorf("buttons: %q", got)
	}
	page = s.get(t, page.Find("a:contains('Show fixes of Scanner')").AttrOr("href", ""))
	page.expect(http.StatusOK, "It is user Scanner", "Show fixes of Printer")
	if got := strings.Join(page.each(".fixes button"), " "); strings.Contains(got, "Printer") {
		t.Errorf("buttons: %q", got)
	}
	s.submit(t, page, "It is user Scanner").expect(http.StatusOK, "Fixed Scanner", "It is user Printer")
	page = s.get(t, page.Find("a:contains('Show fixes of Issue')").AttrOr("href", ""))
	s.submit(t, page, "Add quotes Issue #42").expect(http.StatusOK, "Fixed Issue #42")
	if got := s.Read("ada/memory/c.md"); got != "---\nname: 'Issue #42'\ntype: user\n---\n\nClosed.\n" {
		t.Errorf("the file is %q", got)
	}
}
