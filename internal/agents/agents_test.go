package agents_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"memoir/internal/agents"
)

// disk is a temporary directory with the agents of a test.
type disk struct {
	t   *testing.T
	dir string
}

func setup(t *testing.T) disk {
	t.Helper()
	return disk{t: t, dir: t.TempDir()}
}

func (d disk) at(path string) string { return filepath.Join(d.dir, path) }

func (d disk) mkdir(paths ...string) {
	d.t.Helper()
	for _, path := range paths {
		if err := os.MkdirAll(d.at(path), 0o755); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d disk) put(path, content string) {
	d.t.Helper()
	d.mkdir(filepath.Dir(path))
	if err := os.WriteFile(d.at(path), []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) putAll(paths ...string) {
	d.t.Helper()
	for _, path := range paths {
		d.put(path, "content of "+path)
	}
}

func (d disk) link(target, path string) {
	d.t.Helper()
	d.mkdir(filepath.Dir(path))
	if err := os.Symlink(target, d.at(path)); err != nil {
		d.t.Fatal(err)
	}
}

func TestAgent_SessionOf(t *testing.T) {
	t.Parallel()
	hive, claude := agents.Agent{Layout: agents.Hive}, agents.Agent{Layout: agents.Claude}
	for _, c := range []struct {
		agent   agents.Agent
		path    string
		session string
		primary bool
	}{
		{hive, "memory/a.md", "", true},
		{hive, "memory", "", true},
		{hive, "memory/sub/a.md", "", true},
		{hive, "sessions/u-c-1/memory/a.md", "u-c-1", false},
		{hive, "sessions/u-c-1/memory", "u-c-1", false},
		{hive, "sessions/u-c-1/notes.md", "", false},
		{hive, "sessions/notes.md", "", false},
		{hive, "CLAUDE.md", "", false},
		{hive, "../other/memory/a.md", "", false},
		{hive, ".", "", false},
		{claude, "a.md", "", true},
		{claude, "sessions/x/memory/a.md", "", true},
		{claude, ".", "", true},
		{claude, "../a.md", "", false},
	} {
		session, primary := c.agent.SessionOf(c.path)
		if session != c.session || primary != c.primary {
			t.Errorf("%s %s: session %q primary %v, want %q %v", c.agent.Layout, c.path, session, primary, c.session, c.primary)
		}
	}
}

func TestPublished_HiveOnly(t *testing.T) {
	t.Parallel()
	for layout, want := range map[agents.Layout]struct{ primary, claudeMD string }{
		agents.Hive:      {"memory", "CLAUDE.md"},
		agents.Claude:    {".", ""},
		agents.Directory: {".", ""},
	} {
		a := agents.Agent{Layout: layout}
		if a.PrimaryDir() != want.primary || a.ClaudeMDPath(nil) != want.claudeMD || a.Published() != (want.claudeMD != "") {
			t.Errorf("%s: %q %q %v", layout, a.PrimaryDir(), a.ClaudeMDPath(nil), a.Published())
		}
	}
}

func TestParseSession_Fields(t *testing.T) {
	t.Parallel()
	thread := time.Date(2024, 4, 5, 19, 34, 38, 0, time.UTC)
	for name, want := range map[string]agents.Session{
		"U01-C02-1712345678.123456":      {User: "U01", Channel: "C02", Thread: thread.Add(123456 * time.Microsecond)},
		"U01-C02-1712345678":             {User: "U01", Channel: "C02", Thread: thread},
		"ann-lee-C02-1712345678.5":       {User: "ann-lee", Channel: "C02", Thread: thread.Add(500 * time.Millisecond)},
		"U01-C02":                        {},
		"U01-C02-yesterday":              {},
		"U01-C02-17":                     {},
		"-C02-1712345678":                {},
		"C02-1712345678":                 {},
		"scratch":                        {},
		"U01-C02-1712345678.12345678901": {},
	} {
		want.Name = name
		if got := agents.ParseSession(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestLinked_InsideOrOutside(t *testing.T) {
	t.Parallel()
	agent := agents.Agent{Layout: agents.Hive, Dir: "/agents/ada"}
	for _, c := range []struct {
		index, target, path string
		inside              bool
	}{
		{"memory/MEMORY.md", "a.md", "memory/a.md", true},
		{"memory/MEMORY.md", "sub/a.md", "memory/sub/a.md", true},
		{"memory/MEMORY.md", "../sessions/s/memory/a.md", "sessions/s/memory/a.md", true},
		{"memory/MEMORY.md", "/agents/ada/memory/a.md", "memory/a.md", true},
		{"sessions/s/memory/MEMORY.md", "../../../memory/a.md", "memory/a.md", true},
		{"memory/MEMORY.md", "..a.md", "memory/..a.md", true},
		{"memory/MEMORY.md", "../../bob/memory/a.md", "", false},
		{"memory/MEMORY.md", "/agents/bob/memory/a.md", "", false},
		{"memory/MEMORY.md", "/agents/ada-2/memory/a.md", "", false},
	} {
		path, inside := agent.Linked(c.index, c.target)
		if inside != c.inside || inside && path != c.path {
			t.Errorf("%s in %s leads to %q, inside %v", c.target, c.index, path, inside)
		}
	}
}
