package pages_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/verification"
	"memoir/internal/waittest"
	"memoir/web/templates/address"
)

// withProject returns a site with an agent of Claude Code, whose project contains web/app.ts and
// whose memory has the given body.
func withProject(t *testing.T, body string) (s *site, project, slug string) {
	t.Helper()
	project = t.TempDir()
	if err := os.MkdirAll(filepath.Join(project, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "web/app.ts"), []byte("export const app = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(map[string]string{"cwd": project})
	if err != nil {
		t.Fatal(err)
	}
	slug = memoirtest.ClaudeProject(project)
	m := memoirtest.StartClaude(t, memoirtest.Files{
		"projects/" + slug + "/1.jsonl": string(line) + "\n", "projects/" + slug + "/memory/MEMORY.md": "",
		"projects/" + slug + "/memory/app.md": memoirtest.Note("App", memories.Project, body),
	})
	checker := verification.Start(m.Engine, m.Store, verification.Options{Settle: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(checker.Close)
	return serveMemoir(t, m, setting{checker: checker}), project, slug
}

// untilChecked waits until the citations were checked and the given number are dead.
func (s *site) untilChecked(t *testing.T, slug string, gone int) {
	t.Helper()
	waittest.For(s, "the check", func() bool {
		agent, err := s.Store.Agent(t.Context(), slug)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Store.Verification(t.Context(), agent, s.Memory(slug, "App").ID)
		return err == nil && len(memories.GoneCitations(v.Citations)) == gone
	})
}

func TestCitations_ShowsDead(t *testing.T) {
	t.Parallel()
	s, project, slug := withProject(t, "It begins in `web/app.ts:1`, and went on in `web/<old>.ts` or `web/old.ts`.")
	s.untilChecked(t, slug, 1)
	page := s.get(t, address.MemoryPath(slug, s.Memory(slug, "App").ID))
	page.expect(http.StatusOK, "1 dead reference", "web/old.ts", "is no longer in the project.", project)
	s.get(t, address.MemoryPath(slug, s.Memory(slug, "App").ID)+"?tab=cost").expect(http.StatusOK, "2 citations, 1 found")
	if got := page.each("#cites-gone .problems li"); len(got) != 1 || got[0] != "web/old.ts is no longer in the project." {
		t.Errorf("it says %q", got)
	}

	// A new file is found by the button, also without scripts.
	if err := os.WriteFile(filepath.Join(project, "web/old.ts"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	page = s.submit(t, page, "Check again the citations of App")
	page.expect(http.StatusOK, "Checked the citations of App")
	s.get(t, address.MemoryPath(slug, s.Memory(slug, "App").ID)+"?tab=cost").expect(http.StatusOK, "2 citations, found")
	if page.Find("#cites-gone").Length() != 0 {
		t.Error("it still says that something is gone")
	}
}

func TestCitations_AreEscaped(t *testing.T) {
	t.Parallel()
	s, _, slug := withProject(t, "See [[<b>bold]] and [[Bold & \u202ebad]].")
	s.untilChecked(t, slug, 0)
	page := s.get(t, "/agents/"+slug+"/context?file=memory-md")
	if got := page.each(".file-links bdi"); len(got) != 1 || !strings.HasPrefix(got[0], "Bold & ") || strings.Contains(got[0], "\u202e") {
		t.Errorf("it says %q", got)
	}
}
