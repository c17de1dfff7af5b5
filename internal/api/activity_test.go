package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
)

const activityKeys = `id at agent memory_id exists name kind actor session path state type description hash renamed person`

// story returns the journal entries at path, oldest first, each as "kind name actor".
func (s *server) story(path string) []string {
	s.Helper()
	var told []string
	for _, h := range s.ok(200, "GET", path, nil).list("activity") {
		told = append(told, h.string("kind")+" "+h.string("name")+" "+h.string("actor"))
	}
	slices.Reverse(told)
	return told
}

func TestActivity_KindAndActor(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	const file, session = "ada/memory/tabs.md", "u1-c1-1700000000"
	changed := memoirtest.Note("Tabs", memories.Feedback, "Use tabs, always.")
	s.Write(file, changed)
	s.Scan("ada")
	s.ok(200, "PATCH", s.at("ada", "Tabs"), object{"body": "Use tabs, please."})
	s.ok(200, "PATCH", s.at("ada", "Tabs"), object{"body": "Use tabs, please."}) // changes nothing
	s.ok(200, "POST", s.at("ada", "Tabs")+"/verify", nil)
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil) // already deleted
	s.Write(file, changed)
	s.Scan("ada")
	s.Scan("ada") // already blocked
	s.ok(200, "POST", "/api/v1/agents/ada/blocked/"+s.ok(200, "GET", "/api/v1/agents/ada/blocked", nil).list("blocked")[0].string("id")+"/allow", nil)
	old := s.at("ada", "Tabs")
	s.ok(200, "PATCH", old, object{"name": "Spaces"})
	s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "Scratch", "type": "user", "body": "For a moment."})
	s.ok(200, "DELETE", s.at("ada", "Scratch")+"?purge=true", nil)
	spaces := s.Memory("ada", "Spaces")
	s.Remove("ada/" + spaces.Path)
	s.Scan("ada")
	s.ok(200, "POST", s.at("ada", "Spaces")+"/restore", nil)
	s.Write("ada/sessions/"+session+"/memory/s.md", memoirtest.Note("Spaces", memories.User, "Learned in a session."))
	s.Scan("ada")
	s.Write("ada/"+spaces.Path, memoirtest.Note("Renamed", memories.Feedback, "Under another name on disk."))
	s.Scan("ada")

	want := []string{
		"learned Tabs disk", "changed Tabs disk", "changed Tabs script", "verified Tabs script", "deleted Tabs script",
		"blocked Tabs disk", "allowed Tabs script", "restored Tabs script", "renamed Spaces script",
		"learned Scratch script", "deleted Scratch script", "purged Scratch script", "deleted Spaces disk", "restored Spaces script", "changed Spaces session", "learned Renamed disk",
	}
	const path = "/api/v1/agents/ada/activity"
	if got := s.story(path); !slices.Equal(got, want) {
		t.Errorf("what happened:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if gaps := pgtest.Journal(t, s.URL)(); len(gaps) > 0 {
		t.Errorf("the journal has gaps: %v", gaps)
	}
	for query, want := range map[string]string{
		"kind=deleted": "deleted Tabs script deleted Scratch script deleted Spaces disk", "kind=missing": "",
		"actor=session": "changed Spaces session", "session=" + session: "changed Spaces session", "session=nobody": "",
		"name=Spaces&actor=script":   "renamed Spaces script restored Spaces script",
		"kind=restored&actor=script": "restored Tabs script restored Spaces script", "limit=1&cursor=": "learned Renamed disk",
	} {
		if got := strings.Join(s.story(path+"?"+query), " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	ofOne := s.story(s.at("ada", "Spaces") + "/activity")
	if got := strings.Join(ofOne, ", "); !strings.HasSuffix(got, ", restored Tabs script, renamed Spaces script, deleted Spaces disk, restored Spaces script, changed Spaces session") {
		t.Errorf("of one memory: %s", got)
	}
	for _, h := range s.ok(200, "GET", path, nil).list("activity") {
		if h.keys() != sorted(activityKeys) {
			t.Errorf("fields: %s", h.keys())
		}
		if purged := h["name"] == "Scratch"; h["exists"] == purged || purged && h["description"] != nil {
			t.Errorf("%s %s: exists %v, description %v", h["kind"], h["name"], h["exists"], h["description"])
		}
		if about := h["kind"] == "blocked" || h["kind"] == "allowed"; about != (h["state"] == nil) || h["type"] == nil || h["memory_id"] == nil {
			t.Errorf("%s %s: state %v, type %v", h["kind"], h["name"], h["state"], h["type"])
		}
	}
}

func TestActivity_Rename(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	s.ok(200, "PATCH", s.at("ada", "Tabs"), object{"name": "Spaces"})
	s.Write("ada/"+s.Memory("ada", "Spaces").Path, memoirtest.Note("Both", memories.Feedback, "By an editor."))
	s.Scan("ada")
	var got []string
	for _, h := range s.ok(200, "GET", "/api/v1/agents/ada/activity", nil).list("activity") {
		got = append(got, fmt.Sprintf("%s %s %s (%s)", h["kind"], h["name"], h["actor"], h.string("renamed")))
	}
	slices.Sort(got) // both entries of an edit have the same time
	want := []string{
		"deleted Spaces disk (Both)", "learned Both disk (Spaces)", "learned Tabs disk ()", "renamed Spaces script (Tabs)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("what happened: %q, want %q", got, want)
	}
	if got := s.story("/api/v1/agents/ada/activity?name=Tabs"); !slices.Equal(got, []string{"learned Tabs disk", "renamed Spaces script"}) {
		t.Errorf("by the old name: %q", got)
	}
}

func TestActivity_MissingThenReturned(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 12 {
		files[fmt.Sprintf("ada/memory/%02d.md", i)] = memoirtest.Note(fmt.Sprintf("M%02d", i), memories.User, "One of many.")
	}
	s := setup(t, files)
	if err := os.Rename(s.Path("ada/memory"), filepath.Join(t.TempDir(), "aside")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.Path("ada/memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Scan("ada")
	if got := s.story("/api/v1/agents/ada/activity?kind=missing&actor=disk"); len(got) != 12 {
		t.Fatalf("went missing: %q", got)
	}
	s.ok(200, "POST", s.at("ada", "M00")+"/restore", nil)
	s.ok(200, "DELETE", s.at("ada", "M01"), nil)
	s.Write("ada/memory/02.md", files["ada/memory/02.md"])
	s.Scan("ada")
	got := s.story("/api/v1/agents/ada/activity")
	if want := []string{"returned M00 script", "deleted M01 script", "returned M02 disk"}; !slices.Equal(got[24:], want) {
		t.Errorf("after that: %q, want %q", got[24:], want)
	}
}

func TestActivity_UnreadableCleared(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/odd.md": strings.Repeat("long ", 1<<18), "ada/memory/untyped.md": "Without a type."})
	s.Write("ada/memory/odd.md", memoirtest.Note("Odd", memories.User, "Readable."))
	s.Write("ada/memory/untyped.md", memoirtest.Note("untyped", memories.User, "With a type."))
	s.Scan("ada")
	want := []string{"changed untyped disk", "cleared odd disk", "learned Odd disk", "learned odd disk", "learned untyped disk"}
	got := s.story("/api/v1/agents/ada/activity")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("what happened: %q, want %q", got, want)
	}
	for _, h := range s.ok(200, "GET", "/api/v1/agents/ada/activity?kind=learned", nil).list("activity") {
		if state := h["state"]; (h["name"] == "Odd") != (state == "active") {
			t.Errorf("%s was learned as %v", h["name"], state)
		}
	}
}

func TestActivity_BeginsAtFileTime(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	past := memoirtest.Files{}
	for i, session := range []string{"u1-c1-1700000000", "u2-c1-1700000001", "u3-c1-1700000002"} {
		past["sessions/"+session+"/memory/m.md"] = memoirtest.Note("Many", memories.Types()[i], fmt.Sprint("As session ", i, " says."))
	}
	past["memory/m.md"] = past["sessions/u1-c1-1700000000/memory/m.md"]
	s.appear("ada", past, map[string]int{
		"sessions/u1-c1-1700000000/memory/m.md": 9, "sessions/u2-c1-1700000001/memory/m.md": 7, "sessions/u3-c1-1700000002/memory/m.md": 5,
		"memory/m.md": 3,
	})
	var got []string
	for _, h := range s.ok(200, "GET", "/api/v1/agents/ada/activity", nil).list("activity") {
		at, err := time.Parse(time.RFC3339, h.string("at"))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %s, %d days ago", h["kind"], h["type"], h["actor"], memories.AgeOf(at, time.Now()).Days))
	}
	want := []string{
		"changed feedback disk, 3 days ago", "changed project session, 5 days ago", "changed user session, 7 days ago", "learned feedback session, 9 days ago",
	}
	if !slices.Equal(got, want) {
		t.Errorf("what happened: %q, want %q", got, want)
	}
	if gaps := pgtest.Journal(t, s.URL)(); len(gaps) > 0 {
		t.Errorf("the journal has gaps: %v", gaps)
	}
}

// appear moves a complete agent directory into the agents directory. days gives the age of each
// file, in days.
func (s *server) appear(slug string, files memoirtest.Files, days map[string]int) {
	s.Helper()
	aside := filepath.Join(s.TempDir(), slug)
	for name, text := range files {
		path := filepath.Join(aside, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.Fatal(err)
		}
		written := time.Now().Add(-time.Duration(days[name])*24*time.Hour - time.Hour)
		if err := os.Chtimes(path, written, written); err != nil {
			s.Fatal(err)
		}
	}
	if err := os.Rename(aside, s.Path(slug)); err != nil {
		s.Fatal(err)
	}
	s.ok(200, "POST", "/api/v1/scan", nil)
}

func TestActivity_AllAgentsPages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for _, slug := range []string{"ada", "bob", "cas"} {
		for i := range 5 {
			files[fmt.Sprintf("%s/memory/%d.md", slug, i)] = memoirtest.Note(fmt.Sprintf("%s%d", slug, i), memories.User, "One of many.")
		}
	}
	s := setup(t, files)
	whole := s.ok(200, "GET", "/api/v1/activity", nil)
	if len(whole.list("activity")) != 15 || whole["next_cursor"] != nil || whole.keys() != "activity next_cursor" {
		t.Fatalf("%d happened, next %v", len(whole.list("activity")), whole["next_cursor"])
	}
	before := time.Now().Add(time.Hour)
	for i, h := range whole.list("activity") {
		at, err := time.Parse(time.RFC3339Nano, h.string("at"))
		if err != nil || at.After(before) {
			t.Errorf("%d is newer than the one before (%v)", i, err)
		}
		before = at
	}
	for _, path := range []string{"/api/v1/activity", "/api/v1/agents/bob/activity"} {
		var pages []string
		cursor := ""
		for {
			page := s.ok(200, "GET", path+"?limit=2&cursor="+cursor, nil)
			pages = append(pages, names(page.list("activity"), "name"))
			if page["next_cursor"] == nil {
				break
			}
			cursor = url.QueryEscape(page.string("next_cursor"))
		}
		if got, want := strings.Join(pages, " "), names(s.ok(200, "GET", path, nil).list("activity"), "name"); got != want || len(pages) < 3 {
			t.Errorf("%s: pages add up to %q, want %q", path, got, want)
		}
	}
	next := s.ok(200, "GET", "/api/v1/activity?limit=2", nil).string("next_cursor")
	for _, other := range []string{"/api/v1/agents/bob/activity?", "/api/v1/activity?kind=learned&", "/api/v1/agents/ada/memories?"} {
		s.problem(s.call("GET", other+"cursor="+next, nil), 422)
	}
	for _, place := range []object{{"At": "yesterday"}, {"At": 1}, {"ID": 1e30}, {"ID": "x"}} {
		s.problem(s.call("GET", "/api/v1/activity?cursor="+forged(t, next, place), nil), 422)
	}
	for _, at := range []string{"0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"} {
		s.ok(200, "GET", "/api/v1/activity?cursor="+forged(t, next, object{"At": at}), nil)
	}
	for query, field := range map[string]string{
		"kind=gone": "kind", "actor=nobody": "actor", "limit=0": "limit", "session=%00": "session", "name=%ff": "name", "cursor=x": "cursor",
	} {
		for _, path := range []string{"/api/v1/activity", "/api/v1/agents/bob/activity"} {
			p := s.problem(s.call("GET", path+"?"+query, nil), 422)
			if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != "query."+field {
				t.Errorf("%s?%s: %v", path, query, p)
			}
		}
	}
}

func TestActivity_ForgottenAgent(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": tabs["ada/memory/tabs.md"], "bob/memory/b.md": memoirtest.Note("B", memories.User, "Bee.")})
	s.Remove("ada")
	s.ok(200, "POST", "/api/v1/scan", nil)
	s.ok(200, "DELETE", "/api/v1/agents/ada", nil)
	if got := strings.Join(s.story("/api/v1/activity"), ", "); got != "learned B disk" {
		t.Errorf("what happened: %s", got)
	}
	if gaps := pgtest.Journal(t, s.URL)(); len(gaps) > 0 {
		t.Errorf("the journal has gaps: %v", gaps)
	}
}

func TestActivity_StablePages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 7 {
		files[fmt.Sprintf("ada/memory/%d.md", i)] = memoirtest.Note(fmt.Sprint("M", i), memories.User, "One of many.")
	}
	s := setup(t, files)
	ids := func(page object) string {
		var found []string
		for _, h := range page.list("activity") {
			found = append(found, fmt.Sprint(h["id"]))
		}
		return strings.Join(found, " ")
	}
	for _, path := range []string{"/api/v1/activity", "/api/v1/agents/ada/activity"} {
		before := ids(s.ok(200, "GET", path, nil))
		var pages []string
		cursor := ""
		for page := 0; ; page++ {
			answer := s.ok(200, "GET", path+"?limit=2&cursor="+cursor, nil)
			pages = append(pages, ids(answer))
			if answer["next_cursor"] == nil {
				break
			}
			cursor = url.QueryEscape(answer.string("next_cursor"))
			s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": fmt.Sprint(path, page), "type": "user", "body": "Meanwhile."})
		}
		if got := strings.Join(pages, " "); got != before || len(pages) < 3 {
			t.Errorf("%s: pages add up to %q, want %q", path, got, before)
		}
	}
}

func TestActivity_DescribesEveryKindAndActor(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	var kinds, actors []string
	for _, kind := range memories.ActivityKinds {
		kinds = append(kinds, string(kind))
		s.ok(200, "GET", "/api/v1/activity?kind="+string(kind), nil)
	}
	for _, actor := range memories.Actors {
		actors = append(actors, string(actor))
		s.ok(200, "GET", "/api/v1/activity?actor="+string(actor), nil)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	if err := json.Unmarshal(s.call("GET", "/api/openapi.json", nil).raw, &document); err != nil {
		t.Fatal(err)
	}
	described := document.Components.Schemas["Activity"].Properties
	if !slices.Equal(described["kind"].Enum, kinds) || !slices.Equal(described["actor"].Enum, actors) {
		t.Errorf("an entry is described with the kinds %v and the actors %v, want %v and %v", described["kind"].Enum, described["actor"].Enum, kinds, actors)
	}
}
