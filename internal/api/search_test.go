package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// harbour returns a server with two agents that both have a memory about ferries.
func harbour(t *testing.T) *server {
	t.Helper()
	return setup(t, memoirtest.Files{
		"ada/memory/release.md":   memoirtest.Note("Release day", memories.Project, "We release on Tuesdays, in the ferry's low season."),
		"ada/memory/tea.md":       memoirtest.Note("Tea", memories.User, "Mira drinks green tea."),
		"grace/memory/ferry.md":   memoirtest.Note("Ferry times", memories.Reference, "They leave the harbour at six."),
		"grace/memory/ferries.md": memoirtest.Note("Old certificate", memories.Feedback, "Never renew the certificate of the ferry by hand."),
	})
}

func search(s *server, query string) object {
	s.Helper()
	return s.ok(200, "GET", "/api/v1/search?"+query, nil)
}

func found(list object) string {
	var all []string
	for _, m := range list.list("memories") {
		all = append(all, m.string("agent")+"/"+m.string("name"))
	}
	return strings.Join(all, ", ")
}

func TestSearch_AllAgents(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	waittest.For(s, "the other agent", func() bool { return search(s, "q=harbour")["total"] == 1.0 })
	for query, want := range map[string]string{
		"q=ferry&limit=1":      "grace/Ferry times",
		"q=tea":                "ada/Tea",
		"q=ferry&type=project": "ada/Release day",
		"q=tea+ferry":          "",
		"q=...":                "",
	} {
		if got := found(search(s, query)); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	if list := search(s, "q=ferry"); list["total"] != 3.0 || list["near"] != false || list["next_cursor"] != nil {
		t.Errorf("ferry: %v", list)
	}
	s.ok(200, "DELETE", s.at("ada", "Tea"), nil)
	if got := found(search(s, "q=tea")); got != "" {
		t.Errorf("a deleted memory is found: %q", got)
	}
	if got := found(search(s, "q=tea&state=deleted")); got != "ada/Tea" {
		t.Errorf("the trash has %q", got)
	}
}

func TestSearch_Invalid(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	next := search(s, "q=about&limit=1").string("next_cursor")
	for query, field := range map[string]string{
		"": "q", "q=": "q", "q=%00": "q", "q=a&type=fact": "type", "q=a&state=gone": "state", "q=a&limit=0": "limit",
		"q=" + strings.Repeat("a+", 501): "q", "q=a&cursor=x": "cursor", "q=a&cursor=" + next: "cursor", "q=about&type=user&cursor=" + next: "cursor",
	} {
		fields := s.problem(s.call("GET", "/api/v1/search?"+query, nil), 422).list("errors")
		if len(fields) != 1 || fields[0]["location"] != "query."+field {
			t.Errorf("%s: %v", query, fields)
		}
	}
}

func TestSearch_Near(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	waittest.For(s, "the other agent", func() bool { return search(s, "q=harbour")["total"] == 1.0 })
	for q, want := range map[string]string{
		"releese":            "ada/Release day",
		"relaese tuesdya":    "ada/Release day",
		"certifacite":        "grace/Old certificate",
		"certifacite nobody": "",
		"harbor":             "grace/Ferry times",
		"zzzz":               "",
		"te":                 "",
	} {
		list := search(s, "near=true&q="+url.QueryEscape(q))
		if got := found(list); got != want && q != "te" || list["near"] != (want != "") {
			t.Errorf("%q finds %q, near %v; want %q", q, got, list["near"], want)
		}
	}
	list := s.ok(200, "GET", "/api/v1/agents/ada/memories?q=releese&near=true", nil)
	if names(list.list("memories"), "name") != "Release day" || list["near"] != true || list["total"] != 1.0 {
		t.Errorf("in a list of one agent: %v", list)
	}
	if list := s.ok(200, "GET", "/api/v1/agents/grace/memories?q=releese&near=true", nil); list["total"] != 0.0 || list["near"] != false {
		t.Errorf("another agent's list has what it has not: %v", list)
	}
	// Similar words are not searched if only the filter excludes the exact match.
	if list := s.ok(200, "GET", "/api/v1/agents/ada/memories?q=release&type=user&near=true", nil); list["total"] != 0.0 || list["near"] != false {
		t.Errorf("with a filter: %v", list)
	}
}

// Scripts delete the memories of a list, so near matches need near=true.
func TestSearch_NearOnRequestOnly(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/quick.md":  memoirtest.Note("Quick", memories.User, "The fox has tokena."),
		"ada/memory/slow.md":   memoirtest.Note("Slow", memories.User, "The snail has tokenb."),
		"ada/memory/gone.md":   memoirtest.Note("Gone", memories.User, "A lighthouse."),
		"ada/memory/stays.md":  memoirtest.Note("Stays", memories.User, "A lighthousf."),
		"ada/memory/certif.md": memoirtest.Note("Both", memories.User, "A certificate and a harbour."),
	})
	s.ok(200, "DELETE", s.at("ada", "Gone"), nil)
	for q, n := range map[string]float64{"uick": 1, "tokena tokenb": 2, "lighthouse": 1, "certificate harbuor": 1} {
		for _, path := range []string{"/api/v1/search?q=", "/api/v1/agents/ada/memories?q=", "/api/v1/agents/ada/memories?sort=name&q="} {
			path += url.QueryEscape(q)
			for _, strict := range []string{path, path + "&near=false"} {
				if list := s.ok(200, "GET", strict, nil); list["total"] != 0.0 || list["near"] != false || len(list.list("memories")) != 0 {
					t.Errorf("%s: %v", strict, list)
				}
			}
			if list := s.ok(200, "GET", path+"&near=true", nil); list["total"] != n || list["near"] != true {
				t.Errorf("%s, near: %v", path, list)
			}
		}
	}
}

func TestSearch_CursorOfNear(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/1.md": memoirtest.Note("One", memories.User, "A certificate."),
		"ada/memory/2.md": memoirtest.Note("Two", memories.User, "A certificate."),
		"ada/memory/3.md": memoirtest.Note("Three", memories.User, "A certificatf."),
		"ada/memory/4.md": memoirtest.Note("Four", memories.User, "A certificatf."),
	})
	for _, path := range []string{"/api/v1/search?limit=1&q=", "/api/v1/agents/ada/memories?limit=1&q="} {
		strict := s.ok(200, "GET", path+"certificate", nil).string("next_cursor")
		with := s.ok(200, "GET", path+"certificate&near=true", nil).string("next_cursor")
		near := s.ok(200, "GET", path+"certifikate&near=true", nil).string("next_cursor")
		s.ok(200, "GET", path+"certifikate&near=true&cursor="+near, nil)
		for _, other := range []string{"certificate&near=true&cursor=" + strict, "certificate&cursor=" + with, "certifikate&cursor=" + near} {
			s.problem(s.call("GET", path+other, nil), 422)
		}
	}
}

// The next page of exact matches has no near matches, even if all exact matches were deleted since.
func TestSearch_HitsWithoutNear(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/1.md": memoirtest.Note("One", memories.User, "A certificate."),
		"ada/memory/2.md": memoirtest.Note("Two", memories.User, "A certificate."),
		"ada/memory/3.md": memoirtest.Note("Three", memories.User, "A certificatf."),
	})
	const path = "/api/v1/agents/ada/memories?limit=1&near=true&sort=name&q=certificate"
	first := s.ok(200, "GET", path, nil)
	for _, m := range s.ok(200, "GET", "/api/v1/agents/ada/memories?q=certificate", nil).list("memories") {
		s.ok(200, "DELETE", "/api/v1/agents/ada/memories/"+m.string("id"), nil)
	}
	if next := s.ok(200, "GET", path+"&cursor="+first.string("next_cursor"), nil); next["total"] != 0.0 || next["near"] != false {
		t.Errorf("the second page has %v", next)
	}
}

func TestSearch_NearPages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 7 {
		files[fmt.Sprintf("ada/memory/%d.md", i)] = memoirtest.Note(fmt.Sprint("Memory ", i), memories.User, "The certificate is renewed.")
	}
	s := setup(t, files)
	for _, q := range []string{"certificate", "certifikate"} {
		seen := map[string]bool{}
		cursor := ""
		for {
			page := search(s, "limit=2&near=true&q="+q+cursor)
			if page["near"] != (q == "certifikate") || page["total"] != 7.0 {
				t.Fatalf("%s: %v", q, page)
			}
			for _, m := range page.list("memories") {
				seen[m.string("id")] = true
			}
			if page["next_cursor"] == nil {
				break
			}
			cursor = "&cursor=" + url.QueryEscape(page.string("next_cursor"))
		}
		if len(seen) != 7 {
			t.Errorf("%s: the pages have %d memories", q, len(seen))
		}
	}
}

func TestSearch_ManyHits(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{"ada/memory/0.md": memoirtest.Note("Ferry", memories.User, "The oldest, and the one that is meant.")}
	s := setup(t, files)
	for i := range 699 {
		s.Write(fmt.Sprintf("ada/memory/m%d.md", i), memoirtest.Note(fmt.Sprint("Memory ", i), memories.User, "The ferry is on time."))
	}
	s.Scan("ada")
	waittest.For(s, "the search index", func() bool { return search(s, "q=ferry")["total"] == 700.0 })
	seen := map[string]bool{}
	cursor, pages := "", 0
	for {
		page := search(s, "limit=250&q=ferry"+cursor)
		if page["total"] != 700.0 {
			t.Errorf("a page's total is %v", page["total"])
		}
		for i, m := range page.list("memories") {
			if pages == 0 && i == 0 && m.string("name") != "Ferry" {
				t.Errorf("the first is %q", m.string("name"))
			}
			if seen[m.string("id")] {
				t.Errorf("%s is listed twice", m.string("name"))
			}
			seen[m.string("id")] = true
		}
		pages++
		if page["next_cursor"] == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(page.string("next_cursor"))
	}
	if len(seen) != 700 || pages != 3 {
		t.Errorf("%d pages have %d memories", pages, len(seen))
	}
}

func TestSearch_WithoutTrigrams(t *testing.T) {
	t.Parallel()
	at := pgtest.New(t)
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "DROP EXTENSION pg_trgm CASCADE"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := memoirtest.StartAt(t, at, memoirtest.Files{"ada/memory/release.md": memoirtest.Note("Release day", memories.Project, "Tuesdays.")})
	s := serve(t, m, api.Options{})
	if got := found(search(s, "q=release")); got != "ada/Release day" {
		t.Errorf("found %q", got)
	}
	if list := search(s, "q=releese&near=true"); list["total"] != 0.0 || list["near"] != false {
		t.Errorf("%v", list)
	}
}
