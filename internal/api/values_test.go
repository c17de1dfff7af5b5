package api_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestMemory_UnknownAge(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	if err := os.MkdirAll(s.Path("cy/memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", s.Path("cy/memory/dangling.md")); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]time.Time{"epoch": time.Unix(0, 0), "recent": time.Now().Add(-5 * 24 * time.Hour)} {
		path := s.Path("new/memory/" + name + ".md")
		if err := os.MkdirAll(s.Path("new/memory"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+"~", []byte(memoirtest.Note(name, memories.User, "B")), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path+"~", at, at); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
	}
	s.ok(200, "POST", "/api/v1/scan", nil)
	m := s.ok(200, "GET", s.at("new", "epoch"), nil)
	if m["age_days"] != nil || m["stale"] != false || strings.HasPrefix(m.string("created_at"), "1970") || strings.HasPrefix(m.string("updated_at"), "1970") {
		t.Errorf("a file of 1970: %v", m)
	}
	if got := s.ok(200, "GET", s.at("cy", "dangling"), nil); got["age_days"] != nil || got["stale"] != false {
		t.Errorf("a dangling link: %v", got)
	}
	stats := s.ok(200, "GET", "/api/v1/agents/new/statistics", nil)
	growth := stats.list("growth")
	if first, err := time.Parse(time.DateOnly, growth[0].string("day")); err != nil || time.Since(first) > 7*24*time.Hour {
		t.Errorf("the growth begins on %v", growth[0]["day"])
	}
	if last := growth[len(growth)-1].object("alive")["total"]; last != 2.0 {
		t.Errorf("the growth ends with %v memories", last)
	}
	aged := 0.0
	for _, bucket := range stats.list("ages") {
		aged += bucket.object("alive")["total"].(float64)
	}
	if aged != 1 {
		t.Errorf("%v memories have an age, want 1", aged)
	}
	for query, want := range map[string]string{"sort=age": "epoch recent", "stale=true": "recent"} {
		var names []string
		for _, m := range s.ok(200, "GET", "/api/v1/agents/new/memories?"+query, nil).list("memories") {
			names = append(names, m.string("name"))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestMemory_NamesInNFC(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "Über Café", "U\u0308ber Cafe\u0301"
	s := setup(t, memoirtest.Files{
		"ada/memory/a.md":           memoirtest.Note(nfc, memories.User, "written as NFC"),
		"ada/memory/b.md":           memoirtest.Note(nfd, memories.User, "written as NFD"),
		"ada/memory/c.md":           "---\nname: \"\u200b\"\ntype: user\n---\nunseen\n",
		"bob/memory/" + nfc + ".md": memoirtest.Note("one", memories.User, "1"),
		"bob/memory/" + nfd + ".md": memoirtest.Note("two", memories.User, "2"),
	})
	list := s.ok(200, "GET", "/api/v1/agents/ada/memories?sort=name", nil).list("memories")
	if len(list) != 2 || list[1]["name"] != nfc || len(list[1].list("files")) != 2 {
		t.Fatalf("memories are %v", list)
	}
	if list[0]["name"] != "c" || fmt.Sprint(list[0].list("problems")[0]["code"]) != memories.CodeNameInvisible || list[0]["state"] != "active" {
		t.Errorf("an invisible name: %v", list[0])
	}
	if got := s.ok(200, "GET", "/api/v1/agents/bob/memories", nil)["total"]; got != 2.0 {
		t.Errorf("two files are %v memories", got)
	}
	found := s.ok(200, "GET", "/api/v1/agents/ada/memories?name="+url.QueryEscape(nfd), nil)
	if found["total"] != 1.0 {
		t.Errorf("by its other form: %v", found)
	}
	id := list[1]["id"]
	saved := s.ok(200, "POST", "/api/v1/agents/ada/memories", object{"name": nfd, "type": "feedback", "body": "Saved."})
	if saved["id"] != id || saved["name"] != nfc {
		t.Errorf("saved: %v", saved)
	}
	for _, file := range []string{"a.md", "b.md"} {
		name := map[string]string{"a.md": nfc, "b.md": nfd}[file]
		if text := s.Read("ada/memory/" + file); !strings.Contains(text, "name: "+name+"\n") {
			t.Errorf("%s says %q", file, text)
		}
	}
	for _, name := range []string{"\u200b", "\u0301", "\u3164"} {
		r := s.problem(s.call("POST", "/api/v1/agents/ada/memories", object{"name": name, "type": "user", "body": "B"}), 422)
		if !strings.Contains(fmt.Sprint(r), "name") {
			t.Errorf("%q is refused with %v", name, r)
		}
	}
	if r := s.call("PATCH", "/api/v1/agents/ada/memories/"+fmt.Sprint(id), object{"name": "\u200b"}); r.status != 422 {
		t.Errorf("renamed to nothing visible: %d", r.status)
	}
	s.ok(200, "DELETE", "/api/v1/agents/ada/memories/"+fmt.Sprint(id), nil)
	s.Write("ada/memory/d.md", "---\nname: "+nfd+"\ntype: feedback\n---\nSaved.\n")
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	if blocked := s.ok(200, "GET", "/api/v1/agents/ada/blocked", nil).list("blocked"); len(blocked) != 1 {
		t.Errorf("a deleted content with the other form of its name: blocked are %v", blocked)
	}
}
