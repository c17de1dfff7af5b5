package api_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/logs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestAppendLog_OnlyAppends(t *testing.T) {
	t.Parallel()
	now := time.Now()
	month := now.Format("2006/01/")
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":                    memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/logs/2025/03/2025-03-01.md": "- 09:00 Planted a quince\n",
		"ada/memory/logs/2025/04/2025-04-01.md": "- 09:00 日本語の苗木\n",
	})
	const all = "/api/v1/agents/ada/logs"
	subscription := s.Engine.Hub().Subscribe()
	defer subscription.Close()

	first := s.call("POST", all, object{"text": "Deployed **v2**\nto both sites"})
	done := s.object(first)
	if first.status != 201 || first.header.Get("Location") != all+"/"+done.string("day") || !strings.HasSuffix(done.string("line"), " Deployed **v2**\n  to both sites") {
		t.Fatalf("%d, %v, %v", first.status, first.header, done)
	}
	second := s.ok(201, "POST", all, object{"text": "Watered it", "title": "Quince", "at": now.Format(time.RFC3339)})
	day := done.string("day")
	if path := "ada/" + done.string("path"); path != "ada/memory/logs/"+month+day+".md" ||
		s.Read(path) != "# "+day+"\n\n"+done.string("line")+"\n" {
		t.Errorf("%s says %q", path, s.Read(path))
	}
	if path := "ada/" + second.string("path"); s.Read(path) != "# Quince\n\n"+second.string("line")+"\n" {
		t.Errorf("%s says %q", path, s.Read(path))
	}
	of := s.ok(200, "GET", all+"/"+day, nil)
	if of.string("before") != "2025-04-01" || of["after"] != nil || names(of.list("logs"), "title") != " Quince" || of.list("logs")[1]["entries"] != 1.0 {
		t.Errorf("the day is %v", of)
	}
	for event := range subscription.Events {
		if event.Kind == "logged" && event.Name == day {
			break
		}
	}

	// Pages of days, a month, and a search.
	page := s.ok(200, "GET", all+"?limit=2", nil)
	rest := s.ok(200, "GET", all+"?limit=2&cursor="+page.string("next_cursor"), nil)
	if names(page.list("days"), "day") != day+" 2025-04-01" || names(rest.list("days"), "day") != "2025-03-01" || rest["next_cursor"] != nil {
		t.Errorf("the days are %v and %v", page, rest)
	}
	if march := s.ok(200, "GET", all+"?month=2025-03", nil); names(march.list("days"), "day") != "2025-03-01" {
		t.Errorf("March 2025 is %v", march)
	}
	found := s.ok(200, "GET", all+"?q=QUIN&limit=1", nil)
	if names(found.list("hits"), "day") != day || len(found.list("days")) != 0 {
		t.Errorf("the newest hit is %v", found)
	}
	found = s.ok(200, "GET", all+"?q=QUIN&limit=1&cursor="+found.string("next_cursor"), nil)
	if hits := found.list("hits"); names(hits, "day") != "2025-03-01" || !strings.Contains(hits[0].string("excerpt"), "Planted a quince") {
		t.Errorf("the next hit is %v", found)
	}
	if found := s.ok(200, "GET", all+"?q=本語の苗", nil); names(found.list("hits"), "day") != "2025-04-01" {
		t.Errorf("a phrase of a script without spaces finds %v", found)
	}

	// Refused requests.
	before := s.Read("ada/" + done.string("path"))
	for name, c := range map[string]struct {
		method, path string
		body         any
		status       int
		says         string
	}{
		"an edit":             {"PATCH", all + "/" + day, object{"text": "x"}, 405, "cannot be changed or removed"},
		"another edit":        {"PUT", all + "/" + day, object{"text": "x"}, 405, "cannot be changed or removed"},
		"a deletion":          {"DELETE", all + "/" + day, nil, 405, "cannot be changed or removed"},
		"a deletion of all":   {"DELETE", all, nil, 405, "cannot be changed or removed"},
		"the future":          {"POST", all, object{"text": "x", "at": now.Add(3 * time.Minute).Format(time.RFC3339)}, 422, "body.at"},
		"long ago":            {"POST", all, object{"text": "x", "at": now.AddDate(0, 0, -3).Format(time.RFC3339)}, 422, "body.at"},
		"no text":             {"POST", all, object{"text": " "}, 422, "body.text"},
		"no text at all":      {"POST", all, object{}, 422, "text"},
		"NUL":                 {"POST", all, object{"text": "a\x00b"}, 422, "body.text"},
		"a title of lines":    {"POST", all, object{"text": "a", "title": "a\nb"}, 422, "body.title"},
		"nobody":              {"POST", "/api/v1/agents/eve/logs", object{"text": "a"}, 404, "not found"},
		"a day without logs":  {"GET", all + "/2025-03-02", nil, 404, "not found"},
		"no day":              {"GET", all + "/2025-02-30", nil, 404, "not found"},
		"no month":            {"GET", all + "?month=13", nil, 422, "query.month"},
		"a month of a search": {"GET", all + "?month=2025-03&q=x", nil, 422, "query.month"},
		"a foreign cursor":    {"GET", all + "?q=other&cursor=" + page.string("next_cursor"), nil, 422, "cursor"},
		"no word":             {"GET", all + "?q=%21", nil, 422, "q"},
	} {
		if r := s.call(c.method, c.path, c.body); r.status != c.status || !strings.Contains(string(r.raw), c.says) {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	if s.Read("ada/"+done.string("path")) != before || len(s.ok(200, "GET", all, nil).list("days")) != 3 {
		t.Error("what was refused has changed something")
	}
	if list := s.ok(200, "GET", "/api/v1/agents/ada/memories", nil); list["total"] != 1.0 {
		t.Errorf("logs are memories: %v", list)
	}
	// A title cannot lead to a path outside the logs.
	escape := s.ok(201, "POST", all, object{"text": "x", "title": "../../../../etc/x"})
	if info, err := os.Stat(s.Path("ada/" + escape.string("path"))); err != nil || !info.Mode().IsRegular() || !strings.HasPrefix(escape.string("path"), "memory/logs/"+logs.File(now, "")[:8]) {
		t.Errorf("%v: %v", escape, err)
	}
}

func TestSessionMemory_Compaction(t *testing.T) {
	t.Parallel()
	const project = "projects/-home-mira-shop/"
	message := func(role, content string) string {
		return `{"type":"` + role + `","message":{"content":` + content + "}}\n"
	}
	five := message("user", `"plan it"`) + message("user", `[{"type":"tool_result","content":"no text"}]`) + message("assistant", `[{"type":"text","text":"done"}]`) +
		`{"type":"user","isMeta":true,"message":{"content":"of the system"}}` + "\n" + message("assistant", `[{"type":"tool_use"},{"type":"text","text":"more"}]`) +
		message("system", `"nothing"`) + strings.Repeat("x", 5<<20) + "\n" + message("user", `"and"`) + message("assistant", `[{"type":"text","text":"last"}]`) + `{"type":"us`
	m := memoirtest.StartClaude(t, memoirtest.Files{
		project + "memory/tabs.md":                  memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		project + "session-memory/one/memory.md":    "# Plan\n" + strings.Repeat("é", 40_000-7),
		project + "one.jsonl":                       five,
		project + "session-memory/two/memory.md":    strings.Repeat("é", 40_000),
		project + "two.jsonl":                       message("user", `"plan it"`),
		project + "three/session-memory/summary.md": strings.Repeat("é", 39_996),
		project + "session-memory/four/memory.md":   strings.Repeat("é", 160_000),
		project + "session-memory/five/memory.md":   strings.Repeat("é", 160_001),
	})
	s := serve(t, m, api.Options{})
	base := "/api/v1/agents/-home-mira-shop/"
	listed := map[string]object{}
	for _, m := range s.ok(200, "GET", base+"session-memories", nil).list("session_memories") {
		listed[m.string("session")] = m
	}
	for session, want := range map[string]struct {
		tokens   float64
		messages any
		carries  string
	}{
		"one": {10_000, 5.0, "yes"}, "two": {10_000, 1.0, "no"}, "three": {9_999, nil, "no"}, "four": {40_000, nil, "unknown"}, "five": {40_001, nil, "no"},
	} {
		shown := s.ok(200, "GET", base+"sessions/"+session+"/memory", nil)
		for what, m := range map[string]object{"listed": listed[session], "shown": shown} {
			if m["tokens"] != want.tokens || m["messages"] != want.messages || m["carries"] != want.carries || m.string("reason") == "" {
				t.Errorf("%s is %s as %v tokens, %v messages, %v: %v", session, what, m["tokens"], m["messages"], m["carries"], m["reason"])
			}
		}
		if shown.string("text") == "" || listed[session]["text"] != nil {
			t.Errorf("%s is without its text, or listed with it", session)
		}
	}
	for _, wrong := range []string{"none", "..", "%2e%2e", "..%2fone", "memory", "a%00b"} {
		if r := s.call("GET", base+"sessions/"+wrong+"/memory", nil); r.status != 404 {
			t.Errorf("the session memory of %s: %d %s", wrong, r.status, r.raw)
		}
	}
}
