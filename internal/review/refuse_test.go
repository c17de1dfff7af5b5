package review_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

// refused posts a choice about an item, and expects a status, the same item, and no change.
func (s *server) refused(path string, item wire.ReviewItem, choice body, want int) {
	s.Helper()
	before := s.state(item.Agent)
	if status, answer := s.send("POST", path, choice); status != want {
		s.Errorf("POST %s %v: %d %s, want %d", path, choice, status, answer, want)
	}
	if changed := differences(before, s.state(item.Agent)); len(changed) > 0 {
		s.Errorf("POST %s %v changed: %s", path, choice, strings.Join(changed, "\n"))
	}
	if s.find(item.Kind, item.ID) == nil {
		s.Errorf("POST %s %v took the item away", path, choice)
	}
}

func TestDecide_Refused(t *testing.T) {
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	pair := s.open("contradiction", "Billing")
	path := "/api/v1/review/" + pair.ID
	etags := etagsOf(pair)
	for _, choice := range []body{
		{"decision": "keep_3"}, {"decision": "allow"}, {"decision": ""}, {"decision": "merge"}, {"decision": "snooze", "days": 0}, {"decision": "snooze", "days": 366},
		{"decision": "keep_1", "etags": etags[:1]}, {"decision": "merge", "body": ""}, {"decision": "merge", "body": strings.Repeat("x", 2<<20)},
	} {
		want := 422
		if choice["body"] != nil && choice["body"] != "" {
			want = 413
		}
		s.refused(path, pair, choice, want)
	}
	s.refused(path, pair, body{"decision": "keep_1", "etags": []string{etags[0], `"other"`}}, 409)
	s.refused("/api/v1/agents/bob/review/"+pair.ID, pair, body{"decision": "keep_1"}, 404)
	s.refused("/api/v1/review/contradiction-00", pair, body{"decision": "keep_1"}, 404)
	s.refused(path+"/undo", pair, nil, 404)

	// A file that has changed on disk and was not scanned yet stops the decision as a whole.
	old := s.Memory("ada", "Billing service port")
	if err := os.WriteFile(s.Path("ada/"+old.Path), []byte(memoirtest.Note("Billing service port", memories.Reference, "It listens on port 7070.")), 0o644); err != nil {
		t.Fatal(err)
	}
	keep := "keep_1"
	if pair.Memories[0].ID == old.ID {
		keep = "keep_2"
	}
	if status, answer := s.send("POST", path, body{"decision": keep}); status != 409 && status != 404 {
		t.Errorf("a changed file: %d %s", status, answer)
	}
	if got := s.Memory("ada", "Billing service port"); got.State != memories.Active || !strings.Contains(s.Read("ada/"+got.Path), "7070") {
		t.Errorf("the changed memory is %+v", got)
	}
	waittest.For(t, "the item to go", func() bool { return s.find("contradiction", pair.ID) == nil })
}

func TestDecide_Once(t *testing.T) {
	// Of several clients that decide one item at the same time, one succeeds.
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	for _, c := range []struct{ kind, about, decision string }{{"duplicate", "Tea", "keep_1"}, {"junk", "todo", "keep"}, {"expired", "freeze", "delete"}} {
		item := s.open(c.kind, c.about)
		statuses := make([]int, 6)
		var clients sync.WaitGroup
		for i := range statuses {
			clients.Go(func() {
				statuses[i], _ = s.send("POST", "/api/v1/review/"+item.ID, body{"decision": c.decision})
			})
		}
		clients.Wait()
		slices.Sort(statuses)
		if statuses[0] != 200 || statuses[1] != 404 && statuses[1] != 409 {
			t.Errorf("%s: statuses %v", c.kind, statuses)
		}
	}
}

func TestDecide_UndoPrevented(t *testing.T) {
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	undo := func(item wire.ReviewItem, why string) {
		t.Helper()
		before := s.state("ada")
		if status, answer := s.send("POST", "/api/v1/review/"+item.ID+"/undo", nil); status != 409 {
			t.Errorf("%s: %d %s", why, status, answer)
		}
		if changed := differences(before, s.state("ada")); len(changed) > 0 {
			t.Errorf("%s: changed %v", why, changed)
		}
	}
	pair := s.open("contradiction", "Billing")
	s.decide(pair, body{"decision": "merge", "body": "One text."})
	first := pair.Memories[0]
	if status, answer := s.send("PATCH", "/api/v1/agents/ada/memories/"+first.ID, body{"body": "Another text."}); status != 200 {
		t.Fatal(status, answer)
	}
	undo(pair, "the merged text was edited")
	if got := s.Memory("ada", pair.Memories[1].Name); got.State != memories.Deleted {
		t.Errorf("the other memory is %s", got.State)
	}
	tea := s.open("duplicate", "Tea")
	s.decide(tea, body{"decision": "keep_1"})
	if _, err := s.Engine.Restore(t.Context(), "ada", tea.Memories[1].ID, ""); err != nil {
		t.Fatal(err)
	}
	undo(tea, "the memory was restored")
	junk := s.open("junk", "todo")
	s.decide(junk, body{"decision": "delete"})
	if _, err := s.Engine.Purge(t.Context(), "ada", junk.Memories[0].ID, ""); err != nil {
		t.Fatal(err)
	}
	undo(junk, "the memory was purged")
}

func TestDecide_Batch(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i, month := range strings.Fields("January February March April May June July") {
		files[fmt.Sprintf("ada/memory/m%d.md", i)] = memoirtest.Note("Freeze of "+month, memories.Project, "No deploys of the "+strings.Repeat(month[:2]+"x", i+1)+" system until 3 "+month+" 2025.")
	}
	s := serve(t, files, modeltest.SaysJSON(map[string]any{}))
	waittest.For(t, "the items", func() bool { return s.list("?kind=expired").Total == 7 })
	items := s.list("?kind=expired").Items
	batch := []body{{"id": "expired-00"}}
	for i, item := range items {
		etags := etagsOf(item)
		if i == 3 {
			etags = []string{`"stale"`}
		}
		batch = append(batch, body{"id": item.ID, "etags": etags})
	}
	status, answer := s.send("POST", "/api/v1/review/batch", body{"decision": "delete", "items": batch})
	var got struct {
		Results []struct {
			ID    string
			Error *struct {
				Status int
				Detail string
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &got); status != 200 || err != nil || len(got.Results) != len(batch) {
		t.Fatalf("%d %s", status, answer)
	}
	for i, result := range got.Results {
		want := map[int]int{0: 404, 4: 409}[i]
		if status := 0; result.ID != batch[i]["id"] || want != 0 && result.Error == nil || result.Error != nil && (result.Error.Status != want || result.Error.Detail == "") {
			t.Errorf("result %d is %+v (%d)", i, result, status)
		}
	}
	if left := s.list("?kind=expired").Items; len(left) != 1 || left[0].ID != items[3].ID {
		t.Errorf("left are %+v", left)
	}
	s.examine("ada")
	if n := s.list("").Total; n != 1 {
		t.Errorf("%d items after a scan", n)
	}
	for i, item := range items {
		if i != 3 {
			s.undo(item)
		}
	}
	s.examine("ada")
	if n := s.list("?kind=expired").Total; n != 7 {
		t.Errorf("%d items after all undos", n)
	}
	if status, answer := s.send("POST", "/api/v1/review/batch", body{"decision": "delete", "items": []body{}}); status != 422 {
		t.Errorf("an empty batch: %d %s", status, answer)
	}
}

func TestDecide_Groups(t *testing.T) {
	// Of three alike, a decision holds for each pair, also when one of them is gone.
	t.Parallel()
	note := memoirtest.Note
	s := serve(t, memoirtest.Files{
		"ada/memory/a.md": note("Tea", memories.User, "Mira drinks green tea in the morning and black tea after lunch."),
		"ada/memory/b.md": note("Tea preferences", memories.User, "Mira drinks green tea in the morning and black tea after lunch."),
		"ada/memory/c.md": note("Tea of Mira", memories.User, "Mira drinks green tea in the morning and black tea after lunch."),
	}, modeltest.SaysJSON(map[string]any{}))
	item := s.open("duplicate", "Tea")
	if len(item.Memories) != 3 {
		t.Fatalf("item %+v", item)
	}
	s.decide(item, body{"decision": "keep_both"})
	if _, err := s.Engine.Delete(t.Context(), "ada", s.Memory("ada", "Tea of Mira").ID, ""); err != nil {
		t.Fatal(err)
	}
	s.examine("ada")
	if left := s.list("").Items; len(left) != 0 {
		t.Errorf("asked again: %+v", left)
	}
	s.undo(item)
	s.examine("ada")
	if left := s.list("").Items; len(left) != 1 || len(left[0].Memories) != 2 {
		t.Errorf("after the undo: %+v", left)
	}
}

func TestDecide_Snooze(t *testing.T) {
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	item := s.open("junk", "todo")
	s.decide(item, body{"decision": "snooze", "days": 1})
	conn, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var until time.Time
	var by string
	if err := conn.QueryRow(t.Context(), `SELECT until, decided_by FROM review_decisions WHERE item_id = $1`, item.ID).Scan(&until, &by); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(until); left < 23*time.Hour || left > 24*time.Hour || by != "script" {
		t.Errorf("until %v by %s", until, by)
	}
	if _, err := conn.Exec(t.Context(), `UPDATE review_decisions SET until = now() WHERE item_id = $1`, item.ID); err != nil {
		t.Fatal(err)
	}
	s.examine("ada")
	if s.find("junk", item.ID) == nil {
		t.Error("the item is not back after its time")
	}
}

// TestDecide_Hide changes a memory after each decision. The review lists the memory again after
// never, and does not after hide.
func TestDecide_Hide(t *testing.T) {
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	for _, decision := range []string{"never", "hide"} {
		expired := s.open("expired", "Deploy freeze")
		s.decide(expired, body{"decision": decision})
		s.Write("ada/memory/freeze.md", memoirtest.Note("Deploy freeze", memories.Project, "No deploys until 4 March 2025, after "+decision+"."))
		s.Scan("ada")
		s.examine("ada")
		if found := len(s.list("?kind=expired").Items); (found == 0) != (decision == "hide") {
			t.Errorf("after %s and a change, %d items are listed", decision, found)
		}
		if decision == "hide" {
			s.undo(expired)
			s.examine("ada")
			s.open("expired", "Deploy freeze")
		}
	}
	ofIndex := func(item wire.ReviewItem) bool { return len(item.Memories) == 0 }
	links := s.list("?kind=link").Items
	s.decide(links[slices.IndexFunc(links, ofIndex)], body{"decision": "hide"})
	s.Write("ada/memory/MEMORY.md", "- [Gone](gone_long_ago.md) — no file\n- [Gone too](gone_too.md) — no file\n")
	s.Scan("ada")
	s.examine("ada")
	if found := s.list("?kind=link").Items; len(found) == 0 || slices.ContainsFunc(found, ofIndex) {
		t.Errorf("dead links of MEMORY.md are listed: %+v", found)
	}
	for _, kind := range []string{"secret", "plan"} {
		if items := s.list("?kind=" + kind).Items; len(items) > 0 && slices.Contains(items[0].Decisions, "hide") {
			t.Errorf("a %s can be hidden for all contents", kind)
		}
	}
}

// TestDecide_DuringExamination saves the result of an examination that began before a decision.
func TestDecide_DuringExamination(t *testing.T) {
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	junk, expired := s.open("junk", "todo"), s.open("expired", "")
	s.examine("ada")
	s.reviewer.Close()
	agent, err := s.Store.AgentUncounted(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	began := records.Now()
	var found []records.ReviewItem
	for _, open := range []wire.ReviewItem{junk, expired} {
		item, err := s.Store.ReviewItem(t.Context(), open.ID)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, item)
	}
	s.decide(junk, body{"decision": "snooze"})
	if saved, err := s.Store.SaveReview(t.Context(), agent.ID, agent.ClaudeMD.Version, began, found); !saved || err != nil {
		t.Fatalf("saved %v: %v", saved, err)
	}
	if s.find("junk", junk.ID) != nil {
		t.Error("the decided item is back")
	}
	if s.find("expired", expired.ID) == nil {
		t.Error("the other item is gone")
	}
}

// TestUndo_ByAnotherServer undoes decisions on a server that examines nothing. Another server must
// notice that, also if it starts later, or examines the agent at that moment.
func TestUndo_ByAnotherServer(t *testing.T) {
	t.Parallel()
	s := serve(t, oneOfEach(), modeltest.SaysJSON(map[string]any{}))
	junk, expired := s.open("junk", "todo"), s.open("expired", "")
	s.examine("ada")
	s.decide(junk, body{"decision": "never"})
	s.decide(expired, body{"decision": "never"})
	s.examine("ada")
	s.reviewer.Close()
	agent, err := s.Store.AgentUncounted(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	began := records.Now()
	s.undo(junk)
	if saved, err := s.Store.SaveReview(t.Context(), agent.ID, agent.ClaudeMD.Version, began, nil); saved || err != nil {
		t.Errorf("an examination that began before the undo is saved: %v %v", saved, err)
	}
	other := review.Start(s.Engine, s.Store, review.Options{Settle: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(other.Close)
	s.open("junk", junk.ID)
	s.undo(expired)
	s.open("expired", expired.ID)
}

func TestDecide_MissingAndBlocked(t *testing.T) {
	t.Parallel()
	s := serve(t, everyKind(), modeltest.SaysJSON(map[string]any{}))
	s.makeAccidents()
	missing := s.open("missing", "About the")
	if len(missing.Memories) != 11 {
		t.Errorf("%d are missing", len(missing.Memories))
	}
	s.decide(missing, body{"decision": "write_back"})
	if got := s.Read("cleo/memory/m03.md"); !strings.Contains(got, "glacier") {
		t.Errorf("written back: %q", got)
	}
	blocked := s.open("blocked", "blocked-")
	s.decide(blocked, body{"decision": "delete"})
	if _, err := os.Stat(s.Path("ada/memory/staging.md")); !os.IsNotExist(err) {
		t.Errorf("the blocked file is there: %v", err)
	}
	// A suggestion that changes a memory.
	item := s.open("suggestion", s.proposal("Deploy freeze"))
	before := s.Memory("ada", "Deploy freeze")
	s.decide(item, body{"decision": "accept"})
	if got := s.Memory("ada", "Deploy freeze"); got.ID != before.ID || !strings.Contains(got.Body, "Proposed text") {
		t.Errorf("accepted: %+v", got)
	}
	s.undo(item)
	if got := s.Memory("ada", "Deploy freeze"); got.Body != before.Body {
		t.Errorf("after the undo: %+v", got)
	}
	for _, slug := range []string{"ada", "cleo"} {
		s.examine(slug)
	}
	for _, done := range []wire.ReviewItem{missing, blocked} {
		if s.find(done.Kind, done.ID) != nil {
			t.Errorf("%s is back", done.Kind)
		}
	}
	s.open("suggestion", item.ID)
}
