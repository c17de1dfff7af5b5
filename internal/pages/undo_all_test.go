package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// action is an action of a page, with the route that it posts to.
type action struct {
	name, route string
	act         func(t *testing.T, s *site) *answer
}

// undoableActions are all actions that can be undone. Those after the first ones need their results.
func undoableActions() []action {
	const memory = "/agents/{slug}/memory/{id}"
	of := func(s *site, name string) string { return pageOf(s.Memory("ada", name)) }
	edit := func(name string, over url.Values) func(t *testing.T, s *site) *answer {
		return func(t *testing.T, s *site) *answer { return s.write(t, s.get(t, of(s, name)+"/edit"), over) }
	}
	press := func(name, button string) func(t *testing.T, s *site) *answer {
		return func(t *testing.T, s *site) *answer { return s.submit(t, s.get(t, of(s, name)), button+" "+name) }
	}
	batch := func(button string, names ...string) func(t *testing.T, s *site) *answer {
		return func(t *testing.T, s *site) *answer { return s.selecting(t, s.get(t, adaList), button, names...) }
	}
	post := func(path string, fields url.Values) func(t *testing.T, s *site) *answer {
		return func(t *testing.T, s *site) *answer { return s.post(t, path, fields) }
	}
	const ofMany = "/agents/{slug}/memory/batch/{operation}"
	return []action{
		{"new", "/agents/{slug}/memory/new", func(t *testing.T, s *site) *answer { return s.write(t, s.get(t, adaList+"/new"), kettle()) }},
		{"edit", memory + "/edit", edit("Fact 01", url.Values{"body": {"Other."}, "description": {"Other"}})},
		{"rename", memory + "/edit", edit("Fact 01", url.Values{"name": {"Fact 1"}})},
		{"type", memory + "/type", func(t *testing.T, s *site) *answer {
			return s.post(t, of(s, "Fact 1")+"/type", url.Values{"type": {"user"}})
		}},
		{"still true", memory + "/verify", func(t *testing.T, s *site) *answer { return s.post(t, of(s, "Fact 02")+"/verify", nil) }},
		{"earlier text", memory + "/history/{revision}/restore", func(t *testing.T, s *site) *answer {
			history := s.get(t, of(s, "Fact 1")+"?tab=history")
			forms := history.Find(`#pane form[action*="/history/"]`)
			return s.post(t, forms.Last().AttrOr("action", ""), url.Values{"etag": {forms.Last().Find("[name=etag]").AttrOr("value", "")}})
		}},
		{"to team", memory + "/move", press("Fact 02", "Move to team")},
		{"copy to team", memory + "/copy", press("Fact 03", "Copy to team")},
		{"delete", memory + "/delete", press("Fact 04", "Delete")},
		{"restore", memory + "/restore", func(t *testing.T, s *site) *answer { return s.post(t, of(s, "Fact 04")+"/restore", nil) }},
		{"delete again", memory + "/delete", press("Fact 04", "Delete")},
		{"questions", memory + "/asked-as", func(t *testing.T, s *site) *answer {
			return s.post(t, of(s, "Fact 05")+"/asked-as", url.Values{"asked_as": {"What is five?\nWhich is the fifth?"}})
		}},
		{"make it find this", "/agents/{slug}/context/find/{id}", func(t *testing.T, s *site) *answer {
			m := s.Memory("ada", "Fact 05")
			return s.post(t, adaContext+"/find/"+m.ID, url.Values{"phrase": {"the number five"}, "etag": {"*"}})
		}},
		{"fix", memory + "/fix", func(t *testing.T, s *site) *answer {
			return s.submit(t, s.get(t, of(s, "Printer")+"?tab=file"), "User Printer")
		}},
		{"many to a type", ofMany, batch("Set to Feedback", "Fact 06", "Fact 07")},
		{"many still true", ofMany, batch("Still true", "Fact 06", "Fact 07")},
		{"many to team", ofMany, batch("Move to team", "Fact 06", "Fact 07")},
		{"many to the trash", ofMany, batch("Delete", "Fact 06", "Fact 07")},
		{"suggestion", "/agents/{slug}/proposals/{id}/edit", func(t *testing.T, s *site) *answer {
			waiting, err := s.Store.Proposals(t.Context(), s.agentID("ada"), records.ProposalWaiting, 1, "")
			if err != nil || len(waiting.Proposals) == 0 {
				t.Fatalf("no suggestion: %v", err)
			}
			return s.write(t, s.get(t, ada+"/proposals/"+waiting.Proposals[0].ID.String()+"/edit"), url.Values{"body": {"Reviews are asked for on Mondays, at noon."}})
		}},
		{"memory off", "/agents/{slug}/settings/memory/off", post(adaSettings+"/memory/off", nil)},
		{"memory on", "/agents/{slug}/settings/memory/on", post(adaSettings+"/memory/on", nil)},
		{"publish", "/agents/{slug}/settings/targets/{target}/on", post(adaSettings+"/targets/gemini/on", nil)},
		{"publish more", "/agents/{slug}/settings/targets/{target}/on", post(adaSettings+"/targets/agents/on", nil)},
		{"stop", "/agents/{slug}/settings/targets/{target}/off", post(adaSettings+"/targets/gemini/off", nil)},
		{"name a person", "/agents/{slug}/timeline/names", post(ada+"/timeline/names", url.Values{"id": {"U1MIRA"}, "name": {"Mira"}})},
		{"name her again", "/agents/{slug}/timeline/names", post(ada+"/timeline/names", url.Values{"id": {"U1MIRA"}, "name": {"Mira Berg"}})},
		{"delete the missing", "/agents/{slug}/missing/{decision}", func(t *testing.T, s *site) *answer {
			for _, name := range strings.Fields("a b c d e f g h i j k l m") {
				s.Remove("bob/memory/" + name + ".md")
			}
			s.Scan("bob")
			form := s.get(t, "/agents/bob/memory").Find(`form[action$="/missing/delete"]`)
			return s.post(t, form.AttrOr("action", ""), url.Values{"etag": {form.Find("[name=etag]").AttrOr("value", "")}})
		}},
	}
}

// finalActions are the other routes with a POST, and why they have no undo.
var finalActions = map[string]string{
	"/static/*": "assets", "/theme": "no change of what is stored", "/scan": "reads only", "/undo/{event}": "an undo", "/agents/{slug}/memory/{id}/fix/undo": "an undo",
	"/agents/{slug}/consolidation/steps/{id}/undo": "an undo", "/agents/{slug}/memory/{id}/reveal": "reads only", "/agents/{slug}/memory/{id}/citations": "reads only",
	"/exchange": "a preview", "/agents/{slug}/memory/new/preview": "a preview", "/agents/{slug}/memory/{id}/edit/preview": "a preview",
	"/agents/{slug}/proposals/{id}/edit/preview": "a preview", "/agents/{slug}/context/facts/{id}/preview": "a preview",
	"/review/{id}": "TestReview_UndoInBrowser and package review", "/review/batch": "as /review/{id}",
	"/agents/{slug}/memory/{id}/purge": "asks first", "/agents/{slug}/forget": "asks first", "/exchange/apply": "shows the changes first",
	"/agents/{slug}/context/index": "shows the changes first", "/agents/{slug}/context/facts/{id}": "the memory can be deleted",
	"/agents/{slug}/review/plan/make": "the plan can be discarded", "/agents/{slug}/review/plan/discard": "a plan can be made again",
	"/samples": "the agents can be forgotten", "/access": "the token can be revoked", "/access/{id}/revoke": "a token can be made again",
	"/agents/{slug}/logs": "a log only grows",
}

func (s *site) agentID(slug string) int64 {
	s.Helper()
	agent, err := s.Store.AgentUncounted(s.Context(), slug)
	if err != nil {
		s.Fatal(err)
	}
	return agent.ID
}

// TestUndo_EveryAction does every action of the pages, and then undoes all of them, the last first.
func TestUndo_EveryAction(t *testing.T) {
	t.Parallel()
	files := facts(7)
	files["ada/memory/printer.md"] = "---\nname: Printer\n---\n\nIt jams.\n"
	files["ada/CLAUDE.md"] = "# Mine\n"
	for _, name := range strings.Fields("a b c d e f g h i j k l m") {
		files["bob/memory/"+name+".md"] = memoirtest.Note("Note "+name, memories.Project, "Remember "+name+".")
	}
	s := serve(t, files)
	s.propose(t, "ada", "Reviews", memories.Project, "Reviews are asked for on Mondays.")
	before := s.remembered(t)
	type undo struct {
		name, path, etag string
	}
	var undos []undo
	tested := map[string]bool{}
	for _, a := range undoableActions() {
		page := a.act(t, s)
		page.expect(http.StatusOK)
		form := page.Find("#notices form:has([data-action=undo])")
		if form.Length() != 1 {
			t.Fatalf("%s has %d undos: %s", a.name, form.Length(), words(page.Find("main, #notices")))
		}
		undos = append(undos, undo{a.name, form.AttrOr("action", ""), form.Find("[name=etag]").AttrOr("value", "")})
		tested["POST "+a.route] = true
	}
	for _, u := range slices.Backward(undos) {
		page := s.post(t, u.path, url.Values{"etag": {u.etag}, "back": {adaTimeline}})
		page.expect(http.StatusOK)
		if page.Find("#notices form").Length() > 0 {
			t.Errorf("the undo of %s has an undo", u.name)
		}
	}
	after := s.remembered(t)
	if len(after) != len(before) {
		t.Fatalf("after all undos: %q\nwant: %q", after, before)
	}
	for i, line := range before {
		if after[i] != line {
			t.Errorf("after all undos: %s\nwant: %s", after[i], line)
		}
	}
	err := chi.Walk(s.routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method == http.MethodPost && !tested[method+" "+route] && finalActions[route] == "" {
			t.Errorf("%s has no undo: add it to undoableActions, or say among finalActions why", route)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// remembered returns lines with everything that actions can change: memories, their questions, the files
// for agents, and settings. It leaves out the paths of memory files, which a move changes.
func (s *site) remembered(t *testing.T) (lines []string) {
	t.Helper()
	s.scanAll()
	for _, slug := range []string{"ada", "bob"} {
		agent, err := s.Store.Agent(t.Context(), slug)
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Store.Memories(t.Context(), agent, memories.Filter{Sort: memories.ByName}, memories.PageRequest{Limit: records.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Memories {
			asked, err := s.Store.AskedAs(t.Context(), m.ID)
			if err != nil {
				t.Fatal(err)
			}
			if m.Name == "Fact 01" {
				m.ModifiedAt = time.Time{} // a rename writes a new file
			}
			lines = append(lines, fmt.Sprintf("%s %q %s %q %q %v %s %v %v", slug, m.Name, m.Type, m.Description, m.Body, m.Team, m.State, asked.Phrases, m.ModifiedAt))
		}
		names, err := s.Store.SessionNames(t.Context(), []int64{agent.ID})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%v %v", agent.MemoryOff, names))
		for _, file := range []string{"CLAUDE.md", "GEMINI.md", "AGENTS.md", "memory/printer.md"} {
			lines = append(lines, fmt.Sprintf("%s: %q", file, s.Read(slug+"/"+file)))
		}
	}
	return lines
}
