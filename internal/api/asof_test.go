package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// now returns the current time as a value of the query parameter as_of.
func now() string { return url.QueryEscape(time.Now().Format(time.RFC3339Nano)) }

func TestAsOf_EveryMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/CLAUDE.md": "# Mine\n", "ada/memory/tabs.md": tabs["ada/memory/tabs.md"]})
	learned := now()
	s.ok(200, "PATCH", s.at("ada", "Tabs"), object{"body": "Use spaces.", "type": "user"})
	s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "Second", "type": "project", "body": "Another."})
	changed := now()
	second := s.at("ada", "Second")
	s.ok(200, "DELETE", second, nil)
	deleted := now()
	s.ok(200, "POST", second+"/restore", nil)
	s.ok(200, "PATCH", s.at("ada", "Tabs"), object{"name": "Renamed"})
	tabsAt := s.at("ada", "Renamed")

	list := func(query string) string {
		var said []string
		for _, m := range s.ok(200, "GET", "/api/v1/agents/ada/memories?"+query, nil).list("memories") {
			if m.keys() != sorted(memoryKeys) || len(m.list("files")) != 0 {
				t.Errorf("%s: %v", query, m)
			}
			said = append(said, fmt.Sprintf("%s %s %s: %s", m["state"], m["type"], m["name"], m["body"]))
		}
		return strings.Join(said, "; ")
	}
	for query, want := range map[string]string{
		"as_of=" + learned:                          "active feedback Tabs: Use tabs.",
		"as_of=" + changed:                          "active project Second: Another.; active user Tabs: Use spaces.",
		"as_of=" + deleted:                          "active user Tabs: Use spaces.",
		"as_of=" + deleted + "&state=deleted":       "deleted project Second: Another.",
		"as_of=" + deleted + "&state=active":        "active user Tabs: Use spaces.",
		"as_of=" + deleted + "&state=missing":       "",
		"as_of=" + changed + "&type=project":        "active project Second: Another.",
		"as_of=" + changed + "&name=Tabs&sort=name": "active user Tabs: Use spaces.",
		"as_of=" + changed + "&stale=true":          "",
		"as_of=" + changed + "&session=s":           "",
		"as_of=" + now():                            "active user Renamed: Use spaces.; active project Second: Another.",
		"as_of=2001-01-01T00:00:00Z":                "",
		"as_of=0001-01-01T00:00:00Z":                "",
		"as_of=0000-01-01T00:00:00%2B23:59":         "",
	} {
		if got := list(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := s.ok(200, "GET", tabsAt+"?as_of="+learned, nil); got["body"] != "Use tabs." || got["type"] != "feedback" || got["deleted_at"] != nil {
		t.Errorf("one memory, when it was learned: %v", got)
	}
	r := s.call("GET", second+"?as_of="+deleted, nil)
	if got := s.object(r); got["state"] != "deleted" || got["deleted_at"] == nil || r.header.Get("ETag") != "" {
		t.Errorf("one memory, when it was deleted: %v, ETag %q", got, r.header.Get("ETag"))
	}
	s.problem(s.call("GET", second+"?as_of="+learned, nil), 404)

	document := func(at string) string {
		r := s.call("GET", "/api/v1/agents/ada/claude-md?as_of="+at, nil)
		if r.status != 200 || r.header.Get("Content-Type") != "text/markdown; charset=utf-8" || !strings.HasPrefix(string(r.raw), "# Mine\n") {
			t.Errorf("CLAUDE.md at %s: %d %s", at, r.status, r.raw)
		}
		return string(r.raw)
	}
	if got := document(changed); !strings.Contains(got, "### Tabs\n\nUse spaces.") || !strings.Contains(got, "### Second\n\nAnother.") {
		t.Errorf("CLAUDE.md after the change: %s", got)
	}
	if got := document(deleted); !strings.Contains(got, "### Tabs") || strings.Contains(got, "Another.") {
		t.Errorf("CLAUDE.md after the deletion: %s", got)
	}
	if got := document(now()); got != s.Read("ada/CLAUDE.md") {
		t.Errorf("CLAUDE.md as it is: %s", got)
	}
	s.ok(200, "DELETE", second+"?purge=true", nil)
	if got := list("as_of=" + changed); got != "active user Tabs: Use spaces." {
		t.Errorf("what was purged since is still in the past: %q", got)
	}
}

func TestAsOf_BeforeFirstScan(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	s.appear("ada", memoirtest.Files{
		"memory/old.md": memoirtest.Note("Old", memories.User, "Twenty days."),
		"sessions/u1-c1-1700000000/memory/new.md": memoirtest.Note("New", memories.User, "Five days."),
	}, map[string]int{"memory/old.md": 20, "sessions/u1-c1-1700000000/memory/new.md": 5})
	for daysAgo, want := range map[int]string{30: "", 12: "Old 8", 3: "New 2, Old 17"} {
		at := url.QueryEscape(time.Now().Add(-time.Duration(daysAgo) * 24 * time.Hour).Format(time.RFC3339))
		page := s.ok(200, "GET", "/api/v1/agents/ada/memories?as_of="+at, nil)
		var got []string
		for _, m := range page.list("memories") {
			got = append(got, fmt.Sprintf("%s %v", m["name"], m["age_days"]))
			if m["stale"] != (m["age_days"].(float64) >= 2) {
				t.Errorf("stale: %v", m)
			}
		}
		if strings.Join(got, ", ") != want || page["total"] != float64(len(got)) {
			t.Errorf("%d days ago: %q of %v, want %q", daysAgo, got, page["total"], want)
		}
		if got := s.ok(200, "GET", "/api/v1/agents/ada/memories?session=u1-c1-1700000000&stale=true&as_of="+at, nil)["total"]; (got == 1.0) != (daysAgo == 3) {
			t.Errorf("%d days ago: %v stale ones of the session", daysAgo, got)
		}
	}
}

func TestAsOf_Pages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 7 {
		files[fmt.Sprintf("ada/memory/%d.md", i)] = memoirtest.Note(fmt.Sprint("M", i), memories.User, "One of many.")
	}
	s := setup(t, files)
	at := "/api/v1/agents/ada/memories?as_of=" + now()
	var pages []string
	cursor := ""
	for {
		page := s.ok(200, "GET", at+"&limit=3&cursor="+cursor, nil)
		pages = append(pages, names(page.list("memories"), "name"))
		if page["next_cursor"] == nil {
			break
		}
		cursor = url.QueryEscape(page.string("next_cursor"))
	}
	if got := strings.Join(pages, "|"); got != "M0 M1 M2|M3 M4 M5|M6" {
		t.Errorf("pages: %s", got)
	}
	next := s.ok(200, "GET", at+"&limit=3", nil).string("next_cursor")
	s.problem(s.call("GET", at+"&type=user&cursor="+next, nil), 422)
	s.problem(s.call("GET", "/api/v1/agents/ada/memories?sort=name&cursor="+next, nil), 422)
	for _, place := range []object{{"Name": "a\x00b"}, {"Name": 1}, {"ID": "x"}} {
		s.problem(s.call("GET", at+"&limit=3&cursor="+forged(t, next, place), nil), 422)
	}
}

func TestAsOf_InvalidAndFuture(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	for _, path := range []string{"/api/v1/agents/ada/memories", at, "/api/v1/agents/ada/claude-md"} {
		for _, wrong := range []string{"yesterday", "2026-11-03", "2026-11-03T14:00:00", "1700000000", "2026-13-01T00:00:00Z"} {
			p := s.problem(s.call("GET", path+"?as_of="+wrong, nil), 422)
			if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != "query.as_of" {
				t.Errorf("%s as of %s: %v", path, wrong, p)
			}
		}
		present := string(s.call("GET", path, nil).raw)
		for _, moment := range []string{"9999-12-31T23:59:59Z", "2999-01-01T00:00:00+02:00"} {
			if got := string(s.call("GET", path+"?as_of="+moment, nil).raw); got != present {
				t.Errorf("%s as of %q: %s, want %s", path, moment, got, present)
			}
		}
	}
	for query, field := range map[string]string{"q=tabs": "q", "sort=age": "sort", "sort=updated": "sort"} {
		p := s.problem(s.call("GET", "/api/v1/agents/ada/memories?as_of="+now()+"&"+query, nil), 422)
		if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != "query."+field {
			t.Errorf("%s: %v", query, p)
		}
	}
	s.problem(s.call("GET", "/api/v1/agents/ada/claude-md?as_of="+now()+"&without=x", nil), 422)
}

// forged returns cursor with the keys of its position replaced by those of place.
func forged(t *testing.T, cursor string, place object) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	var sealed object
	if err := json.Unmarshal(raw, &sealed); err != nil {
		t.Fatal(err)
	}
	for key, value := range place {
		sealed.object("At")[key] = value
	}
	if raw, err = json.Marshal(sealed); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// A change counts from its exact time: at time t, a memory has its newest row with a time up to t,
// to the microsecond.
func TestAsOf_ExactMoment(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": tabs["ada/memory/tabs.md"]})
	s.ok(200, "PATCH", s.at("ada", "Tabs"), object{"name": "Indent"})
	indent := s.at("ada", "Indent")
	s.ok(200, "DELETE", indent, nil)
	s.ok(200, "POST", indent+"/restore", nil)
	s.ok(200, "PATCH", indent, object{"body": "Use spaces."})

	var got []string
	happened := s.ok(200, "GET", "/api/v1/agents/ada/activity", nil).list("activity")
	for i := len(happened) - 1; i >= 0; i-- {
		at, err := time.Parse(time.RFC3339Nano, happened[i].string("at"))
		if err != nil {
			t.Fatal(err)
		}
		known := func(at time.Time) string {
			asOf := "as_of=" + url.QueryEscape(at.Format(time.RFC3339Nano))
			listed := names(s.ok(200, "GET", "/api/v1/agents/ada/memories?"+asOf, nil).list("memories"), "name")
			document := string(s.call("GET", "/api/v1/agents/ada/claude-md?"+asOf, nil).raw)
			for _, name := range []string{"Tabs", "Indent"} {
				if strings.Contains(document, "### "+name+"\n") != strings.Contains(listed, name) {
					t.Errorf("%s lists %q, and CLAUDE.md says %s", asOf, listed, document)
				}
			}
			return listed
		}
		got = append(got, fmt.Sprintf("%s %s: %q, %q", happened[i]["kind"], happened[i]["name"], known(at.Add(-time.Microsecond)), known(at)))
	}
	want := []string{
		`learned Tabs: "", "Tabs"`,
		`renamed Indent: "Tabs", "Indent"`,
		`deleted Indent: "Indent", ""`,
		`restored Indent: "", "Indent"`,
		`changed Indent: "Indent", "Indent"`,
	}
	if len(got) != len(want) {
		t.Fatalf("what happened is\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s, want %s", got[i], want[i])
		}
	}
}
