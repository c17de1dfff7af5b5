package agents_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
)

const definitionOf = "---\nname: %NAME%\ndescription: Use it: always, for \"this\": and that\n<example>: [broken\nmemory: %SCOPE%\ncolor: red\n---\n\nYou review.\n"

func define(name, scope string) string {
	return strings.NewReplacer("%NAME%", name, "%SCOPE%", scope).Replace(definitionOf)
}

// worksOn writes a transcript, so that Claude Code knows the project.
func (d disk) worksOn(project string) {
	d.t.Helper()
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '.' || r == '_' {
			return '-'
		}
		return r
	}, d.at(project))
	d.put("claude/projects/"+name+"/1.jsonl", `{"cwd":"`+d.at(project)+`"}`+"\n")
}

func TestDiscover_CustomAgents(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("app/.git", "app/.claude/agent-memory/old", "app/.claude/agent-memory/.hidden", "secrets",
		"trees/feature/.claude/agent-memory/reviewer", "trees/feature/.claude/agent-memory-local/mine")
	d.put("app/.git/HEAD", "ref: refs/heads/main\n")
	d.worktree("trees/feature", "app/.git")
	d.worksOn("app")
	d.worksOn("trees/feature")
	d.worksOn("gone")
	d.put("claude/agents/planner.md", define("planner", "user"))
	d.put("claude/agents/deep/er/auditor.md", define("auditor", `"User" # for all`))
	d.put("claude/agents/everywhere.md", define("everywhere", "project"))
	d.put("app/.claude/agents/reviewer.md", define("reviewer", "project"))
	d.put("app/.claude/agents/plugin.md", define("kit:tester", "project"))
	d.put("app/.claude/agents/mine.md", define("mine", "local"))
	d.put("app/.claude/agents/shared.md", define("shared", "user"))
	d.put("app/.claude/agents/none.md", "---\nname: none\n---\n")
	d.put("app/.claude/agents/nonsense.md", define("nonsense", "everybody"))
	d.put("app/.claude/agents/unclosed.md", "---\nname: unclosed\nmemory: project\n")
	d.put("app/.claude/agents/prose.md", "memory: project\n")
	d.put("app/.claude/agents/nested.md", "---\nmetadata:\n  memory: project\n---\n")
	for file, name := range map[string]string{"up": "../../../evil", "abs": "/etc/evil", "dot": "..", "slash": `a\b`} {
		d.put("app/.claude/agents/"+file+".md", define(name, "project"))
	}
	// A repository's author may not be trusted: links in it could lead anywhere.
	d.link("../../../secrets", "app/.claude/agent-memory/leads-out")
	d.put("app/.claude/agents/leads-out.md", define("leads-out", "project"))
	d.link("../../secrets", "app/.claude/agent-memory-local")
	d.mkdir("secrets/inside")

	app, at := d.at("app"), "app/.claude/agent-memory/"
	tree := d.at("trees/feature")
	d.wantsFound(agents.Settings{ClaudeDir: d.at("claude")},
		"claude "+d.claudeName("app")+" claude/projects/"+d.claudeName("app")+"/memory ("+app+")",
		"claude auditor claude/agent-memory/auditor (auditor)",
		"claude planner claude/agent-memory/planner (planner)",
		"claude shared claude/agent-memory/shared (shared)",
		"claude app-kit-tester "+at+"kit-tester (kit-tester in "+app+")",
		"claude app-old "+at+"old (old in "+app+")",
		"claude app-reviewer "+at+"reviewer (reviewer in "+app+")",
		"claude feature-reviewer trees/feature/.claude/agent-memory/reviewer (reviewer in "+tree+")")
	if err := os.Remove(d.at("app/.claude/agent-memory-local")); err != nil {
		t.Fatal(err)
	}
	found, _, _ := d.discover(agents.Settings{ClaudeDir: d.at("claude")})
	if last := found[len(found)-2]; last != "claude app-mine-local app/.claude/agent-memory-local/mine (mine in "+app+" (local))" {
		t.Errorf("found last %s", last)
	}
	// A named directory is not also found as another agent.
	found, _, _ = d.discover(agents.Settings{ClaudeDir: d.at("claude"), MemoryDirs: []agents.NamedDir{{Slug: "byhand", Path: d.at(at + "old")}}})
	if all := strings.Join(found, "\n"); strings.Contains(all, "app-old") || !strings.Contains(all, "directory byhand") {
		t.Errorf("a directory named by hand is found twice:\n%s", all)
	}
}

func TestScopeOf_Directory(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("app/.claude/agent-memory/reviewer", "app/.claude/agent-memory-local/mine", "claude/agent-memory/planner", "claude/projects/-x/memory")
	d.worksOn("app")
	want := map[string]agents.Scope{"planner": agents.UserScope, "app-reviewer": agents.ProjectScope, "app-mine-local": agents.LocalScope, "-x": "", d.claudeName("app"): ""}
	settings := agents.Settings{ClaudeDir: d.at("claude")}
	found, _ := agents.Discover(settings, func(string) {})
	if len(found) != len(want) {
		t.Errorf("found %v", found)
	}
	for _, a := range agents.AssignSlugs(found, nil) {
		w := agents.LocateMemory(settings, a)
		if w.Scope != want[a.Slug] || !w.ByClaude || !w.On {
			t.Errorf("%s: %+v", a.Slug, w)
		}
		if inApp := strings.HasPrefix(a.Slug, "app-") || a.Slug == d.claudeName("app"); inApp != (w.Project == d.at("app")) {
			t.Errorf("%s is about %q", a.Slug, w.Project)
		}
	}
}

func TestDiscover_MovedMemory(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("app/.claude", "moved", "shop", "evil/.claude", "stolen")
	for _, project := range []string{"app", "shop", "evil"} {
		d.worksOn(project)
	}
	d.put("app/.claude/settings.local.json", `{"autoMemoryDirectory": "`+d.at("moved")+`"} // mine`)
	d.put("evil/.claude/settings.json", `{"autoMemoryDirectory": "`+d.at("stolen")+`"}`)
	settings := agents.Settings{ClaudeDir: d.at("claude")}
	saved := func(found []agents.Found) []agents.Found {
		return slices.DeleteFunc(found, func(f agents.Found) bool { return f.Expected })
	}
	found, _ := agents.Discover(settings, func(string) {})
	found = saved(found)
	if len(found) != 1 || found[0].Dir != d.at("moved") || found[0].DisplayName != d.at("app") {
		t.Fatalf("found %+v", found)
	}
	project, err := agents.ProjectAt(d.at("app"))
	if err != nil {
		t.Fatal(err)
	}
	moved := agents.AssignSlugs(found, nil)
	before := agents.Agent{Slug: "before", Layout: agents.Claude, Dir: d.at("claude/projects/" + moved[0].Slug + "/memory"), DisplayName: d.at("app")}
	if its := project.Agents([]agents.Agent{before, moved[0]}); len(its) != 1 || its[0] != moved[0] {
		t.Errorf("work in the project is by %v", its)
	}
	w := agents.LocateMemory(settings, before)
	if w.Dir != d.at("moved") {
		t.Errorf("the memory that was moved is said to be in %q", w.Dir)
	}

	// All projects share one directory, whose creation is waited for.
	d.put("claude/settings.json", `{"autoMemoryDirectory": "`+d.at("all")+`"}`)
	survey := agents.DiscoverAll(settings, nil, func(string) {})
	if len(saved(survey.Found)) != 1 {
		t.Errorf("found %+v", survey.Found)
	}
	if was, noted := survey.Sources[d.at("all")]; !noted || agents.StampOf(d.at("all")) != was {
		t.Error("nobody waits for the directory")
	}
	d.mkdir("all")
	if agents.StampOf(d.at("all")) == survey.Sources[d.at("all")] {
		t.Error("the directory is there, and that changes nothing")
	}
	found, _ = agents.Discover(settings, func(string) {})
	if len(found) != 2 || found[0].Dir != d.at("all") || found[0].Slug != "all" {
		t.Fatalf("found %+v", found)
	}
	shop, err := agents.ProjectAt(d.at("shop"))
	if err != nil {
		t.Fatal(err)
	}
	if its := shop.Agents(agents.AssignSlugs(found, nil)); len(its) != 1 || its[0].Dir != d.at("all") {
		t.Errorf("work in another project is by %v", its)
	}
}

func TestCommittedOf_Git(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	d := setup(t)
	d.mkdir("app/.claude/agent-memory/reviewer", "app/.claude/agent-memory-local/mine", "plain/.claude/agent-memory/x")
	if out, err := exec.CommandContext(t.Context(), git, "init", "--quiet", d.at("app")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.put("app/.gitignore", "*-local/\n")
	for dir, want := range map[string]agents.Committed{
		"app/.claude/agent-memory/reviewer": agents.IsCommitted, "app/.claude/agent-memory-local/mine": agents.IsIgnored, "plain/.claude/agent-memory/x": agents.MayBeIgnored,
	} {
		if got := agents.CommittedOf(t.Context(), d.at(dir)); got != want {
			t.Errorf("%s is %s, want %s", dir, got, want)
		}
	}
}

// Discovery stats its sources each second, so a repository must not add unlimited ones.
func TestDiscover_LimitsSources(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("app/.git")
	d.put("app/.git/HEAD", "ref: refs/heads/main\n")
	d.worksOn("app")
	before := len(agents.DiscoverAll(agents.Settings{ClaudeDir: d.at("claude")}, nil, func(string) {}).Sources)
	for i := range 1300 {
		d.mkdir(fmt.Sprintf("app/.claude/agents/%02d/%02d", i%50, i/50))
	}
	d.put("app/.claude/agents/reviewer.md", define("reviewer", "project"))
	survey := agents.DiscoverAll(agents.Settings{ClaudeDir: d.at("claude")}, nil, func(string) {})
	if grown := len(survey.Sources) - before; grown > 1100 {
		t.Errorf("it goes by %d more files and directories", grown)
	}
	if !slices.ContainsFunc(survey.Found, func(f agents.Found) bool { return f.Slug == "app-reviewer" }) {
		t.Errorf("behind them an agent is not found: %+v", survey.Found)
	}
}

func TestDiscover_ExpectedMemory(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("shop/.git", "shop/cmd", "saved", "elsewhere", "moved/.claude", "plain")
	d.put("shop/.git/HEAD", "ref: refs/heads/main\n")
	d.worktree("trees/feature", "shop/.git")
	long := strings.Repeat("x", 210)
	d.mkdir(long+"/.git", long+"/sub")
	for _, project := range []string{"shop/cmd", "trees/feature", "saved", "moved", "plain", "gone"} {
		d.worksOn(project)
	}
	// Claude Code shortens a long name and adds a hash, so that the name of the root is unknown.
	d.put("claude/projects/"+d.claudeName(long + "/sub")[:200]+"-1a2b/1.jsonl", `{"cwd":"`+d.at(long+"/sub")+`"}`+"\n")
	d.mkdir("claude/projects/"+d.claudeName("saved")+"/memory", "claude/projects/-no-transcripts")
	d.put("moved/.claude/settings.local.json", `{"autoMemoryDirectory": "`+d.at("nowhere")+`"}`)
	agent := func(project string) string {
		name := d.claudeName(project)
		return "claude " + name + " claude/projects/" + name + "/memory (" + d.at(project) + ")"
	}
	d.wantsFound(agents.Settings{ClaudeDir: d.at("claude")}, agent("saved"), agent("plain"), agent("shop"))
	d.wantsFound(agents.Settings{ClaudeDir: d.at("claude"), Env: func(name string) (string, bool) {
		return d.at("elsewhere"), name == "CLAUDE_CODE_REMOTE_MEMORY_DIR"
	}}, agent("saved"), "claude elsewhere elsewhere (All projects, in "+d.at("elsewhere")+")")
}
