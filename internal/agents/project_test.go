package agents_test

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/agents"
)

// projectAt returns the project of a directory, with paths relative to the disk.
func (d disk) projectAt(cwd string) agents.Project {
	d.t.Helper()
	p, err := agents.ProjectAt(d.at(cwd))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, dir := range []*string{&p.Dir, &p.Tree, &p.Root} {
		*dir = strings.TrimPrefix(strings.TrimPrefix(*dir, d.real()), "/")
	}
	return p
}

// real returns the disk's path with links followed. On macOS, the temporary directory is a link.
func (d disk) real() string {
	d.t.Helper()
	real, err := filepath.EvalSymlinks(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	return real
}

// worktree adds a worktree to a repository whose git directory is common, as git does.
func (d disk) worktree(tree, common string) {
	d.t.Helper()
	own := common + "/worktrees/" + filepath.Base(tree)
	d.put(own+"/commondir", "../..\n")
	d.put(own+"/gitdir", d.at(tree)+"/.git\n")
	d.put(tree+"/.git", "gitdir: "+d.at(own)+"\n")
}

func TestProjectAt_Root(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("shop/.git/objects", "shop/cmd/deep/down", "shop/build", "plain/sub")
	d.link("shop/cmd", "short")
	d.link("../separate.git", "linked/.git")
	d.mkdir("separate.git", "linked/sub")

	d.worktree("trees/feature", "shop/.git")
	d.mkdir("trees/feature/cmd", "shop/.claude/worktrees")
	d.worktree("shop/.claude/worktrees/inner", "shop/.git")
	d.put("trees/relative/.git", "gitdir: ../../shop/.git/worktrees/relative\n")
	d.put("shop/.git/worktrees/relative/commondir", "../..")
	d.put("shop/.git/worktrees/relative/gitdir", "../../../../trees/relative/.git\r\n")

	d.put("shop/vendor/lib/.git", "gitdir: ../../.git/modules/lib\n")
	d.mkdir("shop/.git/modules/lib", "shop/vendor/lib/src")
	d.worktree("bare/main", "bare/.bare")
	d.worktree("bare/other", "bare/.bare")

	for cwd, want := range map[string]agents.Project{
		"shop":                               {Dir: "shop", Tree: "shop", Root: "shop", Repository: true},
		"shop/cmd/deep/down":                 {Dir: "shop/cmd/deep/down", Tree: "shop", Root: "shop", Repository: true},
		"shop/cmd/../build/":                 {Dir: "shop/build", Tree: "shop", Root: "shop", Repository: true},
		"shop/is/gone":                       {Dir: "shop/is/gone", Tree: "shop", Root: "shop", Repository: true},
		"short/gone":                         {Dir: "shop/cmd/gone", Tree: "shop", Root: "shop", Repository: true},
		"short/deep":                         {Dir: "shop/cmd/deep", Tree: "shop", Root: "shop", Repository: true},
		"linked/sub":                         {Dir: "linked/sub", Tree: "linked", Root: "linked", Repository: true},
		"trees/feature/cmd":                  {Dir: "trees/feature/cmd", Tree: "trees/feature", Root: "shop", Repository: true},
		"trees/relative":                     {Dir: "trees/relative", Tree: "trees/relative", Root: "shop", Repository: true},
		"shop/.claude/worktrees/inner":       {Dir: "shop/.claude/worktrees/inner", Tree: "shop/.claude/worktrees/inner", Root: "shop", Repository: true},
		"shop/vendor/lib/src":                {Dir: "shop/vendor/lib/src", Tree: "shop/vendor/lib", Root: "shop/vendor/lib", Repository: true},
		"bare/main":                          {Dir: "bare/main", Tree: "bare/main", Root: "bare/.bare", Repository: true},
		"bare/other":                         {Dir: "bare/other", Tree: "bare/other", Root: "bare/.bare", Repository: true},
		"plain/sub":                          {Dir: "plain/sub", Tree: "plain/sub", Root: "plain/sub"},
		"never/been":                         {Dir: "never/been", Tree: "never/been", Root: "never/been"},
		"plain/" + strings.Repeat("a/", 100): {Dir: "plain/" + strings.Repeat("a/", 99) + "a", Tree: "plain/" + strings.Repeat("a/", 99) + "a", Root: "plain/" + strings.Repeat("a/", 99) + "a"},
	} {
		if got := d.projectAt(cwd); got != want {
			t.Errorf("%s: %+v, want %+v", cwd, got, want)
		}
	}
	if _, err := agents.ProjectAt("shop/cmd"); err == nil {
		t.Error("a relative working directory has a project")
	}
}

func TestProjectAt_ForgedWorktree(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("shop/.git/worktrees", "hostile")
	// The worktree's git directory is not below the repository's git directory.
	d.put("hostile/a/git/commondir", d.at("shop/.git"))
	d.put("hostile/a/git/gitdir", d.at("hostile/a/.git"))
	d.put("hostile/a/.git", "gitdir: git\n")
	// The repository names another directory as the worktree.
	d.worktree("trees/feature", "shop/.git")
	d.put("hostile/b/.git", "gitdir: "+d.at("shop/.git/worktrees/feature")+"\n")
	// The file cannot be parsed.
	d.put("hostile/c/.git", "gitdir:\n")
	d.put("hostile/d/.git", "gitdir: "+strings.Repeat("x", 1<<20))
	d.put("hostile/e/.git", "gitdir: git\n")
	d.mkdir("hostile/e/git")
	if err := syscall.Mkfifo(d.at("hostile/e/git/commondir"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"hostile/a", "hostile/b", "hostile/c", "hostile/d", "hostile/e"} {
		if got := d.projectAt(dir); got.Root != dir {
			t.Errorf("%s is taken for a part of %s", dir, got.Root)
		}
	}
}

// chosen returns the slugs of the agents of a working directory's project.
func (d disk) chosen(cwd string, all []agents.Agent) []string {
	d.t.Helper()
	p, err := agents.ProjectAt(d.at(cwd))
	if err != nil {
		d.t.Fatal(err)
	}
	var slugs []string
	for _, a := range p.Agents(all) {
		slugs = append(slugs, a.Slug)
	}
	return slugs
}

// claudeName returns Claude Code's name for the project directory of a directory on the disk.
func (d disk) claudeName(dir string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, filepath.Join(d.real(), dir))
}

func TestProject_Agents(t *testing.T) {
	t.Parallel()
	d := setup(t)
	long := "long/" + strings.Repeat("x", 200)
	d.mkdir("shop/.git", "shop/cmd", "shop/.claude/agent-memory/reviewer", "alone/.git/sub", "alone/memory", "two/.git", "two/a", "two/b",
		"hive/ada/sessions/u-c-1", "hive/ada/inner/src", "elsewhere/cy/work", long+"/.git", "plain/sub", "plain/notes", "plain/lib/.git", "plain/lib/deep")
	d.link("../elsewhere/cy", "hive/linked")
	d.worktree("trees/feature", "shop/.git")
	d.worktree("trees/alone", "alone/.git")
	d.worktree("trees/lib", "plain/lib/.git")
	project := func(dir string) string {
		return filepath.Join(d.dir, "claude", "projects", d.claudeName(dir), "memory")
	}
	all := []agents.Agent{
		{Slug: "inner", Layout: agents.Hive, Dir: d.at("hive/ada/inner")},
		{Slug: "ada", Layout: agents.Hive, Dir: d.at("hive/ada")},
		{Slug: "cy", Layout: agents.Hive, Dir: d.at("hive/linked")},
		{Slug: "shop", Layout: agents.Claude, Dir: project("shop")},
		{Slug: "shop2", Layout: agents.Claude, Dir: project("shop") + "2"}, // not from Claude Code
		{Slug: "long-1", Layout: agents.Claude, Dir: filepath.Join(d.dir, "claude/projects", d.claudeName(long)[:200]+"-1a2b3c", "memory")},
		{Slug: "plain", Layout: agents.Claude, Dir: project("plain")},
		{Slug: "custom", Layout: agents.Claude, Dir: d.at("claude/agent-memory/" + d.claudeName("alone"))},
		{Slug: "reviewer", Layout: agents.Directory, Dir: d.at("shop/.claude/agent-memory/reviewer")},
		{Slug: "alone", Layout: agents.Directory, Dir: d.at("alone/memory")},
		{Slug: "a", Layout: agents.Directory, Dir: d.at("two/a")},
		{Slug: "b", Layout: agents.Directory, Dir: d.at("two/b")},
		{Slug: "notes", Layout: agents.Directory, Dir: d.at("plain/notes")},
	}
	for cwd, want := range map[string][]string{
		"hive/ada/sessions/u-c-1":            {"ada"},
		"hive/ada":                           {"ada"},
		"hive/adam":                          nil,
		"hive/ada/inner/src":                 {"inner"},
		"elsewhere/cy/work":                  {"cy"},
		"hive/linked/work":                   {"cy"},
		"elsewhere":                          nil,
		"shop":                               {"shop"},
		"shop/cmd":                           {"shop"},
		"trees/feature":                      {"shop"},
		"shop/.claude/agent-memory/reviewer": {"reviewer"},
		"plain":                              {"plain"},
		"plain/sub":                          {"plain"},
		"plain/sub/gone":                     {"plain"},
		"plain/lib":                          {"plain"}, // another repository, without an agent
		"plain/lib/deep":                     {"plain"},
		"trees/lib":                          {"plain"},
		"plain/notes":                        {"notes"},
		long:                                 {"long-1"},
		"alone":                              {"alone"},
		"trees/alone":                        {"alone"},
		"two":                                {"a", "b"},
		"two/b":                              {"b"},
		"":                                   nil,
	} {
		if got := d.chosen(cwd, all); !slices.Equal(got, want) {
			t.Errorf("in %q: %q, want %q", cwd, got, want)
		}
	}
}

func TestProject_LongNames(t *testing.T) {
	t.Parallel()
	d := setup(t)
	long := strings.Repeat("x", 220)
	d.mkdir(long + "/.git")
	name := d.claudeName(long)[:200]
	var all []agents.Agent
	for _, hash := range []string{"-one", "-two"} {
		all = append(all, agents.Agent{Slug: hash, Layout: agents.Claude, Dir: filepath.Join(d.dir, "projects", name+hash, "memory")})
	}
	if got := d.chosen(long, all); !slices.Equal(got, []string{"-one", "-two"}) {
		t.Errorf("chosen are %q, want both", got)
	}
}
