package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestFaultA10_RenameKeepsHistory renames a memory with three revisions.
func TestFaultA10_RenameKeepsHistory(t *testing.T) {
	t.Parallel()
	s := taught(t)
	old := s.Memory("ada", "Tabs")
	page := s.write(t, s.get(t, pageOf(old)+"/edit"), url.Values{"name": {"Indenting"}})
	page.expect(http.StatusOK, "Saved Indenting", "History 3")
	renamed := s.Memory("ada", "Indenting")
	if renamed.ID != old.ID || !renamed.CreatedAt.Equal(old.CreatedAt) {
		t.Errorf("the renamed memory is %s of %v, want %s of %v", renamed.ID, renamed.CreatedAt, old.ID, old.CreatedAt)
	}
	s.get(t, pageOf(renamed)+"?tab=history").expect(http.StatusOK, "First learned")
	s.get(t, adaList+"?view=trash").expect(http.StatusOK, "Trash is empty")
}

// TestFaultC26_FourActions counts the actions in the head of the pane.
func TestFaultC26_FourActions(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	page := s.get(t, pageOf(s.Memory("ada", "Tabs")))
	if got := page.each("#pane .pane-actions > :not(.copied)"); len(got) != 4 {
		t.Errorf("the head has %q", got)
	}
	if got := page.each("#pane .pane-actions [data-action]:not(.menu *)"); strings.Join(got, "|") != "Edit E|Still true Tabs V|Delete Tabs" {
		t.Errorf("the actions are %q", got)
	}
	if got := strings.Count(strings.ToLower(words(page.Find("#pane"))), "feedback"); got != 1 {
		t.Errorf("the pane says the type %d times", got)
	}
}

func TestPane_NoDescription(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/user_tea.md":   "---\nname: Tea\ntype: user\n---\n\nGreen.\n",
		"ada/memory/user_milk.md":  "---\nname: Milk\ndescription: for coffee\ntype: user\n---\n\nNone.\n",
		"ada/memory/user_sugar.md": "---\nname: Sugar\n---\n\nNone.\n",
	})
	for name, want := range map[string]string{
		"Tea":   "No description Recall finds a memory more easily with one Add",
		"Milk":  "",
		"Sugar": "No description Recall finds a memory more easily with one Add",
	} {
		m := s.Memory("ada", name)
		page := s.get(t, pageOf(m))
		note := page.Find(`#pane .pane-note[data-tone=""]`)
		if got := words(note); got != want {
			t.Errorf("%s has the note %q, want %q", name, got, want)
		}
		if href, _ := note.Find("a").Attr("href"); want != "" && href != pageOf(m)+"/edit" {
			t.Errorf("the note of %s leads to %q", name, href)
		}
	}
}

// TestFaultC28_FactsOnFile checks that paths and hashes are on the tab of the file only.
func TestFaultC28_FactsOnFile(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	for tab, want := range map[string]bool{"": false, "?tab=history": false, "?tab=file": true} {
		text := words(s.get(t, pageOf(m)+tab).Find("#pane"))
		for _, fact := range []string{m.Hash, m.Path} {
			if strings.Contains(text, fact) != want {
				t.Errorf("tab %q shows %q: %v", tab, fact, !want)
			}
		}
	}
}

func TestPane_AloneOnRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	for path, want := range map[string]string{
		pageOf(s.Memory("ada", "Tabs")): "Use tabs.", pageOf(s.Memory("ada", "Tabs")) + "/edit": "Edit memory", adaList + "/new": "New memory",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("HX-Request-Type", "partial")
		request.Header.Set("HX-Target", "section#pane")
		page := s.send(t, request)
		if !strings.Contains(page.raw, want) || page.Find("#pane form").Length() == 0 || page.Find("main, #list, #side").Length() != 0 {
			t.Errorf("%s answers\n%s", path, page.raw)
		}
		if got := page.Header.Get("Vary"); !strings.Contains(got, "HX-Request-Type") {
			t.Errorf("Vary = %q", got)
		}
	}
}

func TestReveal_ForThisAnswer(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{"ada/memory/db.md": memoirtest.Note("Database", memories.Reference, "db password: "+paneSecret)})
	s := serveMemoir(t, m, setting{token: "the-token", readToken: "look-only"})
	as := func(token, method, path string) *answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return s.send(t, request)
	}
	page := pageOf(s.Memory("ada", "Database"))
	for _, tab := range []string{"", "?tab=history", "?tab=cost", "?tab=file"} {
		if got := as("the-token", http.MethodGet, page+tab); strings.Contains(got.raw, paneSecret) {
			t.Errorf("the tab %q shows the secret", tab)
		}
	}
	shown := as("the-token", http.MethodPost, page+"/reveal")
	shown.expect(http.StatusOK, paneSecret)
	if got := shown.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control = %q", got)
	}
	as("look-only", http.MethodPost, page+"/reveal").expect(http.StatusForbidden)
	as("look-only", http.MethodGet, page+"/edit?reveal=true").expect(http.StatusConflict, "The text is masked.")
	if got := as("look-only", http.MethodGet, page).Find("#pane form").Length(); got != 0 {
		t.Errorf("a reader has %d forms", got)
	}
	as("the-token", http.MethodPost, adaList+"/nonsense/reveal").expect(http.StatusNotFound)
}

func TestMemory_Cost(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	path := pageOf(s.Memory("ada", "deploy on tuesdays")) + "?tab=cost"
	s.get(t, path).expect(http.StatusOK, "characters, ", "Not listed", "Never recalled in the last 90 days.")
	s.asks("ada", "one", "when do we deploy on tuesdays?")
	page := s.get(t, path)
	page.expect(http.StatusOK, "“when do we deploy on tuesdays?”", "Given")
	if got := page.Find(".recalls tbody tr").Length(); got != 1 {
		t.Errorf("%d recalls are listed, want 1", got)
	}
	listed := serve(t, twoMemories())
	listed.get(t, pageOf(listed.Memory("ada", "Tabs"))+"?tab=cost").expect(http.StatusOK, "line ", ", loaded", "- [Tabs](tabs.md) — how to indent")
}
