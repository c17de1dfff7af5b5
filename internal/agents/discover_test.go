package agents_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files/filestest"
)

// discover returns each found agent as "layout slug path (display name)", with paths relative to
// the disk.
func (d disk) discover(s agents.Settings) (found, unreadable, visited []string) {
	d.t.Helper()
	relative := func(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, d.dir), "/") }
	all, closed := agents.Discover(s, func(dir string) { visited = append(visited, relative(dir)) })
	for _, f := range all {
		found = append(found, fmt.Sprintf("%s %s %s (%s)", f.Layout, f.Slug, relative(f.Dir), f.DisplayName))
	}
	for _, dir := range closed {
		unreadable = append(unreadable, relative(dir))
	}
	return found, unreadable, visited
}

func (d disk) wantsFound(s agents.Settings, want ...string) {
	d.t.Helper()
	found, unreadable, _ := d.discover(s)
	if !slices.Equal(found, want) || len(unreadable) > 0 {
		d.t.Errorf("found\n\t%s\nunreadable %v, want\n\t%s", strings.Join(found, "\n\t"), unreadable, strings.Join(want, "\n\t"))
	}
}

func TestDiscover_Hive(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("agents/zoe/memory", "agents/ada/sessions", "agents/Big Bob/memory", "agents/.hidden/memory", "agents/nothing/else", "elsewhere/cy/memory")
	d.putAll("agents/file", "agents/notdir/memory")
	d.link("../elsewhere/cy", "agents/linked")
	d.link("nowhere", "agents/dangling")
	d.link("/etc", "agents/leaver/memory")
	d.wantsFound(agents.Settings{AgentsDir: d.at("agents")},
		"hive Big-Bob agents/Big Bob (Big Bob)",
		"hive ada agents/ada (ada)",
		"hive leaver agents/leaver (leaver)",
		"hive linked agents/linked (linked)",
		"hive zoe agents/zoe (zoe)")
}

func TestDiscover_Links(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("agents/ada/memory", "shared/memory", "claude/projects/own/memory", "claude/projects/x", "claude/projects/y", "claude/agent-memory")
	d.putAll("file")
	d.put("shared/1.jsonl", `{"cwd":"/srv/app"}`)
	for link, target := range map[string]string{
		"agents/linked": "shared", "agents/dangling": "nowhere", "agents/file": "file", "agents/.hidden": "nowhere",
		"claude/projects/-srv-app": "shared", "claude/projects/dangling": "nowhere", "claude/agent-memory/linked": "shared", "claude/agent-memory/dangling": "nowhere",
		"claude/projects/x/memory": "shared", "claude/projects/y/memory": "nowhere",
	} {
		d.link(d.at(target), link)
	}
	survey := agents.DiscoverAll(agents.Settings{AgentsDir: d.at("agents"), ClaudeDir: d.at("claude")}, nil, func(string) {})
	var links, awaited []string
	for _, link := range survey.Links {
		links = append(links, strings.TrimPrefix(link, d.dir+"/"))
	}
	for link, stamp := range survey.Sources {
		if agents.IsLink(link) {
			awaited = append(awaited, strings.TrimPrefix(link, d.dir+"/"))
			if (stamp != agents.Stamp{}) != (link == d.at("agents/file")) {
				t.Errorf("%s has the stamp %v", link, stamp)
			}
		}
	}
	slices.Sort(links)
	slices.Sort(awaited)
	if want := []string{"agents/linked", "claude/agent-memory/linked", "claude/projects/-srv-app", "claude/projects/x/memory"}; !slices.Equal(links, want) {
		t.Errorf("links %v, want %v", links, want)
	}
	want := []string{"agents/dangling", "agents/file", "claude/agent-memory/dangling", "claude/projects/dangling", "claude/projects/y/memory"}
	if !slices.Equal(awaited, want) {
		t.Errorf("waited for are %v, want %v", awaited, want)
	}
}

func TestDiscover_Claude(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("claude/projects/-srv-app/memory", "claude/projects/-srv-none", "claude/agent-memory/reviewer", "shared")
	d.put("claude/projects/-srv-app/1.jsonl", `{"type":"summary"}`+"\n"+`{"cwd":"/srv/app/sub","sessionId":"x"}`+"\n")
	d.link("../../../shared", "claude/projects/-srv-linked/memory")
	d.wantsFound(agents.Settings{ClaudeDir: d.at("claude")},
		"claude -srv-app claude/projects/-srv-app/memory (/srv/app)",
		"claude -srv-linked claude/projects/-srv-linked/memory (-srv-linked)",
		"claude reviewer claude/agent-memory/reviewer (reviewer)")
}

func TestDiscover_LayoutOrder(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("agents/one/memory", "claude/agent-memory/one", "mine", "yours")
	all := agents.Settings{AgentsDir: d.at("agents"), ClaudeDir: d.at("claude"), MemoryDirs: []agents.NamedDir{
		{Slug: "z", Path: d.at("mine")}, {Slug: "a", Path: d.at("yours")}, {Slug: "waiting", Path: d.at("not/yet")},
	}}
	d.wantsFound(all, "hive one agents/one (one)", "claude one claude/agent-memory/one (one)", "directory z mine (z)", "directory a yours (a)")
	d.wantsFound(agents.Settings{})
}

func TestDiscover_LinkedSettings(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("real/one/memory")
	d.link("real", "agents")
	d.wantsFound(agents.Settings{AgentsDir: d.at("agents")}, "hive one agents/one (one)")
}

func TestProject_Path(t *testing.T) {
	t.Parallel()
	const noise = `{"type":"noise"}` + "\n"
	huge := strings.Repeat(noise, 1<<19)
	line := func(size int) string { return `{"type":"` + strings.Repeat("x", size) + `"}` + "\n" }
	const here, away = `{"cwd":"/srv/my.app"}` + "\n", `{"cwd":"/srv/other"}` + "\n"
	long := "/srv/" + strings.Repeat("long.", 50)
	longName := strings.ReplaceAll(strings.ReplaceAll(long, "/", "-"), ".", "-")[:200] + "-1x2y3z"
	for name, c := range map[string]struct {
		dir         string   // default: -srv-my-app
		transcripts []string // oldest first
		want        string
	}{
		"moved here":                    {"", []string{here, away}, "/srv/my.app"},
		"moved away":                    {"", []string{away, here}, "/srv/my.app"},
		"newest without":                {"", []string{here, `{"type":"summary"}`, ""}, "/srv/my.app"},
		"later in one transcript":       {"", []string{away + strings.Repeat(noise, 1000) + here}, "/srv/my.app"},
		"far later in one":              {"", []string{away + strings.Repeat(noise, 10_000) + here}, "-srv-my-app"},
		"never":                         {"", []string{away, away}, "-srv-my-app"},
		"no transcript":                 {"", nil, "-srv-my-app"},
		"older than 3000 others":        {"", append([]string{here}, slices.Repeat([]string{away}, 3000)...), "/srv/my.app"},
		"lines that are no JSON":        {"", []string{"{\n[]\n\x00\n{\"cwd\":5}\n" + here}, "/srv/my.app"},
		"after a byte order mark":       {"", []string{"\ufeff" + here}, "/srv/my.app"},
		"cwd of a tool":                 {"", []string{`{"input":{"cwd":"/srv/my.app"}}`}, "-srv-my-app"},
		"relative":                      {"", []string{`{"cwd":"-srv-my-app"}`, `{"cwd":"srv/my/app"}`}, "-srv-my-app"},
		"parent of a cwd":               {"", []string{`{"cwd":"/srv/my.app/deep/down"}`}, "/srv/my.app"},
		"exact before parent":           {"", []string{here, `{"cwd":"/srv/my/app/deep"}`}, "/srv/my.app"},
		"control characters":            {"-a-b-c", []string{`{"cwd":"/a\u0000b\nc"}`}, "/a b c"},
		"outside the basic plane":       {"-srv---", []string{`{"cwd":"/srv/\ud83d\ude80"}`}, "/srv/🚀"},
		"longer than 200 characters":    {longName, []string{`{"cwd":"` + long + `"}`, away}, long},
		"cut name, shorter path":        {longName, []string{`{"cwd":"` + long[:150] + `"}`}, longName},
		"after a long line":             {"", []string{line(300<<10) + here}, "/srv/my.app"},
		"after a line that is skipped":  {"", []string{line(5<<20) + here}, "/srv/my.app"},
		"beyond the limit of one":       {"", []string{huge + here}, "-srv-my-app"},
		"beyond the limit of a project": {"", []string{here, huge[:5<<20], huge[:5<<20]}, "-srv-my-app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			dir := "projects/" + cmp.Or(c.dir, "-srv-my-app")
			d.mkdir(dir + "/memory")
			for i, content := range c.transcripts {
				path := fmt.Sprintf("%s/%d.jsonl", dir, 9999-i)
				d.put(path, content)
				modified := time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
				if err := os.Chtimes(d.at(path), modified, modified); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(d.at(dir+"/pipe.jsonl"), 0o644); err != nil {
				t.Fatal(err)
			}
			d.wantsFound(agents.Settings{ClaudeDir: d.dir}, fmt.Sprintf("claude %s %s/memory (%s)", filepath.Base(dir), dir, c.want))
		})
	}
}

func TestProject_PathIsFoundByLaterLooks(t *testing.T) {
	t.Parallel()
	d := setup(t)
	const dir = "projects/-srv-app"
	d.mkdir(dir + "/memory")
	add := func(name, content string, hour int) {
		path := dir + "/" + name + ".jsonl"
		d.put(path, content)
		modified := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
		if err := os.Chtimes(d.at(path), modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	add("right", `{"cwd":"/srv/app"}`, 0)
	for i := range 3 {
		add(fmt.Sprint(i), strings.Repeat(`{"type":"noise"}`+"\n", 4<<20/17), 1+i)
	}
	known := new(agents.Transcripts)
	var names []string
	for range 2 {
		names = append(names, agents.DiscoverAll(agents.Settings{ClaudeDir: d.dir}, known, func(string) {}).Found[0].DisplayName)
	}
	if want := []string{"-srv-app", "/srv/app"}; !slices.Equal(names, want) {
		t.Errorf("names = %q, want %q", names, want)
	}
}

func TestTranscripts_CacheUnchanged(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("projects/-srv-app/memory")
	const path = "projects/-srv-app/1.jsonl"
	known := new(agents.Transcripts)
	look := func() (name string, sources map[string]agents.Stamp) {
		t.Helper()
		survey := agents.DiscoverAll(agents.Settings{ClaudeDir: d.dir}, known, func(string) {})
		if len(survey.Found) != 1 {
			t.Fatalf("found %v", survey.Found)
		}
		return survey.Found[0].DisplayName, survey.Sources
	}
	waitsFor := func(paths ...string) {
		t.Helper()
		name, sources := look()
		if name != "-srv-app" {
			t.Errorf("it is called %s", name)
		}
		for _, p := range paths {
			if stamp, is := sources[d.at(p)]; !is || stamp != agents.StampOf(d.at(p)) {
				t.Errorf("%s is not waited for: %v", p, sources)
			}
		}
	}
	waitsFor("projects/-srv-app")
	d.put(path, `{"type":"summary"}`+"\n")
	waitsFor("projects/-srv-app", path)
	d.put(path, `{"type":"summary"}`+"\n"+`{"cwd":"/srv/app"}`+"\n")
	if err := os.Chmod(d.at(path), 0); err != nil {
		t.Fatal(err)
	}
	name, sources := look()
	if _, waited := sources[d.at(path)]; name != "/srv/app" || waited {
		t.Errorf("it is called %s, and what may change that is %v", name, sources)
	}
	d.openToNobody()
	filestest.AsNobody(t, func() { // another user, who cannot read the directory
		if name, _ := look(); name != "/srv/app" {
			t.Errorf("what has not changed was read again, and is called %s", name)
		}
		known = new(agents.Transcripts)
		if name, _ := look(); name != "-srv-app" {
			t.Errorf("what cannot be read is called %s", name)
		}
	})
}

func TestDiscover_VisitsFirst(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("agents/one")
	var found []agents.Found
	made := 0
	visit := func(dir string) {
		// The directory appears after its parent was visited, where a watch would report it.
		switch dir {
		case d.at("agents"):
			d.mkdir("agents/two")
			made++
		case d.at("agents/one"), d.at("agents/two"):
			d.mkdir(strings.TrimPrefix(dir, d.dir) + "/memory")
			made++
		}
	}
	found, _ = agents.Discover(agents.Settings{AgentsDir: d.at("agents")}, visit)
	if len(found) != 2 || made != 3 {
		t.Errorf("found %v after %d visits, want both agents after 3", found, made)
	}
}

func TestRoots_MissingToo(t *testing.T) {
	t.Parallel()
	roots := agents.Roots(agents.Settings{AgentsDir: "/some/agents/", ClaudeDir: "/not/there", MemoryDirs: []agents.NamedDir{{Slug: "a", Path: "/by/hand"}}})
	if want := []string{"/some/agents", "/not/there", "/not/there/projects", "/not/there/agent-memory", "/by/hand"}; !slices.Equal(roots, want) {
		t.Errorf("the roots are %q, want %q", roots, want)
	}
}

func TestDiscover_Unreadable(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("agents/open/memory", "agents/closed/memory", "claude/projects", "claude/agent-memory/reviewer")
	for _, dir := range []string{"agents/closed", "claude/projects"} {
		if err := os.Chmod(d.at(dir), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(d.at(dir), 0o755) })
	}
	d.mkdir("agents/not\xffutf8/memory")
	d.openToNobody()
	filestest.AsNobody(t, func() {
		found, unreadable, _ := d.discover(agents.Settings{AgentsDir: d.at("agents"), ClaudeDir: d.at("claude")})
		if want := []string{"hive open agents/open (open)", "claude reviewer claude/agent-memory/reviewer (reviewer)"}; !slices.Equal(found, want) {
			t.Errorf("found %v, want %v", found, want)
		}
		if want := []string{"agents/not\xffutf8", "agents/closed", "claude/projects"}; !slices.Equal(unreadable, want) {
			t.Errorf("unreadable %q, want %q", unreadable, want)
		}
	})
}

// openToNobody allows another user to reach the disk, because a test's directories are private.
func (d disk) openToNobody() {
	d.t.Helper()
	for _, dir := range []string{d.dir, d.at("..")} {
		if err := os.Chmod(dir, 0o755); err != nil {
			d.t.Fatal(err)
		}
	}
}
