package api_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

const factsIndex = "ada/memory/MEMORY.md"

// shop returns a server with agent ada, which has facts in its own index and in its team's.
func shop(t *testing.T) *server {
	t.Helper()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":                  memoirtest.Note("Tabs", memories.Feedback, "Use tabs, not spaces."),
		factsIndex:                            "# Shop\n\n## Build\n- Use `pnpm -r build`; the yarn lockfile is stale\n- Node 22 only, 24 breaks the canvas module\n- [Tabs](tabs.md) — canvas of tabs\n\n## People\n1. Ann wants small commits\n",
		"ada/memory/team/MEMORY.md":           "- 東京の会議は月曜日です\n",
		"ada/sessions/u-c-1/memory/MEMORY.md": "- A draft about zeppelins\n",
	})
	waittest.For(s, "the facts", func() bool { return search(s, "q=canvas")["total"] == 1.0 && search(s, "q=東京")["total"] == 1.0 })
	return s
}

// factOf returns the only result of a search, which must be a fact.
func factOf(s *server, query string) object {
	s.Helper()
	found := search(s, "q="+query).list("memories")
	if len(found) != 1 || found[0]["line"] == nil {
		s.Fatalf("%s finds %v", query, found)
	}
	return found[0]
}

func TestSearch_FindsFactsOfTheIndex(t *testing.T) {
	t.Parallel()
	s := shop(t)
	m := factOf(s, "canvas")
	if m["name"] != "MEMORY.md" || m["path"] != "memory/MEMORY.md" || m["line"] != 5.0 || m["description"] != "Build" || m["type"] != nil ||
		m["body"] != "Node 22 only, 24 breaks the canvas module" || m["state"] != "active" || m["age_days"] != 0.0 {
		t.Errorf("it found %v", m)
	}
	if same := s.ok(200, "GET", "/api/v1/agents/ada/memories/"+m.string("id"), nil); same["body"] != m["body"] || same["line"] != 5.0 {
		t.Errorf("by its id it is %v", same)
	}
	for query, want := range map[string]float64{
		"q=NODE+canv": 1, "q=build": 2, "q=zeppelins": 0, "q=京の会議": 1, "q=京会": 0, "q=node+ann": 0,
		"q=node&type=project": 0, "q=node&state=deleted": 0, "q=node&state=active": 1, "q=tabs": 1,
	} {
		if got := search(s, query)["total"]; got != want {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
	team := factOf(s, "東京")
	if team["path"] != "memory/team/MEMORY.md" || team["scope"] != "team" {
		t.Errorf("the team's is %v", team)
	}
}

func TestSearch_PagesOverMemoriesAndFacts(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("A", memories.Feedback, "About ports."),
		"ada/memory/b.md": memoirtest.Note("B", memories.Feedback, "About ports."),
		factsIndex:        "- port 1\n- port 2\n- port 3\n",
	})
	waittest.For(s, "all five", func() bool { return search(s, "q=port")["total"] == 5.0 })
	for _, limit := range []string{"1", "2", "3", "4", "5"} {
		seen := map[string]bool{}
		for next, pages := "", 0; ; pages++ {
			page := search(s, "q=port&limit="+limit+next)
			for _, m := range page.list("memories") {
				if seen[m.string("id")] || (len(seen) < 2) != (m["line"] == nil) {
					t.Errorf("limit %s: %v is in the wrong place", limit, m)
				}
				seen[m.string("id")] = true
			}
			if page["total"] != 5.0 || pages > 5 {
				t.Fatalf("limit %s: total %v", limit, page["total"])
			}
			if page["next_cursor"] == nil {
				break
			}
			next = "&cursor=" + page.string("next_cursor")
		}
		if len(seen) != 5 {
			t.Errorf("limit %s: %d were seen", limit, len(seen))
		}
	}
}

func TestFacts_FollowTheIndex(t *testing.T) {
	t.Parallel()
	s := shop(t)
	id := factOf(s, "canvas")["id"]
	s.Write(factsIndex, "New first line\n- Node 22 only, 24 breaks the canvas module\n")
	s.Scan("ada")
	if m := factOf(s, "canvas"); m["line"] != 2.0 || m["description"] != nil || m["id"] != id {
		t.Errorf("after it moved it is %v", m)
	}
	if got := search(s, "q=pnpm")["total"]; got != 0.0 {
		t.Errorf("a removed line is found: %v", got)
	}
	s.Remove(factsIndex)
	s.Scan("ada")
	if got := search(s, "q=canvas")["total"]; got != 0.0 {
		t.Errorf("a fact of a removed index is found: %v", got)
	}
	s.Write(factsIndex, "- Node 22\n")
	s.Scan("ada")
	if err := os.Rename(s.Path("ada"), s.Path(".ada")); err != nil {
		t.Fatal(err)
	}
	waittest.For(s, "the agent is absent", func() bool { return s.ok(200, "GET", "/api/v1/agents/ada", nil)["present"] == false })
	if got := search(s, "q=node")["total"]; got != 0.0 {
		t.Errorf("a fact of an absent agent is found: %v", got)
	}
}

func TestRecall_FactOncePerSession(t *testing.T) {
	t.Parallel()
	s := shop(t)
	ask := object{"query": "which node version breaks the canvas module?", "session": "one"}
	got := s.ok(200, "POST", recallPath, ask)
	if given(got) != "MEMORY.md" || got["skipped"] != nil {
		t.Fatalf("it answers %v", got)
	}
	m := got.list("memories")[0]
	if m["path"] != "memory/MEMORY.md" || m["line"] != 5.0 || m["text"] != "Node 22 only, 24 breaks the canvas module" || m["description"] != "Build" || m["type"] != nil {
		t.Errorf("it gives %v", m)
	}
	if want := s.Path(factsIndex) + ", line 5, under “Build”:\n\nNode 22 only"; !strings.Contains(got.string("reminder"), want) {
		t.Errorf("it reminds of %v", got["reminder"])
	}
	if again := s.ok(200, "POST", recallPath, ask); given(again) != "" {
		t.Errorf("asked again it gives %v", given(again))
	}
}

func TestRecall_FactsOnly(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{factsIndex: "- Node 22 only, 24 breaks the canvas module\n"})
	waittest.For(s, "the fact", func() bool { return search(s, "q=canvas")["total"] == 1.0 })
	if got := s.ok(200, "POST", recallPath, object{"query": "which node breaks the canvas?"}); given(got) != "MEMORY.md" {
		t.Errorf("it answers %v", got)
	}
}

func adoptPath(m object) string {
	return "/api/v1/agents/ada/index/facts/" + m["id"].(string) + "/adopt"
}

func TestAdopt_KeepsOtherLines(t *testing.T) {
	t.Parallel()
	s := shop(t)
	before := s.Read(factsIndex)
	m := s.ok(201, "POST", adoptPath(factOf(s, "canvas")), object{"type": "feedback", "name": "Node version"})
	if m["name"] != "Node version" || m["type"] != "feedback" || m["body"] != "Node 22 only, 24 breaks the canvas module" ||
		m["description"] != m["body"] || m["path"] != "memory/feedback_node_version.md" || m["line"] != nil {
		t.Errorf("it became %v", m)
	}
	want := strings.Replace(before, "- Node 22 only, 24 breaks the canvas module\n",
		"- [Node version](feedback_node_version.md) — Node 22 only, 24 breaks the canvas module\n", 1)
	if got := s.Read(factsIndex); got != want {
		t.Errorf("the index is\n%s, not\n%s", got, want)
	}
	if found := search(s, "q=canvas"); found["total"] != 1.0 || found.list("memories")[0]["id"] != m["id"] {
		t.Errorf("the search finds %v", found)
	}
	byDefault := s.ok(201, "POST", adoptPath(factOf(s, "ann")), object{})
	if byDefault["name"] != "Ann wants small commits" || byDefault["type"] != "project" {
		t.Errorf("by default it became %v", byDefault)
	}
	lint := s.ok(200, "GET", "/api/v1/agents/ada/index/lint", nil)
	if got := lint.list("findings"); len(got) != 0 {
		t.Errorf("the index has %v", got)
	}
}

func TestAdopt_TeamFact(t *testing.T) {
	t.Parallel()
	s := shop(t)
	m := s.ok(201, "POST", adoptPath(factOf(s, "東京")), object{"name": "Meeting"})
	if m["scope"] != "team" || m["path"] != "memory/team/project_meeting.md" {
		t.Errorf("it became %v", m)
	}
	if got, want := s.Read("ada/memory/team/MEMORY.md"), "- [Meeting](project_meeting.md) — 東京の会議は月曜日です\n"; got != want {
		t.Errorf("the index is %q, not %q", got, want)
	}
}

func TestAdopt_ChangedIndex(t *testing.T) {
	t.Parallel()
	s := shop(t)
	path := adoptPath(factOf(s, "canvas"))
	changed := strings.Replace(s.Read(factsIndex), "Node 22 only", "Node 24 too", 1)
	s.Write(factsIndex, changed)
	s.call("POST", path, object{}) // 404 if a scan has run before it, else 409
	if r := s.call("POST", path, object{}); r.status != 409 && r.status != 404 {
		t.Errorf("it answers %d: %s", r.status, r.raw)
	}
	if got := s.Read(factsIndex); got != changed || s.Read("ada/memory/project_node_22_only_24_breaks_the_canvas_module.md") != "" {
		t.Errorf("the index is %q", got)
	}
	s.problem(s.call("POST", "/api/v1/agents/ada/index/facts/nonsense/adopt", object{}), 404)
	s.problem(s.call("POST", "/api/v1/agents/nobody/index/facts/nonsense/adopt", object{}), 404)
}

func TestAdopt_TakenName(t *testing.T) {
	t.Parallel()
	s := shop(t)
	fact := factOf(s, "canvas")
	s.problem(s.call("POST", adoptPath(fact), object{"name": "Tabs"}), 409)
	s.problem(s.call("POST", adoptPath(fact), object{"name": " "}), 422)
	s.problem(s.call("POST", adoptPath(fact), object{"type": "fact"}), 422)
	// The same state as after a crash between the two writes.
	s.ok(201, "POST", "/api/v1/agents/ada/memories", object{
		"name": "Node", "type": "project", "description": fact["body"], "body": fact["body"],
	})
	m := s.ok(200, "POST", adoptPath(fact), object{"name": "Node"})
	if index := s.Read(factsIndex); !strings.Contains(index, "- [Node](project_node.md) — ") || strings.Contains(index, "- Node 22") || m["name"] != "Node" {
		t.Errorf("it became %v, and the index is %q", m, index)
	}
}

func TestAdopt_ReadOnlyAgent(t *testing.T) {
	t.Parallel()
	s := shop(t)
	path, before := adoptPath(factOf(s, "canvas")), s.Read(factsIndex)
	if err := os.Chmod(s.Path("ada/memory"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.problem(s.call("POST", path, object{"name": "Node"}), 409)
	if s.Read(factsIndex) != before || s.Read("ada/memory/project_node.md") != "" {
		t.Error("it was written")
	}
}
