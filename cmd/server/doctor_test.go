package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/doctor"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// diagnosis runs memoir doctor. It returns the checks by name, and whether none has a problem. If checks
// have the same name, it prefers one with a problem. It leaves out the check of disk space, which depends
// on the machine.
func (s *started) diagnosis(env []string, args ...string) (found map[string]doctor.Check, healthy bool) {
	s.Helper()
	said, err := s.runs(env, append([]string{"doctor", "--json"}, args...)...)
	var answer struct {
		OK     bool
		Checks []doctor.Check
	}
	if failed := json.Unmarshal([]byte(said), &answer); failed != nil {
		s.Fatalf("%v: %s", failed, said)
	}
	if answer.OK != (err == nil) {
		s.Errorf("ok is %v, and the exit code says %v", answer.OK, err)
	}
	if answer.OK == doctor.HasProblem(answer.Checks) {
		s.Errorf("ok is %v: %+v", answer.OK, answer.Checks)
	}
	checks := slices.DeleteFunc(answer.Checks, func(c doctor.Check) bool { return c.Check == "disk space" })
	found = map[string]doctor.Check{}
	for _, c := range checks {
		if found[c.Check].State != doctor.Problem {
			found[c.Check] = c
		}
		if c.State == doctor.Problem && c.Text == "" {
			s.Errorf("no text: %+v", c)
		}
	}
	return found, !doctor.HasProblem(checks)
}

func TestDoctor_Server(t *testing.T) {
	t.Parallel()
	backups := filepath.Join(t.TempDir(), "backups")
	s := start(t, nil, "--database-url="+pgtest.New(t), "--backup-dir="+backups, "--backup-every=1s", "--backup-keep=1")
	s.write("one")
	s.serves()
	env := []string{"HOME=" + t.TempDir()}
	waittest.For(t, "a backup", func() bool {
		checks, healthy := s.diagnosis(env, "--url="+s.url)
		return healthy && strings.Contains(checks["backup"].Text, backups)
	})
	checks, _ := s.diagnosis(env, "--url="+s.url)
	for _, name := range []string{"server", "version", "database", "agents directory", "scan", "agents", "backup"} {
		if checks[name].State != doctor.OK {
			t.Errorf("%s: %+v", name, checks[name])
		}
	}
	if err := os.Chmod(s.agents, 0o777); err != nil { //nolint:gosec // it is what is found
		t.Fatal(err)
	}
	if err := os.Rename(backups, backups+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(backups, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "both problems", func() bool {
		checks, healthy := s.diagnosis(env, "--url="+s.url)
		return !healthy && checks["backup"].State == doctor.Problem &&
			checks["agents directory"].State == doctor.Problem && strings.Contains(checks["agents directory"].Fix, "chmod o-w "+s.agents)
	})
	said, err := s.runs(env, "doctor", "--url="+s.url)
	if err == nil || !strings.Contains(said, "PROBLEM  agents directory") || !strings.Contains(said, "chmod o-w") {
		t.Errorf("%v: %s", err, said)
	}
	s.endsWell()
}

func TestDoctor_WithoutServer(t *testing.T) {
	t.Parallel()
	s := &started{T: t}
	home := t.TempDir()
	file := filepath.Join(home, "data")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "MEMOIR_ADDR=127.0.0.1:1", "MEMOIR_DATA_DIR=" + file, "MEMOIR_AGENTS_DIR=" + file, "PATH=" + home}
	checks, healthy := s.diagnosis(env)
	for _, name := range []string{"server", "data directory", "PostgreSQL", "agents directory"} {
		if checks[name].State != doctor.Problem || checks[name].Fix == "" || healthy {
			t.Errorf("%s: %+v", name, checks[name])
		}
	}
	checks, _ = s.diagnosis(append(env, "MEMOIR_DEBOUNCE=never"))
	if !strings.Contains(checks["settings"].Text, "MEMOIR_DEBOUNCE") {
		t.Errorf("a wrong variable: %+v", checks)
	}
}

// Claude Code's settings of this user are checked next to the server.
func TestDoctor_ClaudeCode(t *testing.T) {
	t.Parallel()
	s := &started{T: t}
	home := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		at := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"HOME=" + home, "MEMOIR_ADDR=127.0.0.1:1"}
	wants := func(what, check string, state doctor.State, says string) {
		t.Helper()
		checks, _ := s.diagnosis(env)
		if c := checks[check]; c.State != state || !strings.Contains(c.Text, says) {
			t.Errorf("%s: %+v, want %s, %q", what, c, state, says)
		}
	}
	wants("no Claude Code", "hooks", "", "")
	put(".claude/CLAUDE.md", "")
	wants("no settings", "hooks", doctor.Note, "not in")
	wants("no settings", "MCP", doctor.Note, "not among")
	put(".claude/settings.json", `{"hooks": {}}`)
	wants("other hooks", "hooks", doctor.Note, "not in")
	if said, err := s.runs(env, "hooks", "install", "--with-model=false"); err != nil {
		t.Fatal(said)
	}
	wants("installed", "hooks", doctor.OK, "memoir")
	raw, err := os.ReadFile(filepath.Join(home, ".claude/settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	put(".claude/settings.json", strings.ReplaceAll(string(raw), path, home+"/gone/memoir"))
	wants("a program that is gone", "hooks", doctor.Problem, "/gone/memoir")
	put(".claude/settings.json", strings.Replace(string(raw), "{", `{"disableAllHooks": true,`, 1))
	wants("switched off", "hooks", doctor.Problem, "switches all hooks off")
	put(".claude/settings.json", "{")
	wants("no JSON", "hooks", doctor.Problem, "settings.json")
	put(".claude.json", `{"projects": {"/x": {"mcpServers": {"notes": {"type": "http", "url": "http://127.0.0.1:1/mcp?dir=${PWD}"}}}}}`)
	wants("MCP of a project", "MCP", doctor.OK, "notes at")
	put(".claude.json", `{"mcpServers": {"other": {"type": "http", "url": "http://127.0.0.1:2/mcp"}}}`)
	wants("another MCP server", "MCP", doctor.Note, "not among")
}
