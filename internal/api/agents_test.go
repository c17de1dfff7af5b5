package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const agentKeys = "slug name layout dir present joined_to counts sessions claude_md updated_at"

func TestListAgents_EveryField(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"bob/memory/a.md":                            memoirtest.Note("A", memories.Project, "Alpha."),
		"ada/memory/tabs.md":                         memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/odd.md":                          "no frontmatter",
		"ada/sessions/u1-c1-1700000000/memory/me.md": memoirtest.Note("Me", memories.User, "A person."),
	})
	agents := s.ok(200, "GET", "/api/v1/agents", nil).list("agents")
	if got := names(agents, "slug"); got != "ada bob" {
		t.Fatalf("agents %q", got)
	}
	ada := agents[0]
	if ada.keys() != sorted(agentKeys) {
		t.Errorf("fields of an agent: %s", ada.keys())
	}
	counts := ada.object("counts")
	for field, want := range map[string]float64{
		"feedback": 1, "user": 1, "project": 0, "reference": 0, "needs_attention": 1, "missing": 0, "deleted": 0, "total": 3, "review": 0,
	} {
		if counts[field] != want {
			t.Errorf("count of %s is %v, want %v", field, counts[field], want)
		}
	}
	if len(counts) != 9 {
		t.Errorf("counts: %v", counts)
	}
	claudeMD := ada.object("claude_md")
	if claudeMD.keys() != sorted("path published_at chars limit problem") {
		t.Errorf("fields of claude_md: %s", claudeMD.keys())
	}
	if claudeMD["path"] != "CLAUDE.md" || claudeMD["limit"] != float64(memoirtest.ClaudeMDLimit) || claudeMD["problem"] != nil ||
		claudeMD["chars"] != float64(len([]rune(s.Read("ada/CLAUDE.md")))) {
		t.Errorf("claude_md: %v", claudeMD)
	}
	for _, moment := range []string{claudeMD.string("published_at"), ada.string("updated_at")} {
		if at, err := time.Parse(time.RFC3339, moment); err != nil || at.Location() != time.UTC {
			t.Errorf("%q is no RFC 3339 time in UTC", moment)
		}
	}
	if ada["name"] != "ada" || ada["layout"] != "hive" || ada["dir"] != s.Path("ada") || ada["present"] != true || ada["sessions"] != 1.0 {
		t.Errorf("agent: %v", ada)
	}
	if one := s.ok(200, "GET", "/api/v1/agents/ada", nil); one.keys() != sorted(agentKeys) || one["slug"] != "ada" {
		t.Errorf("one agent: %v", one)
	}
}

func TestListAgents_Empty(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	if r := s.call("GET", "/api/v1/agents", nil); string(r.raw) != `{"agents":[]}`+"\n" {
		t.Errorf("answer %s", r.raw)
	}
}

func TestForget_NeedsMissingDirectory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	s.problem(s.call("DELETE", "/api/v1/agents/ada", nil), 409)
	s.ok(200, "GET", "/api/v1/agents/ada", nil)

	s.Remove("ada")
	s.ok(200, "POST", "/api/v1/scan", nil)
	if gone := s.ok(200, "GET", "/api/v1/agents/ada", nil); gone["present"] != false || gone.object("counts")["total"] != 1.0 {
		t.Errorf("an agent whose directory is gone: %v", gone)
	}
	if forgotten := s.ok(200, "DELETE", "/api/v1/agents/ada", nil); forgotten.keys() != sorted(agentKeys) || forgotten["slug"] != "ada" {
		t.Errorf("answer to the forgetting: %v", forgotten)
	}
	s.problem(s.call("GET", "/api/v1/agents/ada", nil), 404)
	s.problem(s.call("DELETE", "/api/v1/agents/ada", nil), 404)
}

func TestListSessions_NewestFirst(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/sessions/U1-C1-1712345678.000100/memory/x.md": memoirtest.Note("X", memories.User, "four"),
		"ada/sessions/by hand/memory/y.md":                 memoirtest.Note("Y", memories.User, "five"),
		"bob/memory/a.md":                                  memoirtest.Note("A", memories.Feedback, "Alpha."),
	})
	s.Remove("ada/sessions/by hand")
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	byName := map[string]object{}
	for _, session := range s.ok(200, "GET", "/api/v1/agents/ada/sessions", nil).list("sessions") {
		if session.keys() != sorted("name user channel thread_at files files_ever modified_at") {
			t.Errorf("keys of a session: %q", session.keys())
		}
		byName[session.string("name")] = session
	}
	chat, byHand := byName["U1-C1-1712345678.000100"], byName["by hand"]
	if len(byName) != 2 || chat["user"] != "U1" || chat["channel"] != "C1" || chat["thread_at"] != "2024-04-05T19:34:38.0001Z" || chat["files"] != 1.0 {
		t.Errorf("sessions: %v", byName)
	}
	if byHand["user"] != nil || byHand["thread_at"] != nil || byHand["files"] != 0.0 || byHand["files_ever"] != 1.0 {
		t.Errorf("a session whose directory is gone: %v", byHand)
	}
	if r := s.call("GET", "/api/v1/agents/bob/sessions", nil); string(r.raw) != `{"sessions":[],"next_cursor":null}`+"\n" {
		t.Errorf("none: %s", r.raw)
	}
	s.problem(s.call("GET", "/api/v1/agents/nobody/sessions", nil), 404)

	newest := s.ok(200, "GET", "/api/v1/agents/ada/sessions?limit=1", nil)
	next := "/api/v1/agents/ada/sessions?limit=1&cursor=" + newest.string("next_cursor")
	oldest := s.ok(200, "GET", next, nil)
	if a, b := newest.list("sessions"), oldest.list("sessions"); len(a) != 1 || len(b) != 1 || a[0].string("name") == b[0].string("name") || oldest["next_cursor"] != nil {
		t.Errorf("one by one: %v, %v", newest, oldest)
	}
	s.problem(s.call("GET", strings.Replace(next, "/ada/", "/bob/", 1), nil), 422)
	s.problem(s.call("GET", "/api/v1/agents/ada/sessions?limit=501", nil), 422)
}

func TestSessions_TimeOfTheNewestFile(t *testing.T) {
	t.Parallel()
	const older, newer = "2026-01-02T03:04:05Z", "2026-03-04T05:06:07Z"
	modified := func(name, at string) string {
		return "---\nname: " + name + "\ntype: user\nmetadata:\n  modified: " + at + "\n---\n\nAbout " + name + ".\n"
	}
	s := setup(t, memoirtest.Files{
		"ada/sessions/left/memory/old.md": modified("Old", older),
		"ada/sessions/left/memory/new.md": modified("New", newer),
		"ada/sessions/gone/memory/old.md": modified("Older", older),
	})
	s.Remove("ada/sessions/left/memory/new.md")
	s.Remove("ada/sessions/gone")
	s.Scan("ada")
	var got []string
	for _, session := range s.ok(200, "GET", "/api/v1/agents/ada/sessions", nil).list("sessions") {
		got = append(got, session.string("name")+" "+session.string("modified_at"))
	}
	// A file that is gone still counts: it is what the session wrote last.
	if want := []string{"left " + newer, "gone " + older}; !slices.Equal(got, want) {
		t.Errorf("sessions: %q, want %q", got, want)
	}
}
