package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"memoir/internal/agents"
)

func TestProjectDir_Layouts(t *testing.T) {
	root := t.TempDir()
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	for _, dir := range []string{"home/me/code/ledger", "code/ledger/.git", "code/ledger/memory/deep", "code/notes/.git", "code/loose", "code/tree/memory"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "code/tree/.git"), []byte("gitdir: ../ledger/.git/worktrees/tree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "code/file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "code/ledger/memory"), filepath.Join(root, "code/linked")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(root, "home/me"))
	at := func(dir string) string { return filepath.Join(root, dir) }
	for what, c := range map[string]struct {
		agent agents.Agent
		want  string
	}{
		"a project of Claude Code":             {agents.Agent{Layout: agents.Claude, DisplayName: at("code/loose")}, at("code/loose")},
		"one in the user's home":               {agents.Agent{Layout: agents.Claude, DisplayName: at("home/me/code/ledger")}, at("home/me/code/ledger")},
		"the user's home":                      {agents.Agent{Layout: agents.Claude, DisplayName: at("home/me")}, ""},
		"the directory of all homes":           {agents.Agent{Layout: agents.Claude, DisplayName: at("home")}, ""},
		"the root of the disk":                 {agents.Agent{Layout: agents.Claude, DisplayName: "/"}, ""},
		"one that is gone":                     {agents.Agent{Layout: agents.Claude, DisplayName: at("code/gone")}, ""},
		"a file":                               {agents.Agent{Layout: agents.Claude, DisplayName: at("code/file")}, ""},
		"one that no transcript names":         {agents.Agent{Layout: agents.Claude, DisplayName: "-code-ledger"}, ""},
		"a custom agent":                       {agents.Agent{Layout: agents.Claude, DisplayName: "reviewer"}, ""},
		"a hive agent, in a repository":        {agents.Agent{Layout: agents.Hive, Dir: at("code/ledger/memory"), DisplayName: at("code/ledger")}, ""},
		"a directory in a repository":          {agents.Agent{Layout: agents.Directory, Dir: at("code/ledger/memory/deep")}, at("code/ledger")},
		"a directory that a link leads to":     {agents.Agent{Layout: agents.Directory, Dir: at("code/linked/deep")}, at("code/ledger")},
		"a directory in a worktree":            {agents.Agent{Layout: agents.Directory, Dir: at("code/tree/memory")}, at("code/tree")},
		"a repository of nothing but memories": {agents.Agent{Layout: agents.Directory, Dir: at("code/notes")}, ""},
		"a directory in no repository":         {agents.Agent{Layout: agents.Directory, Dir: at("code/loose")}, ""},
		"a directory that is gone":             {agents.Agent{Layout: agents.Directory, Dir: at("code/ledger/gone")}, ""},
	} {
		if got := agents.ProjectDir(c.agent); got != c.want {
			t.Errorf("the project of %s is %q, want %q", what, got, c.want)
		}
	}
}
