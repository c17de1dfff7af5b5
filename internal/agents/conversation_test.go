package agents_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
)

func TestAgentsOf_Conversation(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("alpha/sub", "alpha/new/.git", "alpha/new/cmd", "beta", "shop/.git", "shop/cmd", "other", "outside", "hive/ada/memory")
	d.worktree("trees/feature", "shop/.git")
	claude := d.at("claude")
	project := func(dir string) string { return "claude/projects/" + d.claudeName(dir) }
	line := func(cwd string) string { return fmt.Sprintf(`{"type":"user","cwd":%q}`+"\n", d.at(cwd)) }
	for _, dir := range []string{"alpha", "beta", "shop", "moved", "alpha/new"} {
		d.mkdir(project(dir) + "/memory")
	}
	d.put(project("alpha")+"/1.jsonl", line("alpha")+line("beta"))
	d.put(project("shop/cmd")+"/1.jsonl", `{"type":"summary"}`+"\n"+line("shop/cmd")+line("beta"))
	d.put(project("trees/feature")+"/1.jsonl", line("trees/feature"))
	d.put(project("other")+"/1.jsonl", line("other"))
	d.put(project("gone")+"/1.jsonl", line("alpha"))
	d.put(project("alpha/new/cmd")+"/1.jsonl", line("alpha/new/cmd"))
	d.put(project("other")+"/none.jsonl", `{"type":"summary"}`+"\n")
	d.put(project("other")+"/late.jsonl", strings.Repeat(`{"type":"noise"}`+"\n", 100_000)+line("alpha"))
	d.put(project("other")+"/relative.jsonl", `{"cwd":"alpha"}`+"\n"+line("alpha"))
	d.put("outside/1.jsonl", line("alpha"))
	d.link(d.at("outside/1.jsonl"), project("other")+"/link.jsonl")
	d.link(d.at("claude/projects"), "linked")
	at := func(dir string) string { return d.at(project(dir) + "/memory") }
	all := []agents.Agent{
		{Slug: "ada", Layout: agents.Hive, Dir: d.at("hive/ada")},
		{Slug: "alpha", Layout: agents.Claude, Dir: at("alpha"), DisplayName: d.at("alpha")},
		{Slug: "beta", Layout: agents.Claude, Dir: at("beta"), DisplayName: d.at("beta")},
		{Slug: "shop", Layout: agents.Claude, Dir: at("shop"), DisplayName: d.at("shop")},
		{Slug: "before", Layout: agents.Claude, Dir: at("moved"), DisplayName: d.at("moved")},
		{Slug: "moved", Layout: agents.Claude, Dir: d.at("elsewhere"), DisplayName: d.at("moved")},
		{Slug: "gone", Layout: agents.Claude, Dir: at("gone"), DisplayName: d.at("gone")},
		{Slug: "way", Layout: agents.Claude, Dir: d.at("way/memory"), JoinedTo: "beta"},
	}
	in := func(dir, name string) string { return d.at(project(dir) + "/" + name) }
	for name, c := range map[string]struct {
		transcript, cwd string
		want            []string
	}{
		"in the project":            {in("alpha", "1.jsonl"), d.at("alpha"), []string{"alpha"}},
		"after a cd":                {in("alpha", "1.jsonl"), d.at("beta"), []string{"alpha"}},
		"cd to nowhere":             {in("alpha", "1.jsonl"), d.at("alpha/gone"), []string{"alpha"}},
		"cd to another agent":       {in("alpha", "1.jsonl"), d.at("hive/ada"), []string{"alpha"}},
		"no directory":              {in("alpha", "1.jsonl"), "", []string{"alpha"}},
		"before there is a file":    {in("alpha", "2.jsonl"), d.at("beta"), []string{"alpha"}},
		"of a subagent":             {in("alpha", "1/subagents/a.jsonl"), d.at("beta"), []string{"alpha"}},
		"by a link to projects":     {d.at("linked/" + d.claudeName("alpha") + "/1.jsonl"), d.at("beta"), []string{"alpha"}},
		"memory moved by settings":  {in("moved", "1.jsonl"), d.at("beta"), []string{"moved"}},
		"begun below the root":      {in("shop/cmd", "1.jsonl"), d.at("beta"), []string{"shop"}},
		"begun in a worktree":       {in("trees/feature", "1.jsonl"), d.at("beta"), []string{"shop"}},
		"begun where no agent is":   {in("other", "1.jsonl"), d.at("beta"), nil},
		"memory without an agent":   {in("alpha/new", "1.jsonl"), d.at("beta"), nil},
		"root's without an agent":   {in("alpha/new/cmd", "1.jsonl"), d.at("beta"), nil},
		"an agent without a memory": {in("gone", "1.jsonl"), d.at("beta"), []string{"alpha"}},
		"names no directory":        {in("other", "none.jsonl"), d.at("beta"), []string{"beta"}},
		"names one too late":        {in("other", "late.jsonl"), d.at("beta"), []string{"beta"}},
		"names a relative one":      {in("other", "relative.jsonl"), d.at("beta"), []string{"alpha"}},
		"a link that leaves":        {in("other", "link.jsonl"), d.at("beta"), []string{"beta"}},
		"outside of projects":       {d.at("outside/1.jsonl"), d.at("beta"), []string{"beta"}},
		"climbs out of projects":    {in("alpha", "../../../outside/1.jsonl"), d.at("beta"), []string{"beta"}},
		"the projects directory":    {d.at("claude/projects"), d.at("beta"), []string{"beta"}},
		"right in it":               {d.at("claude/projects/1.jsonl"), d.at("beta"), []string{"beta"}},
		"relative path":             {"1.jsonl", d.at("beta"), []string{"beta"}},
		"NUL":                       {in("other", "a\x00b.jsonl"), d.at("beta"), []string{"beta"}},
		"no transcript":             {"", d.at("alpha/sub"), []string{"alpha"}},
		"no transcript, a worktree": {"", d.at("trees/feature"), []string{"shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := agents.AgentsOf(agents.Conversation{Transcript: c.transcript, Dir: c.cwd}, claude, all)
			if err != nil {
				t.Fatal(err)
			}
			var slugs []string
			for _, a := range found {
				slugs = append(slugs, a.Slug)
			}
			if !slices.Equal(slugs, c.want) {
				t.Errorf("AgentsOf() = %q, want %q", slugs, c.want)
			}
		})
	}
	t.Run("Claude Code is off", func(t *testing.T) {
		t.Parallel()
		c := agents.Conversation{Transcript: in("alpha", "1.jsonl"), Dir: d.at("beta")}
		if found, err := agents.AgentsOf(c, "", all); err != nil || len(found) != 1 || found[0].Slug != "beta" {
			t.Errorf("AgentsOf() = %v, %v, want beta", found, err)
		}
	})
	t.Run("nothing to decide by", func(t *testing.T) {
		t.Parallel()
		if found, err := agents.AgentsOf(agents.Conversation{}, claude, all); err == nil {
			t.Errorf("AgentsOf() = %v, want an error", found)
		}
	})
	t.Run("joined", func(t *testing.T) {
		t.Parallel()
		d.mkdir("claude/projects/-x/memory")
		joined := append(slices.Clone(all), agents.Agent{
			Slug: "joined", Layout: agents.Claude, Dir: filepath.Join(claude, "projects/-x/memory"), JoinedTo: "beta",
		})
		c := agents.Conversation{Transcript: filepath.Join(claude, "projects/-x/1.jsonl"), Dir: d.at("alpha")}
		if found, err := agents.AgentsOf(c, claude, joined); err != nil || len(found) != 1 || found[0].Slug != "beta" {
			t.Errorf("AgentsOf() = %v, %v, want beta", found, err)
		}
	})
}

func TestProject_HomeIsNotAParent(t *testing.T) {
	d := setup(t)
	d.mkdir("home/me/code")
	t.Setenv("HOME", d.at("home/me"))
	all := []agents.Agent{{Slug: "home", Layout: agents.Claude, Dir: filepath.Join(d.dir, "projects", d.claudeName("home/me"), "memory")}}
	if got := d.chosen("home/me/code", all); got != nil {
		t.Errorf("chosen = %q, want none", got)
	}
	if got := d.chosen("home/me", all); !slices.Equal(got, []string{"home"}) {
		t.Errorf("chosen = %q, want home", got)
	}
}
