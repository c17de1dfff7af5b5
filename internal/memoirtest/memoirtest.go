// Package memoirtest runs a complete Memoir for tests: an engine, a Postgres database and an agents
// directory. It starts, stops and waits, but serves no HTTP. Only tests of the packages above
// internal/sync use it. They need pgtest's TestMain:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
package memoirtest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/recall"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// ClaudeMDLimit is the limit of a CLAUDE.md in tests, in Unicode characters. It is arbitrary.
const ClaudeMDLimit = 40_000

// Memoir is a running Memoir, which stops at the end of its test.
type Memoir struct {
	testing.TB
	Dir      string // directory of the agents
	URL      string // of the database
	Store    *postgres.Store
	Engine   *engine.Engine
	Recaller *recall.Recaller
}

// Files are texts by slash-separated path relative to the agents directory.
type Files map[string]string

// Start writes files into a new agents directory and runs a Memoir over it, with a new database. It
// returns after the first scan, when all memories can be searched. An error ends the test.
func Start(t testing.TB, files Files) *Memoir {
	t.Helper()
	return StartAt(t, pgtest.New(t), files)
}

// StartWith writes files into a new agents directory and runs a Memoir over it, with a new
// database. change may change the engine's options before the start. It returns after the first
// scan, when all memories can be searched. An error ends the test.
func StartWith(t testing.TB, files Files, change func(*engine.Options)) *Memoir {
	t.Helper()
	dir := t.TempDir()
	return startIn(t, pgtest.New(t), dir, agents.Settings{AgentsDir: dir}, files, change)
}

// StartAt writes files into a new agents directory and runs a Memoir over it, with the database at
// url, which must have Memoir's schema. It returns after the first scan, when all memories can be
// searched. An error ends the test.
func StartAt(t testing.TB, url string, files Files) *Memoir {
	t.Helper()
	dir := t.TempDir()
	return startIn(t, url, dir, agents.Settings{AgentsDir: dir}, files)
}

// StartClaude writes files into a new directory, Memoir.Dir, which is Claude Code's, and runs a
// Memoir over it, with a new database. The paths in files are relative to that directory. It
// returns after the first scan, when all memories can be searched. An error ends the test.
func StartClaude(t testing.TB, files Files) *Memoir {
	t.Helper()
	dir := t.TempDir()
	return startIn(t, pgtest.New(t), dir, agents.Settings{ClaudeDir: dir}, files)
}

// ClaudeProject returns the name of Claude Code's directory for the project in dir. It is dir with
// dashes in place of all characters but ASCII letters and digits.
func ClaudeProject(dir string) string {
	return regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(dir, "-")
}

// StartDirectory runs a Memoir over one existing memory directory of an agent named slug, with a
// new database. It returns after the first scan, when all memories can be searched. An error ends
// the test.
func StartDirectory(t testing.TB, slug, dir string) *Memoir {
	t.Helper()
	return startIn(t, pgtest.New(t), dir, agents.Settings{MemoryDirs: []agents.NamedDir{{Slug: slug, Path: dir}}}, nil)
}

// StartSharing writes files into a new agents directory and the files shared into a second new
// directory, teamDir. It runs a Memoir with a new database, which gives all agents the memories of
// teamDir. The slug of teamDir's own agent is "team". It returns after the first scan, when all
// memories can be searched. An error ends the test.
func StartSharing(t testing.TB, files, shared Files) (m *Memoir, teamDir string) {
	t.Helper()
	dir, team := t.TempDir(), &Memoir{TB: t, Dir: t.TempDir()}
	for path, text := range shared {
		team.Write(path, text)
	}
	return startIn(t, pgtest.New(t), dir, agents.Settings{AgentsDir: dir, TeamDir: team.Dir}, files), team.Dir
}

// StartIn runs a Memoir over the existing directories of places, with a new database. Memoir.Dir is
// places.AgentsDir. It returns after the first scan, when all memories can be searched. An error
// ends the test.
func StartIn(t testing.TB, places agents.Settings) *Memoir {
	t.Helper()
	return startIn(t, pgtest.New(t), places.AgentsDir, places, nil)
}

func startIn(t testing.TB, url, dir string, places agents.Settings, files Files, changes ...func(*engine.Options)) *Memoir {
	t.Helper()
	m := &Memoir{TB: t, Dir: dir, URL: url}
	for path, text := range files {
		m.Write(path, text)
	}
	log := slog.New(slog.DiscardHandler)
	store, err := postgres.Open(t.Context(), m.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	options := engine.Options{Places: places, Debounce: 20 * time.Millisecond, Rescan: time.Hour, ClaudeMDLimit: ClaudeMDLimit, Log: log}
	for _, change := range changes {
		change(&options)
	}
	engine, err := engine.Start(store, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	recaller := recall.New(store, recall.Options{Log: log})
	t.Cleanup(recaller.Close)
	m.Store, m.Engine, m.Recaller = store, engine, recaller
	waittest.For(m, "the first scan", engine.Ready)
	waittest.For(m, "the search index", engine.Searchable)
	return m
}

// Note returns the text of a memory file with this name, type and body, and the description "About"
// and the name.
func Note(name string, t memories.Type, body string) string {
	return "---\nname: " + name + "\ndescription: About " + name + "\ntype: " + string(t) + "\n---\n\n" + body + "\n"
}

// Path returns the path on disk of a file in the agents directory. name is slash-separated and
// relative to it.
func (m *Memoir) Path(name string) string { return filepath.Join(m.Dir, filepath.FromSlash(name)) }

// Write writes a file into the agents directory, in place of an existing one, and creates its
// parents. No scan reads a part of it. It starts no scan. An error ends the test.
func (m *Memoir) Write(name, text string) {
	m.Helper()
	if err := os.MkdirAll(filepath.Dir(m.Path(name)), 0o755); err != nil {
		m.Fatal(err)
	}
	// The file is written elsewhere and renamed, so that no scan reads a part of it.
	whole := filepath.Join(m.TempDir(), "whole")
	if err := os.WriteFile(whole, []byte(text), 0o644); err != nil {
		m.Fatal(err)
	}
	if err := os.Rename(whole, m.Path(name)); err != nil {
		m.Fatal(err)
	}
}

// Read returns the content of a file in the agents directory, or "" if it is missing. Another error
// ends the test.
func (m *Memoir) Read(name string) string {
	m.Helper()
	raw, err := os.ReadFile(m.Path(name))
	if err != nil && !os.IsNotExist(err) {
		m.Fatal(err)
	}
	return string(raw)
}

// Remove removes a file, or a directory with its contents, from the agents directory, as the function
// Remove does.
func (m *Memoir) Remove(name string) {
	m.Helper()
	Remove(m, m.Path(name))
}

// Remove removes a file, or a directory with its contents. A missing one is no error. No scan finds
// only a part of a directory. It ends the test if the removal does not succeed in time.
func Remove(t testing.TB, path string) {
	t.Helper()
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		// A rename removes all files at once, so that no scan sees a part of them.
		aside := filepath.Join(t.TempDir(), "removed")
		if err := os.Rename(path, aside); err != nil {
			t.Fatal(err)
		}
		path = aside
	}
	// Memoir may write into the directory at the same time, so that it is not empty.
	waittest.For(t, path+" to go", func() bool { return os.RemoveAll(path) == nil })
}

// Scan runs a full scan of an agent and waits for its end. An error ends the test.
func (m *Memoir) Scan(slug string) {
	m.Helper()
	if _, err := m.Engine.Scan(m.Context(), slug); err != nil {
		m.Fatal(err)
	}
}

// Memory returns the agent's memory with this name: a living one, else one in the trash. It ends
// the test if there is no such memory or agent.
func (m *Memoir) Memory(slug, name string) memories.Memory {
	m.Helper()
	agent, err := m.Store.Agent(context.Background(), slug)
	if err != nil {
		m.Fatal(err)
	}
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := m.Store.Memories(context.Background(), agent, memories.Filter{State: state, Name: name}, memories.PageRequest{Limit: 1})
		if err != nil {
			m.Fatal(err)
		}
		if len(page.Memories) > 0 {
			return page.Memories[0]
		}
	}
	m.Fatalf("%s has no memory %q", slug, name)
	return memories.Memory{}
}

// LetIn lets all memories of an agent out of quarantine.
func (m *Memoir) LetIn(slug string) {
	m.Helper()
	agent, err := m.Store.Agent(m.Context(), slug)
	if err != nil {
		m.Fatal(err)
	}
	page, err := m.Store.Memories(m.Context(), agent, memories.Filter{}, memories.PageRequest{Limit: records.MaxLimit})
	if err != nil {
		m.Fatal(err)
	}
	for _, held := range page.Memories {
		if !held.IsQuarantined() {
			continue
		}
		if _, err := m.Engine.LetIn(m.Context(), slug, held.ID, ""); err != nil {
			m.Fatal(err)
		}
	}
}

// RepairIndex brings the agent's MEMORY.md in step with its memory files. An error ends the test.
func (m *Memoir) RepairIndex(slug string) {
	m.Helper()
	if _, err := m.Engine.RepairIndex(m.Context(), slug, ""); err != nil {
		m.Fatal(err)
	}
}

// ExpectIndexTrue reports an error if the agent's MEMORY.md lacks a memory file, has a dead link, or
// lacks one of the lines. door is how the memory was written, for the message.
func (m *Memoir) ExpectIndexTrue(slug, door string, lines ...string) {
	m.Helper()
	index, err := m.Engine.Index(m.Context(), slug)
	if err != nil {
		m.Errorf("%s: %v", door, err)
		return
	}
	for _, f := range index.Findings {
		if f.Code == memorymd.FindingUnlisted || f.Code == memorymd.FindingDeadLink {
			m.Errorf("%s: line %d of the index: %s\n%s", door, f.Line, f.Message, index.Raw)
		}
	}
	for _, line := range lines {
		if !strings.Contains("\n"+string(index.Raw), "\n"+line+"\n") {
			m.Errorf("%s: the index lacks %q:\n%s", door, line, index.Raw)
		}
	}
}
