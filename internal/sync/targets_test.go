package sync_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

var updateTargets = flag.Bool("update-targets", false, "write the golden files of the publish targets anew")

// allTargets are the names of all targets.
var allTargets = []string{"agents", "gemini", "copilot", "cursor"}

// setTargets chooses the targets of an agent, and returns their state by name.
func (b *bench) setTargets(slug string, names ...string) map[string]engine.TargetState {
	b.Helper()
	all, err := b.engine.SetTargets(b.Context(), slug, names)
	if err != nil {
		b.Fatal(err)
	}
	return byName(all)
}

func (b *bench) targets(slug string) map[string]engine.TargetState {
	b.Helper()
	all, err := b.engine.Targets(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	return byName(all)
}

func byName(all engine.Targets) map[string]engine.TargetState {
	found := map[string]engine.TargetState{}
	for _, t := range all.List {
		found[t.Kind.Name] = t
	}
	return found
}

func TestTargets_Golden(t *testing.T) {
	t.Parallel()
	b, team := sharing(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs, see @AGENTS.md.\n\n# Not a heading of the file\n\n<!-- memoir:end -->"))
	b.write("ada/memory/role.md", note("Role", memories.User, "Ada leads the review."))
	b.write("ada/memory/freeze.md", note("Freeze", memories.Project, strings.Repeat("The freeze ends on 2026-12-01. ", 200)))
	b.write("ada/memory/team/wiki.md", note("Wiki", memories.Reference, "https://wiki.example.org"))
	b.write("ada/memory/key.md", note("Key", memories.Reference, "It is ghp_016C7b4dEf8aB9cD0eF1a2B3c4D5e6F7a8B9."))
	team.write("language.md", note("Language", memories.User, "Answer in French."))
	waittest.For(b, "the memories", func() bool { return len(b.list("ada", "")) == 5 && len(b.list("team", "")) == 1 })
	for name, state := range b.setTargets("ada", allTargets...) {
		if !state.On || state.State.Problem != "" || state.State.PublishedAt.IsZero() {
			t.Errorf("%s is %+v", name, state)
		}
	}
	for _, target := range agents.Targets() {
		got := b.read("ada/" + target.Path)
		golden := filepath.Join("testdata", "targets", filepath.Base(target.Path))
		if *updateTargets {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got != string(want) {
			t.Errorf("%s differs from %s, %v:\n%s", target.Path, golden, err, got)
		}
		if len(got) > 2*target.Limit {
			t.Errorf("%s has %d bytes, want at most %d", target.Path, len(got), 2*target.Limit)
		}
	}
}

// empty stands for a file without bytes.
const empty = "\x00"

// TestTargets_RoundTrip publishes into files of all kinds, edits them outside the block, and stops.
func TestTargets_RoundTrip(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"no file": "", "empty": empty, "no line end": "# Mine", "one line end": "# Mine\n", "blank line": "# Mine\n\n",
		"windows": "# Mine\r\n\r\nUse make.\r\n", "byte order mark": "\ufeff# Mine\n", "block of another tool": "<!-- x:begin -->\nx\n<!-- x:end -->\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/CLAUDE.md", "# Claude\n") // without it, AGENTS.md would be Claude Code's
			for _, target := range agents.Targets() {
				if before != "" {
					b.write("ada/"+target.Path, strings.TrimPrefix(before, empty))
				}
			}
			b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
			b.scan("ada")
			b.setTargets("ada", allTargets...)
			for _, target := range agents.Targets() {
				got := b.read("ada/" + target.Path)
				if !strings.Contains(got, "\n### Tabs\n\nUse tabs.\n") || !strings.HasPrefix(got, strings.TrimPrefix(before, empty)) {
					t.Errorf("%s is %q", target.Path, got)
				}
			}
			if _, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Type: memories.User, Body: "Learned."}); err != nil {
				t.Fatal(err)
			}
			for _, target := range agents.Targets() {
				if got := b.read("ada/" + target.Path); !strings.Contains(got, "\n### New\n\nLearned.\n") {
					t.Errorf("after a save %s is %q", target.Path, got)
				}
			}
			b.restart()
			b.setTargets("ada")
			for _, target := range agents.Targets() {
				raw, err := os.ReadFile(b.path("ada/" + target.Path))
				if before == "" {
					if !os.IsNotExist(err) {
						t.Errorf("%s is there: %q, %v", target.Path, raw, err)
					}
				} else if want := strings.TrimPrefix(before, empty); err != nil || string(raw) != want {
					t.Errorf("%s is %q, %v, want %q", target.Path, raw, err, want)
				}
			}
			for _, dir := range []string{".github", ".cursor"} {
				if _, err := os.Lstat(b.path("ada/" + dir)); os.IsNotExist(err) != (before == "") {
					t.Errorf("%s: %v", dir, err)
				}
			}
			if len(b.targets("ada")) != 4 || b.targets("ada")["agents"].On {
				t.Errorf("the targets are %+v", b.targets("ada"))
			}
		})
	}
}

func TestTargets_EditOutsideBlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	b.setTargets("ada", "agents", "cursor")
	edited := "Above.\n\n" + b.read("ada/AGENTS.md") + "\nBelow.\n"
	b.write("ada/AGENTS.md", edited)
	b.write("ada/.cursor/rules/memoir.mdc", strings.Replace(b.read("ada/.cursor/rules/memoir.mdc"), "alwaysApply: true", "alwaysApply: false", 1))
	if _, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Tabs").ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.read("ada/AGENTS.md"); strings.Contains(got, "Use tabs.") || !strings.HasPrefix(got, "Above.\n\n<!--") || !strings.HasSuffix(got, "-->\n\nBelow.\n") {
		t.Errorf("after the deletion AGENTS.md is %q", got)
	}
	b.write("ada/AGENTS.md", strings.Replace(b.read("ada/AGENTS.md"), "# Learned Memory", "# Forged Memory", 1))
	waittest.For(b, "the block to be repaired", func() bool { return strings.Contains(b.read("ada/AGENTS.md"), "# Learned Memory") })
	b.setTargets("ada")
	if got := b.read("ada/AGENTS.md"); got != "Above.\n\n\nBelow.\n" {
		t.Errorf("AGENTS.md is %q", got)
	}
	if got := b.read("ada/.cursor/rules/memoir.mdc"); got != "---\ndescription: Memories kept by Memoir\nalwaysApply: false\n---\n" {
		t.Errorf("memoir.mdc is %q", got)
	}
}

func TestTargets_DamagedMarkers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	b.setTargets("ada", "gemini")
	damaged := strings.Replace(b.read("ada/GEMINI.md"), "<!-- memoir:end -->\n", "", 1)
	b.write("ada/GEMINI.md", damaged)
	result, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Tabs").ID, "")
	if err != nil || !strings.Contains(result.ClaudeMDProblem, "GEMINI.md has damaged memoir:begin and memoir:end markers") {
		t.Errorf("Delete() = %q, %v", result.ClaudeMDProblem, err)
	}
	if got := b.targets("ada")["gemini"].State; got.Problem != result.ClaudeMDProblem || b.read("ada/GEMINI.md") != damaged {
		t.Errorf("the target is %+v, and the file %q", got, b.read("ada/GEMINI.md"))
	}
	if got := b.setTargets("ada")["gemini"]; got.On || got.State.Problem == "" || b.read("ada/GEMINI.md") != damaged {
		t.Errorf("the target is %+v", got)
	}
	b.write("ada/GEMINI.md", "mine\n")
	waittest.For(b, "the end of the problem", func() bool { return b.targets("ada")["gemini"].State.Name == "" })
	if got := b.read("ada/GEMINI.md"); got != "mine\n" {
		t.Errorf("GEMINI.md is %q", got)
	}
}

func TestTargets_Links(t *testing.T) {
	t.Parallel()
	b := setup(t)
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.WriteFile(outside, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("bob/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	for from, to := range map[string]string{
		"ada/AGENTS.md": "CLAUDE.md", "ada/GEMINI.md": outside,
		"bob/GEMINI.md": "AGENTS.md", "bob/.github": ".", "bob/copilot-instructions.md": "memory/tabs.md",
	} {
		if err := os.Symlink(to, b.path(from)); err != nil {
			t.Fatal(err)
		}
	}
	got := b.setTargets("ada", "agents", "gemini")
	if s := got["agents"].State; s.SameAs != "CLAUDE.md" || s.Problem != "" {
		t.Errorf("a link to CLAUDE.md is %+v", s)
	}
	if n := strings.Count(b.read("ada/CLAUDE.md"), "memoir:begin"); n != 1 || !strings.Contains(b.read("ada/CLAUDE.md"), "# Memory System") {
		t.Errorf("CLAUDE.md has %d blocks: %q", n, b.read("ada/CLAUDE.md"))
	}
	raw, err := os.ReadFile(outside)
	if s := got["gemini"].State; !strings.Contains(s.Problem, "GEMINI.md is a link out of the agent's directory") || err != nil || string(raw) != "mine\n" {
		t.Errorf("a link that leaves is %+v, and the file %q, %v", s, raw, err)
	}
	b.setTargets("ada")
	if !strings.Contains(b.read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("CLAUDE.md is not published any more")
	}

	got = b.setTargets("bob", "agents", "gemini", "copilot")
	if s := got["gemini"].State; s.SameAs != "AGENTS.md" || s.Problem != "" || strings.Count(b.read("bob/AGENTS.md"), "memoir:begin") != 1 {
		t.Errorf("a link to a target is %+v", s)
	}
	if s := got["copilot"].State; !strings.Contains(s.Problem, "is a link to a memory file") || b.read("bob/memory/tabs.md") != note("Tabs", memories.Feedback, "Use tabs.") {
		t.Errorf("a link to a memory is %+v", s)
	}
	b.setTargets("bob", "gemini") // the block was the other target's
	if got := b.read("bob/GEMINI.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("GEMINI.md is %q", got)
	}
}

// project adds a Claude Code project with a memory, and returns its slug and directory.
func (b *bench) project(name string) (slug, dir string) {
	b.Helper()
	dir = filepath.Join(b.dir, "src", name)
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		b.Fatal(err)
	}
	slug = strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
			return r
		}
		return '-'
	}, dir)
	b.write("claude/projects/"+slug+"/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs in "+name+"."))
	b.write("claude/projects/"+slug+"/1.jsonl", `{"cwd":"`+dir+`"}`+"\n")
	return slug, dir
}

func TestTargets_ClaudeProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slug, dir := b.project("shop")
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	b.write("claude/agent-memory/reviewer/a.md", note("A", memories.User, "a"))
	b.scanAll()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Fatalf("the project has %v, %v without a choice", entries, err)
	}
	all, err := b.engine.SetTargets(t.Context(), slug, []string{"agents", "copilot"})
	if err != nil || all.Dir != dir || all.List[0].State.Problem != "" {
		t.Fatalf("SetTargets() = %+v, %v", all, err)
	}
	if got := b.read("src/shop/AGENTS.md"); !strings.Contains(got, "### Tabs\n\nUse tabs in shop.\n") || strings.Contains(got, "# Memory System") {
		t.Errorf("AGENTS.md is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "CLAUDE.md")); !os.IsNotExist(err) {
		t.Errorf("CLAUDE.md: %v", err)
	}
	b.write("claude/projects/"+slug+"/memory/new.md", note("New", memories.User, "Learned by Claude."))
	waittest.For(b, "a memory that Claude Code saves", func() bool { return strings.Contains(b.read("src/shop/AGENTS.md"), "Learned by Claude.") })
	if _, err := b.engine.Delete(t.Context(), slug, b.memory(slug, "New").ID, ""); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"AGENTS.md", ".github/copilot-instructions.md"} {
		if got := b.read("src/shop/" + path); strings.Contains(got, "Learned by Claude.") || !strings.Contains(got, "Use tabs in shop.") {
			t.Errorf("after a deletion %s is %q", path, got)
		}
	}

	var conflict *memories.ConflictError
	if _, err := b.engine.SetTargets(t.Context(), "reviewer", []string{"agents"}); !errors.As(err, &conflict) {
		t.Errorf("SetTargets() of a custom agent: %v", err)
	}
	var invalid *memories.InvalidError
	if _, err := b.engine.SetTargets(t.Context(), slug, []string{"claude"}); !errors.As(err, &invalid) {
		t.Errorf("SetTargets() of an unknown target: %v", err)
	}

	// Claude Code deletes old transcripts. The project is then only known from the choice.
	b.remove("claude/projects/" + slug + "/1.jsonl")
	b.scanAll()
	if _, err := b.engine.Save(t.Context(), slug, engine.Draft{Name: "Later", Type: memories.User, Body: "Still told."}); err != nil {
		t.Fatal(err)
	}
	if got := b.read("src/shop/AGENTS.md"); !strings.Contains(got, "Still told.") {
		t.Errorf("AGENTS.md is %q", got)
	}
	b.setTargets(slug)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the project has %v, %v in the end", entries, err)
	}
}

func TestTargets_OpenProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slug, dir := b.project("shop")
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	got := b.setTargets(slug, "agents")["agents"].State
	if _, err := os.Lstat(filepath.Join(dir, "AGENTS.md")); !strings.Contains(got.Problem, "all users may write to "+dir) || !os.IsNotExist(err) {
		t.Errorf("the target is %+v, and the file: %v", got, err)
	}
}

// Two agents must not replace each other's block.
func TestTargets_OneAgentPerDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slug, dir := b.project("shop")
	if err := os.MkdirAll(filepath.Join(dir, "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.over(agents.Settings{ClaudeDir: b.path("claude"), AgentsDir: b.path("src")})
	var conflict *memories.ConflictError
	if _, err := b.engine.SetTargets(t.Context(), slug, []string{"agents"}); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "Agent shop is published into") {
		t.Errorf("SetTargets() error = %v", err)
	}
}

func TestTargets_ForgottenAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slug, _ := b.project("shop")
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	b.setTargets(slug, "agents")
	b.remove("claude/projects/" + slug)
	b.scanAll()
	if !strings.Contains(b.read("src/shop/AGENTS.md"), "Use tabs in shop.") {
		t.Error("the memories of an absent agent are not published any more")
	}
	if _, err := b.engine.Forget(t.Context(), slug); err != nil {
		t.Fatal(err)
	}
	if got := b.read("src/shop/AGENTS.md"); got != "" {
		t.Errorf("AGENTS.md of a forgotten agent is %q", got)
	}
}

func TestTargets_Shared(t *testing.T) {
	t.Parallel()
	b, team := sharing(t)
	slug, _ := b.project("shop")
	b.stop()
	b.options.Places.ClaudeDir, b.options.Places.AgentsDir = b.path("claude"), ""
	b.start()
	team.write("wiki.md", note("Wiki", memories.Reference, "wiki.example"))
	b.scanAll()
	b.setTargets(slug, "agents")
	if got := b.read("src/shop/AGENTS.md"); !strings.Contains(got, "### Wiki (team)\n\nwiki.example\n") {
		t.Errorf("AGENTS.md is %q", got)
	}
	if _, err := b.engine.Save(t.Context(), "team", engine.Draft{Name: "Wiki", Team: true, Type: memories.Reference, Body: "docs.example"}); err != nil {
		t.Fatal(err)
	}
	if got := b.read("src/shop/AGENTS.md"); !strings.Contains(got, "docs.example") {
		t.Errorf("when the save is answered, AGENTS.md is %q", got)
	}
}

func TestTargets_TwoServers(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(a, "the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	other := a.another(t.TempDir())
	if s := other.setTargets("ada", "agents")["agents"]; !s.On || s.State.Problem != "" {
		t.Errorf("the target is %+v", s)
	}
	if !strings.Contains(a.read("ada/AGENTS.md"), "Use tabs.") {
		t.Errorf("AGENTS.md is %q", a.read("ada/AGENTS.md"))
	}
	if _, err := other.engine.Delete(t.Context(), "ada", a.memory("ada", "Tabs").ID, ""); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(a.read("ada/AGENTS.md"), "Use tabs.") {
		t.Errorf("AGENTS.md is %q", a.read("ada/AGENTS.md"))
	}
	heir := a.another(a.dir)
	a.stop()
	waittest.For(heir, "the lease", func() bool { return !heir.statusOf("ada").Elsewhere })
	if _, err := heir.engine.Save(t.Context(), "ada", engine.Draft{Name: "Heir", Type: memories.User, Body: "Written by the heir."}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(heir.read("ada/AGENTS.md"), "Written by the heir.") {
		t.Errorf("AGENTS.md is %q", heir.read("ada/AGENTS.md"))
	}
}
