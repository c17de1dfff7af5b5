package hooks_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/extraction"
	"memoir/internal/hooks"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
)

// workshop is a Memoir over the projects shop and site of Claude Code. Each is a git repository
// with one memory about painted widgets. The worktree tree belongs to shop.
type workshop struct {
	desk
	claude     string // Claude Code's directory
	work, tree string
}

func setupWorkshop(t *testing.T) workshop {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := workshop{claude: t.TempDir(), work: work, tree: filepath.Join(work, "trees", "feature")}
	for _, name := range []string{"shop", "site"} {
		dir := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Join(dir, "cmd"), 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "init", "-q")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
		w.put(t, filepath.Join(w.project(dir), "memory", "w.md"), memoirtest.Note(name+" widgets", memories.Project, "In "+name+" the widgets are painted blue."))
	}
	git(t, filepath.Join(work, "shop"), "worktree", "add", "-q", w.tree)
	m := memoirtest.StartIn(t, agents.Settings{ClaudeDir: w.claude})
	log := slog.New(slog.DiscardHandler)
	extractor := extraction.Start(m.Engine, m.Store, extraction.Options{Model: modeltest.New(t, modeltest.SaysJSON(map[string]any{"memories": []any{}})).Model(), ClaudeDir: w.claude, Log: log})
	t.Cleanup(extractor.Close)
	server := httptest.NewServer(hooks.New(m.Engine, m.Store, m.Recaller, extractor, log))
	t.Cleanup(server.Close)
	w.desk = desk{m, server.URL, work}
	return w
}

// project returns Claude Code's directory for the transcripts of a working directory.
func (w workshop) project(dir string) string {
	return filepath.Join(w.claude, "projects", memoirtest.ClaudeProject(dir))
}

func (w workshop) put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	command := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// queuedUnder returns the projects, shop or site, for which the session's conversation is queued.
func (w workshop) queuedUnder(session string) string {
	w.Helper()
	var under []string
	all, err := w.Store.AgentsUncounted(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	for _, a := range all {
		_, err = w.Store.Conversation(w.Context(), a.ID, session)
		switch {
		case err == nil:
			_, name, _ := strings.Cut(a.Slug, memoirtest.ClaudeProject(w.work)+"-")
			under = append(under, name)
		case !errors.Is(err, memories.ErrNotFound):
			w.Fatal(err)
		}
	}
	return strings.Join(under, " ")
}

// TestHooks_AgentOfTheStart shows that recall and extraction use the project where a conversation
// began, also after a cd into another project.
func TestHooks_AgentOfTheStart(t *testing.T) {
	t.Parallel()
	w := setupWorkshop(t)
	shop, site := filepath.Join(w.work, "shop"), filepath.Join(w.work, "site")
	for i, c := range []struct {
		name, began, cwd string
		unwritten        bool // the transcript does not exist yet
		want             string
	}{
		{"after a cd", shop, site, false, "shop"},
		{"after a cd down", shop, filepath.Join(shop, "cmd"), false, "shop"},
		{"after a cd to nowhere", shop, filepath.Join(w.work, "gone"), false, "shop"},
		{"in a subdirectory", filepath.Join(shop, "cmd"), filepath.Join(shop, "cmd"), false, "shop"},
		{"in a subdirectory, after a cd", filepath.Join(shop, "cmd"), site, false, "shop"},
		{"in a worktree", w.tree, w.tree, false, "shop"},
		{"in a worktree, after a cd", w.tree, site, false, "shop"},
		{"before the transcript", shop, shop, true, "shop"},
		{"before the transcript, subdirectory", filepath.Join(site, "cmd"), filepath.Join(site, "cmd"), true, "site"},
		{"before the transcript, worktree", w.tree, w.tree, true, "shop"},
	} {
		session := fmt.Sprint("s", i)
		transcript := filepath.Join(w.project(c.began), session+".jsonl")
		if !c.unwritten {
			lines := fmt.Sprintf(`{"type":"summary"}`+"\n"+`{"type":"user","cwd":%q}`+"\n"+`{"type":"user","cwd":%q}`+"\n", c.began, c.cwd)
			w.put(t, transcript, lines)
		}
		input := map[string]any{"session_id": session, "transcript_path": transcript, "cwd": c.cwd, "prompt": "are the widgets painted blue?"}
		if text := w.prompt(input); !strings.Contains(text, "In "+c.want+" the widgets") || strings.Count(text, "the widgets are") != 1 {
			t.Errorf("%s: it is given %q", c.name, text)
		}
		if c.unwritten {
			continue
		}
		w.call("stop", input)
		if got := w.queuedUnder(session); got != c.want {
			t.Errorf("%s: the conversation is queued for %q, want %s", c.name, got, c.want)
		}
	}
}

// TestHooks_NewProject shows that a project whose memory was just created gets no memories of a
// known parent.
func TestHooks_NewProject(t *testing.T) {
	t.Parallel()
	w := setupWorkshop(t)
	nested := filepath.Join(w.work, "shop", "vendor", "tool")
	if err := os.MkdirAll(nested, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, nested, "init", "-q")
	transcript := filepath.Join(w.project(nested), "n.jsonl")
	w.put(t, transcript, fmt.Sprintf(`{"type":"user","cwd":%q}`+"\n", nested))
	input := map[string]any{"session_id": "n", "transcript_path": transcript, "cwd": nested, "prompt": "are the widgets painted blue?"}
	if text := w.prompt(input); !strings.Contains(text, "In shop") {
		t.Errorf("without a memory of its own it is given %q", text)
	}
	w.put(t, filepath.Join(w.project(nested), "memory", "MEMORY.md"), "")
	input["session_id"] = "n2"
	if _, text := w.call("user-prompt-submit", input); text != "" {
		t.Errorf("with a memory of its own it is given %q", text)
	}
}

// TestHooks_MemoryOffInClaude shows that hooks give and queue nothing while Claude Code's settings
// switch a project's memory off.
func TestHooks_MemoryOffInClaude(t *testing.T) {
	t.Parallel()
	w := setupWorkshop(t)
	shop := filepath.Join(w.work, "shop")
	settings := filepath.Join(shop, ".claude", "settings.local.json")
	input := func(session string) map[string]any {
		transcript := filepath.Join(w.project(shop), session+".jsonl")
		w.put(t, transcript, fmt.Sprintf(`{"type":"user","cwd":%q}`+"\n", shop))
		return map[string]any{"session_id": session, "transcript_path": transcript, "cwd": shop, "prompt": "are the widgets painted blue?"}
	}
	w.put(t, settings, `{"autoMemoryEnabled": false}`)
	for _, event := range []string{"session-start", "user-prompt-submit", "post-tool-use", "pre-compact", "stop", "session-end"} {
		if _, text := w.call(event, input("off")); text != "" {
			t.Errorf("%s: it is given %q", event, text)
		}
	}
	if under := w.queuedUnder("off"); under != "" {
		t.Errorf("the conversation is queued for %s", under)
	}
	if text := w.prompt(map[string]any{"session_id": "other", "cwd": filepath.Join(w.work, "site"), "prompt": "are the widgets painted blue?"}); !strings.Contains(text, "In site") {
		t.Errorf("another project is given %q", text)
	}
	w.put(t, settings, `{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}}`)
	on := input("on")
	if text := w.prompt(on); !strings.Contains(text, "In shop") {
		t.Errorf("switched on again it is given %q", text)
	}
	w.call("stop", on)
	if under := w.queuedUnder("on"); under != "shop" {
		t.Errorf("switched on again the conversation is queued for %q", under)
	}
}
