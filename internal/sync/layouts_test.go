package sync_test

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

var updateLayouts = flag.Bool("update-layouts", false, "write the golden directories of TestLayouts")

// tree returns the files below dir by slash-separated path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// startLayout runs a Memoir over a copy of the golden directory testdata/layouts/NAME/start.
func startLayout(t *testing.T, name string) *memoirtest.Memoir {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "layouts", name, "start"))); err != nil {
		t.Fatal(err)
	}
	places := map[string]agents.Settings{
		"qwen":        {QwenDir: dir},
		"gemini":      {GeminiDir: dir},
		"codex":       {CodexDir: dir},
		"openclaw":    {OpenClawDir: dir},
		"letta":       {LettaDir: dir},
		"memory-bank": {MemoryDirs: []agents.NamedDir{{Slug: "bank", Path: filepath.Join(dir, "memory-bank")}}},
	}[name]
	m := memoirtest.StartIn(t, places)
	m.Dir = dir
	return m
}

// noteTime is the time in the path of a note.
var noteTime = regexp.MustCompile(`/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-`)

// isGolden compares all files with the golden directory testdata/layouts/NAME/step.
func isGolden(t *testing.T, m *memoirtest.Memoir, name, step string) {
	t.Helper()
	golden, got := filepath.Join("testdata", "layouts", name, step), map[string]string{}
	for path, text := range tree(t, m.Dir) {
		if !strings.Contains(path, "/.git/") {
			got[noteTime.ReplaceAllString(path, "/2026-01-02T15-04-05-")] = text
		}
	}
	if *updateLayouts && step != "start" {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		for path, text := range got {
			at := filepath.Join(golden, filepath.FromSlash(path))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := tree(t, golden)
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if text, is := want[path]; !is || text != got[path] {
			t.Errorf("%s: %s is %q, want %q", step, path, got[path], text)
		}
		delete(want, path)
	}
	for path := range want {
		t.Errorf("%s: %s is gone", step, path)
	}
}

// listOf returns the living memories of all agents, each with its type, description and problems.
func listOf(t *testing.T, m *memoirtest.Memoir) []string {
	t.Helper()
	all, err := m.Store.AgentsUncounted(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, a := range all {
		page, err := m.Store.Memories(t.Context(), a, memories.Filter{}, memories.PageRequest{Limit: records.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Memories {
			line := a.Slug + " " + one.Name + " (" + string(one.Type) + ") " + one.Description + " [" + string(one.Index) + "]"
			for _, p := range one.Problems {
				line += " " + p.Code
			}
			list = append(list, strings.TrimSpace(line))
		}
	}
	slices.Sort(list)
	return list
}

func TestLayouts_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		layout, agent string
		found         []string
		edited        string // name of the memory that is edited
		deleted       string
	}{
		{
			"gemini", "gemini-shop",
			[]string{"gemini-shop old-build (project)  [loaded]", "gemini-shop release-steps (project) Release steps [loaded]"},
			"release-steps", "old-build",
		},
		{
			"qwen", "qwen-src-shop",
			[]string{
				"qwen short-answers (feedback) answers without a summary [loaded]",
				"qwen-src-shop house-rules (feedback) rules that stay [loaded]",
				"qwen-src-shop plain-note (project)  [loaded]",
				"qwen-src-shop staging-database (project) port of the staging database [loaded]",
			},
			"staging-database", "plain-note",
		},
	} {
		t.Run(tt.layout, func(t *testing.T) {
			t.Parallel()
			m := startLayout(t, tt.layout)
			if got := listOf(t, m); !slices.Equal(got, tt.found) {
				t.Errorf("found %q, want %q", got, tt.found)
			}
			isGolden(t, m, tt.layout, "start")

			saved, err := m.Engine.Save(t.Context(), tt.agent, memories.Draft{
				Name: "Freeze of May", Type: memories.Project, Description: "no releases in May", Body: "Nothing is released from 1 to 15 May.",
			})
			if err != nil || saved.Memory.Name != "freeze-of-may" || saved.Memory.Description != "no releases in May" || saved.Memory.Body != "Nothing is released from 1 to 15 May." {
				t.Fatalf("saved %+v, %v", saved.Memory, err)
			}
			isGolden(t, m, tt.layout, "saved")

			body := "It has changed."
			edited := m.Memory(tt.agent, tt.edited)
			if _, err := m.Engine.Patch(t.Context(), tt.agent, edited.ID, "", engine.Patch{Body: &body}); err != nil {
				t.Fatal(err)
			}
			isGolden(t, m, tt.layout, "edited")

			gone := m.Memory(tt.agent, tt.deleted)
			if _, err := m.Engine.Delete(t.Context(), tt.agent, gone.ID, ""); err != nil {
				t.Fatal(err)
			}
			isGolden(t, m, tt.layout, "deleted")
			m.Scan(tt.agent)
			if _, err := m.Engine.Restore(t.Context(), tt.agent, gone.ID, ""); err != nil {
				t.Fatal(err)
			}
			isGolden(t, m, tt.layout, "edited")
			m.Scan(tt.agent)
			if again := m.Memory(tt.agent, tt.deleted); again.ID != gone.ID || again.Body != gone.Body || again.State != memories.Active {
				t.Errorf("restored %+v", again)
			}
		})
	}
}

// isRefused reports an error that is no conflict with this text.
func isRefused(t *testing.T, err error, text string) {
	t.Helper()
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, text) {
		t.Errorf("the answer is %v, want a conflict with %q", err, text)
	}
}

func TestLayouts_PinnedStays(t *testing.T) {
	t.Parallel()
	m := startLayout(t, "qwen")
	pinned, body := m.Memory("qwen-src-shop", "house-rules"), "changed"
	for name, actor := range map[string]memories.Actor{"a script": memories.ByScript, "Memoir": memories.ByMemoir, "extraction": memories.ByExtraction} {
		ctx := engine.As(t.Context(), actor)
		_, err := m.Engine.Patch(ctx, "qwen-src-shop", pinned.ID, "", engine.Patch{Body: &body})
		isRefused(t, err, "is pinned")
		_, err = m.Engine.Patch(ctx, "qwen-src-shop", pinned.ID, "", engine.Patch{Name: &body})
		isRefused(t, err, "is pinned")
		_, err = m.Engine.Delete(ctx, "qwen-src-shop", pinned.ID, "")
		isRefused(t, err, "is pinned")
		_, err = m.Engine.Verify(ctx, "qwen-src-shop", pinned.ID, "")
		isRefused(t, err, "is pinned")
		isRefused(t, m.Engine.RenameFile(ctx, "qwen-src-shop", "pinned", "free"), "is pinned")
		isRefused(t, m.Engine.RemoveFile(ctx, "qwen-src-shop", "pinned"), "is pinned")
		isRefused(t, m.Engine.CreateFile(ctx, "qwen-src-shop", "pinned/new.md", []byte("new")), "is pinned")
		if t.Failed() {
			t.Fatalf("after %s", name)
		}
	}
	m.Scan("qwen-src-shop")
	isGolden(t, m, "qwen", "start")
	if _, err := m.Engine.Patch(engine.As(t.Context(), memories.ByBrowser), "qwen-src-shop", pinned.ID, "", engine.Patch{Body: &body}); err != nil {
		t.Errorf("a person may not change it: %v", err)
	}
}

func TestLayouts_AgentOfProject(t *testing.T) {
	t.Parallel()
	dir, shop := t.TempDir(), t.TempDir()
	shop = agents.RealDir(shop)
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(shop, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(filepath.Join(shop, ".qwen", "team-memory", "rule.md"), "---\nname: rule\ndescription: when to ask\ntype: feedback\n---\n\nAsk.\n")
	write(filepath.Join(shop, "server", "main.go"), "package main\n")
	name := memoirtest.ClaudeProject(shop)
	write(filepath.Join(dir, "gemini", "tmp", "x", ".project_root"), shop)
	write(filepath.Join(dir, "gemini", "tmp", "x", "memory", "a.md"), "A.\n")
	write(filepath.Join(dir, "qwen", "projects", name, "memory", "a.md"), "A.\n")
	write(filepath.Join(dir, "qwen", "projects", name, "chats", "1.jsonl"), `{"type":"user","cwd":"`+filepath.Join(shop, "server")+`"}`+"\n")
	places := agents.Settings{GeminiDir: filepath.Join(dir, "gemini"), QwenDir: filepath.Join(dir, "qwen")}
	m := memoirtest.StartIn(t, places)
	of := func(engine *engine.Engine) (slugs []string) {
		t.Helper()
		found, err := engine.AgentsOf(t.Context(), agents.Conversation{Dir: filepath.Join(shop, "server")})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range found {
			slugs = append(slugs, a.Slug)
		}
		return slugs
	}
	qwen := "qwen" + name
	if got := of(m.Engine); !slices.Equal(got, []string{qwen}) {
		t.Errorf("with both clients: %q", got)
	}
	list := listOf(t, m)
	team := "qwen-" + filepath.Base(shop) + "-team-memory rule (feedback) when to ask [unlisted]"
	if want := []string{"gemini-x a (project)  [unlisted]", team, qwen + " a (project)  [unlisted]"}; !slices.Equal(list, want) {
		t.Errorf("found %q, want %q", list, want)
	}
	if row, err := m.Store.Agent(t.Context(), qwen); err != nil || row.DisplayName != shop || agents.ProjectDir(agents.Agent{Layout: agents.Qwen, Dir: row.Dir, DisplayName: row.DisplayName}) != shop {
		t.Errorf("the agent is %+v, %v", row, err)
	}
	places.QwenDir = ""
	if got := of(memoirtest.StartIn(t, places).Engine); !slices.Equal(got, []string{"gemini-x"}) {
		t.Errorf("with Gemini CLI only: %q", got)
	}
}

func TestLayouts_ReadOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		layout, agent string
		found         []string
		memory        string
		body          string // of that memory
		file          string // that the client changes
		from, to      string // the change
		after         []string
	}{
		{
			"openclaw", "openclaw",
			[]string{"openclaw memory/important/keys (project) Where the keys are [unlisted]", "openclaw people (project) People [unlisted]", "openclaw preferences (project) Preferences [unlisted]"},
			"people", "- Mira leads the shop.",
			"workspace/MEMORY.md", "\n## People\n- Mira leads the shop.\n", "",
			[]string{"openclaw memory/important/keys (project) Where the keys are [unlisted]", "openclaw preferences (project) Preferences [unlisted]"},
		},
		{
			"letta", "letta-agent-1",
			[]string{"letta-agent-1 notes/release (project)  [unlisted]", "letta-agent-1 system/human (project) who the user is [unlisted]", "letta-agent-1 system/persona (project) who you are [unlisted]"},
			"system/human", "Mira works on the shop.",
			"agents/agent-1/memory/system/human.md", "who the user is", "the user",
			[]string{"letta-agent-1 notes/release (project)  [unlisted]", "letta-agent-1 system/human (project) the user [unlisted]", "letta-agent-1 system/persona (project) who you are [unlisted]"},
		},
		{
			"memory-bank", "bank",
			[]string{"bank activeContext (project) Active context [unlisted]", "bank projectbrief (project) Project brief [unlisted]"},
			"projectbrief", "A shop for boats.",
			"memory-bank/projectbrief.md", "# Project brief", "# Brief",
			[]string{"bank activeContext (project) Active context [unlisted]", "bank projectbrief (project) Brief [unlisted]"},
		},
	} {
		t.Run(tt.layout, func(t *testing.T) {
			t.Parallel()
			m := startLayout(t, tt.layout)
			if got := listOf(t, m); !slices.Equal(got, tt.found) {
				t.Errorf("found %q, want %q", got, tt.found)
			}
			memory, ctx := m.Memory(tt.agent, tt.memory), engine.As(t.Context(), memories.ByBrowser)
			if memory.Body != tt.body {
				t.Errorf("its text is %q, want %q", memory.Body, tt.body)
			}
			text := "changed"
			for name, change := range map[string]func() error{
				"save": func() error {
					_, err := m.Engine.Save(ctx, tt.agent, memories.Draft{Name: "new", Type: memories.Project, Body: text})
					return err
				},
				"edit": func() error {
					_, err := m.Engine.Patch(ctx, tt.agent, memory.ID, "", engine.Patch{Body: &text})
					return err
				},
				"rename": func() error {
					_, err := m.Engine.Patch(ctx, tt.agent, memory.ID, "", engine.Patch{Name: &text})
					return err
				},
				"delete":     func() error { _, err := m.Engine.Delete(ctx, tt.agent, memory.ID, ""); return err },
				"still true": func() error { _, err := m.Engine.Verify(ctx, tt.agent, memory.ID, ""); return err },
				"many":       func() error { return m.Engine.DeleteMany(ctx, tt.agent, []engine.MemoryRef{{ID: memory.ID}})[0] },
			} {
				err := change()
				if t.Run(name, func(t *testing.T) { isRefused(t, err, "Copy the memory to another agent") }); t.Failed() {
					break
				}
			}
			m.Scan(tt.agent)
			isGolden(t, m, tt.layout, "start")

			m.Write(tt.file, strings.Replace(m.Read(tt.file), tt.from, tt.to, 1))
			waittest.For(t, "the client's change", func() bool { return slices.Equal(listOf(t, m), tt.after) })
		})
	}
}

func TestLayouts_DayLogs(t *testing.T) {
	t.Parallel()
	m := startLayout(t, "openclaw")
	row, err := m.Store.Agent(t.Context(), "openclaw")
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.Store.Logs(t.Context(), row.ID, records.FirstLogDay, records.LastLogDay, 1<<20)
	if err != nil || len(all) != 1 || all[0].Path != "memory/2026-11-20.md" || !strings.Contains(all[0].Text, "Started the release.") {
		t.Errorf("the logs are %+v, %v", all, err)
	}
	m.Write("workspace/memory/2026-11-21.md", "# 2026-11-21\n\n- 10:00 Released.\n")
	waittest.For(t, "the log of the next day", func() bool {
		all, err := m.Store.Logs(t.Context(), row.ID, records.FirstLogDay, records.LastLogDay, 1<<20)
		return err == nil && len(all) == 2
	})
}

func TestLayouts_AppearLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := memoirtest.StartIn(t, agents.Settings{
		QwenDir: filepath.Join(dir, "qwen"), GeminiDir: filepath.Join(dir, "gemini"), CodexDir: filepath.Join(dir, "codex"),
		OpenClawDir: filepath.Join(dir, "openclaw"), LettaDir: filepath.Join(dir, "letta"),
	})
	m.Dir = dir
	if got := listOf(t, m); len(got) > 0 {
		t.Errorf("without directories, %q are found", got)
	}
	for path, want := range map[string]string{
		"qwen/projects/-src-shop/memory/a.md":     "qwen-src-shop a (project)  [unlisted]",
		"gemini/tmp/shop/memory/a.md":             "gemini-shop a (project)  [unlisted]",
		"codex/memories/MEMORY.md":                "codex memory (project)  [unlisted]",
		"openclaw/workspace/MEMORY.md":            "openclaw memory (project)  [unlisted]",
		"letta/agents/agent-1/memory/system/a.md": "letta-agent-1 system/a (project)  [unlisted]",
	} {
		m.Write(path, "Text.\n")
		waittest.For(t, path, func() bool { return slices.Contains(listOf(t, m), want) })
	}
}
