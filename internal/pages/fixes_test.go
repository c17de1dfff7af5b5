package pages_test

import (
	"net/http"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

const (
	mirasSession = "ada/sessions/U1MIRA-C1TEAM-1712345678.000100/memory/"
	jonasSession = "ada/sessions/U2JONAS-C1TEAM-1712349999.000200/memory/"
)

// disagreeing returns a site with two sessions whose files differ. Jonas's is newer.
func disagreeing(t *testing.T) *site {
	t.Helper()
	s := serve(t, memoirtest.Files{"ada/memory/MEMORY.md": "", mirasSession + "x.md": memoirtest.Note("Tea", memories.User, "Mira likes green tea.")})
	s.Write(jonasSession+"x.md", memoirtest.Note("Tea", memories.User, "Mira likes black tea."))
	s.Scan("ada")
	waittest.For(s, "the newer of two contents", func() bool { return s.Memory("ada", "Tea").Body == "Mira likes black tea." })
	return s
}

func TestFix_ChangedFile(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/printer.md": "---\nname: Printer\n---\n\nIt jams.\n"})
	page := s.get(t, pageOf(s.Memory("ada", "Printer"))+"/fix")
	s.Write("ada/memory/printer.md", "---\nname: Printer\n---\n\nIt works.\n")
	s.Scan("ada")
	s.submit(t, page, "User Printer").expect(http.StatusPreconditionFailed, "It works.")
	if got := s.Read("ada/memory/printer.md"); got != "---\nname: Printer\n---\n\nIt works.\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestFix_ShowsInvalidBytes(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/cafe.md": "---\nname: Opening\ntype: user\n---\n\nThe caf\xe9 <b>opens</b>\x00 late.\n"})
	page := s.get(t, pageOf(s.Memory("ada", "Opening"))+"/fix")
	page.expect(http.StatusOK, "Used, but check the file", "caf‹E9›", "‹00› late.")
	page = s.submit(t, page, "Remove NUL characters Opening")
	page.expect(http.StatusOK, "Fixed Opening", "café")
	s.submit(t, page, "Read as Windows-1252 Opening").expect(http.StatusOK, "Fixed Opening")
	if got := s.Read("ada/memory/cafe.md"); got != "---\nname: Opening\ntype: user\n---\n\nThe café <b>opens</b> late.\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestFix_RenamesByFrontmatter(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/open.md": "---\nname: Harbour\ntype: project\n\nIt closes at 5.\n"})
	m := s.Memory("ada", "open")
	page := s.get(t, pageOf(m)+"/fix")
	page.expect(http.StatusOK, "Adds the line --- below the entries")
	page = s.submit(t, page, "Close the frontmatter open")
	page.expect(http.StatusOK, "Fixed Harbour")
	if got := s.Memory("ada", "Harbour"); got.Type != memories.Project || got.Body != "It closes at 5." {
		t.Errorf("it is %+v", got)
	}
}
