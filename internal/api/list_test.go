package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// library returns a server with agent ada, which has memories of each type and state. Each is a day
// older than the previous one.
func library(t *testing.T) *server {
	t.Helper()
	s := setup(t, memoirtest.Files{"ada/memory/keep.md": memoirtest.Note("keep", memories.User, "Keeps the agent here.")})
	for i, m := range []struct {
		name string
		t    memories.Type
		body string
	}{
		{"Zebra", memories.Feedback, "Stripes are deployed on Fridays."},
		{"apple", memories.Project, "The Deployment runs in Berlin."},
		{"Mango", memories.Project, "数据库在东京。"},
		{"gone", memories.Reference, "In the trash."},
	} {
		file := fmt.Sprintf("ada/memory/%d.md", i)
		s.Write(file, memoirtest.Note(m.name, m.t, m.body))
		old := time.Now().Add(-time.Duration(i+1) * 24 * time.Hour)
		if err := os.Chtimes(s.Path(file), old, old); err != nil {
			t.Fatal(err)
		}
		s.Scan("ada") // the order follows the modification time, not the time of the scan
	}
	s.Write("ada/memory/odd.md", "No frontmatter.")
	s.Scan("ada")
	s.ok(200, "DELETE", s.at("ada", "gone"), nil)
	return s
}

func TestListMemories_Filters(t *testing.T) {
	t.Parallel()
	s := library(t)
	for query, want := range map[string]string{
		"":                                   "odd keep Zebra apple Mango",
		"sort=updated":                       "odd keep Zebra apple Mango",
		"sort=name":                          "Mango Zebra apple keep odd",
		"sort=age&state=active":              "Mango apple Zebra keep",
		"type=project&sort=name":             "Mango apple",
		"state=active&sort=name":             "Mango Zebra apple keep",
		"state=needs_attention":              "odd",
		"state=deleted":                      "gone",
		"state=missing":                      "",
		"name=Zebra":                         "Zebra",
		"name=zebra":                         "",
		"name=gone":                          "",
		"name=gone&state=deleted":            "gone",
		"q=deploy&sort=name":                 "Zebra apple",
		"q=BERLIN+deploy":                    "apple",
		"q=deploy+nowhere":                   "",
		"q=" + url.QueryEscape("东京"):         "Mango",
		"q=...":                              "",
		"q=deploy&type=project":              "apple",
		"stale=true":                         "apple Mango",
		"stale=true&type=project&sort=name":  "Mango apple",
		"stale=false&state=active&sort=name": "Mango Zebra apple keep",
		"session=nobody":                     "",
		"cursor=":                            "odd keep Zebra apple Mango",
	} {
		list := s.ok(200, "GET", "/api/v1/agents/ada/memories?"+query, nil)
		if got := names(list.list("memories"), "name"); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
		if list["total"] != float64(len(strings.Fields(want))) || list["next_cursor"] != nil || list["near"] != false || len(list) != 4 {
			t.Errorf("%q: total %v, next_cursor %v", query, list["total"], list["next_cursor"])
		}
	}
	for _, m := range s.ok(200, "GET", "/api/v1/agents/ada/memories", nil).list("memories") {
		if m.keys() != sorted(memoryKeys) {
			t.Errorf("fields of a memory in a list: %s", m.keys())
		}
	}
}

func TestListMemories_Session(t *testing.T) {
	t.Parallel()
	const first, second = "U1-C1-1741512345.123456", "U2-C1-1741512999.000001"
	s := setup(t, memoirtest.Files{
		"ada/memory/own.md":                          memoirtest.Note("own", memories.User, "Of the agent itself."),
		"ada/sessions/" + first + "/memory/tea.md":   memoirtest.Note("tea", memories.User, "Green."),
		"ada/sessions/" + first + "/memory/both.md":  memoirtest.Note("both", memories.User, "The same in both."),
		"ada/sessions/" + second + "/memory/both.md": memoirtest.Note("both", memories.User, "The same in both."),
	})
	wants := func(session, want string) {
		t.Helper()
		list := s.ok(200, "GET", "/api/v1/agents/ada/memories?sort=name&session="+session, nil)
		if got := names(list.list("memories"), "name"); got != want {
			t.Errorf("%s lists %q, want %q", session, got, want)
		}
	}
	wants(first, "both tea")
	wants(second, "both")
	s.Remove("ada/sessions/" + first)
	s.Scan("ada")
	wants(first, "tea") // tea came from the first session; both is in a file of the second
}

func TestListMemories_FoldsWords(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("Straße", memories.User, "Café Ångström in İstanbul, Ωμέγα, naïve."),
		"ada/memory/b.md": memoirtest.Note("decomposed", memories.User, "A re\u0301sume\u0301 and カ\u3099ラス."),
		"ada/memory/c.md": memoirtest.Note("narrow", memories.User, "ﾃﾞｰﾀﾍﾞｰｽの設定"),
		"ada/memory/d.md": memoirtest.Note("code", memories.User, "http.NewRequest, snake_case_name, --agents-dir, internal/postgres/list.go, C++"),
		"ada/memory/e.md": memoirtest.Note("й", memories.User, "мой дом"),
		"ada/memory/f.md": memoirtest.Note("hangul", memories.User, "한국어 문서, API를"),
		"ada/memory/g.md": memoirtest.Note("jamo", memories.User, norm.NFD.String("보고문서를 쓴다")),
	})
	for q, want := range map[string]string{
		"STRASSE": "Straße", "straße": "Straße", "cafe": "Straße", "CAFÉ": "Straße", "angstrom": "Straße", "istanbul": "Straße",
		"ωμεγα": "Straße", "naiv": "Straße", "resume": "decomposed", "résumé": "decomposed", "ガラス": "decomposed", "カラス": "",
		"データベース": "narrow", "ﾃﾞｰﾀ": "narrow", "ベース": "narrow", "設定": "narrow", "定設": "",
		"newreq": "code", "http.newrequest": "code", "snake_case": "code", "agents-dir": "code", "postgres/list": "code", "мой": "й", "мои": "",
		"국어": "hangul", "한국어": "hangul", "문서": "hangul jamo", "서를": "jamo", "보고 문서": "jamo", "어문": "", "api": "hangul", norm.NFD.String("국어"): "hangul",
		"& | !": "", "' :*": "", strings.Repeat("x", 1000): "", strings.Repeat("code ", 200): "code",
	} {
		list := s.ok(200, "GET", "/api/v1/agents/ada/memories?sort=name&q="+url.QueryEscape(q), nil)
		if got := names(list.list("memories"), "name"); got != want && len(q) < 10_000 || list["total"] != float64(len(strings.Fields(got))) {
			t.Errorf("%.40q finds %q, want %q", q, got, want)
		}
	}
}

// U+FFFD is valid text. Files that were once decoded with the wrong encoding contain it.
func TestListMemories_ReplacementCharacter(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/keep.md": memoirtest.Note("keep", memories.User, "Keeps the agent here.")})
	saved := s.ok(201, "POST", "/api/v1/agents/ada/memories", map[string]string{"name": "a\ufffdb", "type": "user", "body": "Mojibake."})
	for _, query := range []string{"name=a%EF%BF%BDb", "q=a%EF%BF%BDb%20mojibake"} {
		list := s.ok(200, "GET", "/api/v1/agents/ada/memories?"+query, nil).list("memories")
		if len(list) != 1 || list[0]["id"] != saved["id"] {
			t.Errorf("%s: %v", query, list)
		}
	}
	if got := found(search(s, "q=mojibake%EF%BF%BD")); got != "ada/a\ufffdb" {
		t.Errorf("the search of all finds %q", got)
	}
	s.ok(200, "GET", "/api/v1/agents/ada/memories?session=s%EF%BF%BD", nil)
	s.ok(200, "GET", "/api/v1/agents/ada/recalls?session=s%EF%BF%BD", nil)
	s.ok(200, "GET", "/api/v1/agents/ada/logs?q=a%EF%BF%BD", nil)
	if told := s.ok(200, "GET", "/api/v1/agents/ada/activity?name=a%EF%BF%BDb", nil).list("activity"); len(told) != 1 {
		t.Errorf("the journal tells %v", told)
	}
}

func TestListMemories_Pages(t *testing.T) {
	t.Parallel()
	s := library(t)
	for _, query := range []string{"sort=updated", "sort=name", "sort=age", "q=about"} {
		whole := names(s.ok(200, "GET", "/api/v1/agents/ada/memories?"+query, nil).list("memories"), "name")
		var pages []string
		cursor := ""
		for {
			page := s.ok(200, "GET", "/api/v1/agents/ada/memories?limit=1&"+query+"&cursor="+cursor, nil)
			pages = append(pages, names(page.list("memories"), "name"))
			if page["total"] != float64(len(strings.Fields(whole))) {
				t.Errorf("%s: a page's total is %v", query, page["total"])
			}
			if page["next_cursor"] == nil {
				break
			}
			cursor = url.QueryEscape(page.string("next_cursor"))
		}
		if got := strings.Join(pages, " "); got != whole || len(pages) < 2 {
			t.Errorf("%s: pages of one add up to %q, want %q", query, got, whole)
		}
	}
}

func TestListMemories_FarTimes(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/keep.md": memoirtest.Note("keep", memories.User, "Keeps the agent here.")})
	for name, modified := range map[string]string{
		"late": "9999-12-31T23:59:59-01:00", "early": "0000-01-01T00:00:00+01:00", "zero": "0000-01-01T00:00:00Z",
		"first": "0001-01-01T00:00:00Z", "last": "9999-12-31T23:59:59Z",
	} {
		s.Write("ada/memory/"+name+".md", "---\nname: "+name+"\ntype: user\nmetadata:\n  modified: "+modified+"\n---\n\nText.\n")
	}
	s.Scan("ada")
	for _, sort := range []string{"age", "modified", "updated", "name"} {
		found, cursor := map[string]bool{}, ""
		for range 6 {
			list := s.ok(200, "GET", "/api/v1/agents/ada/memories?limit=1&sort="+sort+"&cursor="+cursor, nil)
			found[names(list.list("memories"), "name")] = true
			cursor, _ = list["next_cursor"].(string)
		}
		if len(found) != 6 || cursor != "" {
			t.Errorf("by %s, six pages have %v, and the next cursor is %q", sort, found, cursor)
		}
	}
	for _, m := range s.ok(200, "GET", "/api/v1/agents/ada/memories", nil).list("memories") {
		s.ok(200, "GET", s.at("ada", m["name"].(string)), nil)
	}
}

func TestList_UpdatedSince(t *testing.T) {
	t.Parallel()
	s := library(t)
	list := "/api/v1/agents/ada/memories?sort=updated&updated_since="
	all := s.ok(200, "GET", "/api/v1/agents/ada/memories?sort=updated", nil).list("memories")
	for i, m := range all {
		want := i + 1
		for want < len(all) && all[want].string("updated_at") == m.string("updated_at") {
			want++
		}
		if got := s.ok(200, "GET", list+m.string("updated_at"), nil).list("memories"); len(got) != want || names(got, "name") != names(all[:want], "name") {
			t.Errorf("since %s there are %q, want %q", m.string("updated_at"), names(got, "name"), names(all[:want], "name"))
		}
	}
	if got := s.ok(200, "GET", list+"2100-01-01T00:00:00%2B02:00", nil); len(got.list("memories")) > 0 || got["total"] != 0.0 {
		t.Errorf("in the future there are %v", got)
	}
	past := s.ok(200, "GET", "/api/v1/agents/ada/memories?as_of="+now()+"&updated_since=2100-01-01T00:00:00Z", nil)
	if len(past.list("memories")) > 0 {
		t.Errorf("in the past there are %v", past)
	}
}

func TestListMemories_Unchecked(t *testing.T) {
	t.Parallel()
	days := map[string][2]int{"project": {29, 30}, "reference": {89, 90}, "user": {179, 180}, "feedback": {179, 180}, "opinion": {400, 400}}
	files := memoirtest.Files{}
	for kind, ages := range days {
		for i, name := range []string{"new", "old"} {
			modified := time.Now().AddDate(0, 0, -ages[i]).Add(-time.Minute).Format(time.RFC3339)
			files["ada/memory/"+kind+"_"+name+".md"] = fmt.Sprintf("---\nname: %s_%s\ntype: %s\nmetadata:\n  modified: %s\n---\n\nText.\n", kind, name, kind, modified)
		}
	}
	files["ada/memory/user_1980.md"] = "---\nname: archived\ntype: user\nmetadata:\n  modified: 1980-01-01T00:00:00Z\n---\n\nText.\n"
	s := setup(t, files)
	const old = "feedback_old project_old reference_old user_old"
	for query, want := range map[string]string{
		"/agents/ada/memories?sort=name&unchecked=true":              old,
		"/agents/ada/memories?sort=name&unchecked=true&type=project": "project_old",
		"/agents/ada/memories?sort=name&unchecked=true&q=text":       old,
		"/agents/ada/memories?unchecked=true&as_of=" + now():         old,
		"/memories?sort=name&unchecked=true":                         old,
	} {
		if got := names(s.ok(200, "GET", "/api/v1"+query, nil).list("memories"), "name"); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
}

func TestListMemories_InvalidParameter(t *testing.T) {
	t.Parallel()
	s := library(t)
	next := s.ok(200, "GET", "/api/v1/agents/ada/memories?limit=1&sort=name", nil).string("next_cursor")
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=501": "limit", "limit=-1": "limit", "limit=ten": "limit", "limit=1.5": "limit",
		"limit=99999999999999999999": "limit", "stale=old": "stale", "session=%00": "session", "type=fact": "type", "type=Feedback": "type", "state=gone": "state", "sort=size": "sort",
		"sort=rank": "sort", "cursor=%21": "cursor", "cursor=" + next: "cursor", "name=a%00b": "name", "name=%ff": "name", "q=%00": "q", "q=%ff": "q", "updated_since=yesterday": "updated_since",
	} {
		p := s.problem(s.call("GET", "/api/v1/agents/ada/memories?"+query, nil), 422)
		if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != "query."+field || fields[0].string("message") == "" {
			t.Errorf("%s: %v", query, p)
		}
	}
	for _, query := range []string{"limit=1", "limit=500"} {
		s.ok(200, "GET", "/api/v1/agents/ada/memories?"+query, nil)
	}
}

func TestCursor_OfOtherList(t *testing.T) {
	t.Parallel()
	s := library(t)
	s.Write("bob/memory/b.md", memoirtest.Note("B", memories.User, "Bee."))
	s.Scan("ada")
	waittest.For(s, "the other agent", func() bool { return s.call("GET", "/api/v1/agents/bob", nil).status == 200 })
	const list = "/api/v1/agents/ada/memories?limit=1&sort=name"
	next := "&cursor=" + s.ok(200, "GET", list, nil).string("next_cursor")
	s.ok(200, "GET", list+next, nil)
	s.ok(200, "GET", "/api/v1/agents/ada/memories?limit=500&sort=name"+next, nil)
	for _, other := range []string{
		list + "&type=user", list + "&state=active", list + "&name=keep", list + "&q=about", list + "&stale=true", list + "&session=none",
		"/api/v1/agents/ada/memories?sort=age", "/api/v1/agents/ada/memories?limit=1", "/api/v1/agents/bob/memories?sort=name",
	} {
		if fields := s.problem(s.call("GET", other+next, nil), 422).list("errors"); len(fields) != 1 || fields[0]["location"] != "query.cursor" {
			t.Errorf("%s: %v", other, fields)
		}
	}
}

func TestCursor_Invalid(t *testing.T) {
	t.Parallel()
	s := library(t)
	for query, keys := range map[string][]string{
		"sort=age":     {"", "yesterday", "0000-01-01T00:00:00Z", "9999-01-01T00:00:00+23:59", "99999-01-01T00:00:00Z"},
		"sort=updated": {"0000-01-01T00:00:00Z", "2026-01-01 00:00:00Z"},
		"sort=name":    {"a\x00b"},
		"q=about":      {"", "NaN", "Inf", "1_0", "0x1p-2", "1e-60", "1e39", "-0x0p0"},
	} {
		path := "/api/v1/agents/ada/memories?limit=1&" + query
		raw, err := base64.RawURLEncoding.DecodeString(s.ok(200, "GET", path, nil).string("next_cursor"))
		if err != nil {
			t.Fatal(err)
		}
		var cursor object
		if err := json.Unmarshal(raw, &cursor); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			cursor.object("At")["Key"] = key
			forged, err := json.Marshal(cursor)
			if err != nil {
				t.Fatal(err)
			}
			s.problem(s.call("GET", path+"&cursor="+base64.RawURLEncoding.EncodeToString(forged), nil), 422)
		}
	}
}

func TestListMemories_FlaggedAndNotRemoved(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":  memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/nul.md":   memoirtest.Note("Nul", memories.User, "a\x00b"),
		"ada/memory/stuck.md": memoirtest.Note("Stuck", memories.User, "Stays on disk."),
		"ada/memory/gone.md":  memoirtest.Note("Gone", memories.User, "Goes."),
		// A removal first renames the file to this path, so this directory makes it fail, even for
		// root.
		"ada/memory/.memoir-removing-stuck.md/full": "of this",
		"ada/memory/odd.md":                         "No frontmatter.",
	})
	s.ok(200, "DELETE", s.at("ada", "Stuck"), nil)
	s.ok(200, "DELETE", s.at("ada", "Gone"), nil)
	for query, want := range map[string]string{
		"flagged=true":                      "Nul",
		"flagged=true&type=feedback":        "",
		"flagged=true&q=ab":                 "Nul",
		"not_removed=true":                  "Stuck",
		"not_removed=true&state=deleted":    "Stuck",
		"not_removed=true&state=active":     "",
		"not_removed=true&q=disk":           "Stuck",
		"state=deleted&sort=name":           "Gone Stuck",
		"flagged=false&not_removed=false":   "Nul Tabs odd",
		"not_removed=true&flagged=true":     "",
		"flagged=true&limit=1&sort=updated": "Nul",
	} {
		list := s.ok(200, "GET", "/api/v1/agents/ada/memories?"+query, nil)
		found := strings.Fields(names(list.list("memories"), "name"))
		if slices.Sort(found); strings.Join(found, " ") != want || list["total"] != float64(len(found)) {
			t.Errorf("%s: %v of %v, want %s", query, found, list["total"], want)
		}
	}
	stuck := s.ok(200, "GET", "/api/v1/agents/ada/memories?not_removed=true", nil).list("memories")[0]
	if got := names(stuck.list("problems"), "code"); got != "not_removed" {
		t.Errorf("its problems are %q", got)
	}
	s.problem(s.call("GET", "/api/v1/agents/ada/memories?flagged=true&as_of="+now(), nil), 422)
}

func TestListMemories_DefaultLimit(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 51 {
		files[fmt.Sprintf("ada/memory/%d.md", i)] = memoirtest.Note(fmt.Sprint("Memory ", i), memories.User, "One of many.")
	}
	s := setup(t, files)
	page := s.ok(200, "GET", "/api/v1/agents/ada/memories", nil)
	if len(page.list("memories")) != 50 || page["total"] != 51.0 || page["next_cursor"] == nil {
		t.Errorf("%d memories of %v", len(page.list("memories")), page["total"])
	}
}
