package recall_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/waittest"
)

// notes is an agent with memories about ways to work.
func notes() memoirtest.Files {
	return memoirtest.Files{
		"ada/memory/feedback_deploy.md":     memoirtest.Note("deploy on tuesdays", memories.Feedback, "Deployments go out on Tuesdays only."),
		"ada/memory/project_database.md":    memoirtest.Note("postgres is the database", memories.Project, "All services share one PostgreSQL cluster."),
		"ada/memory/user_language.md":       memoirtest.Note("prefers short answers", memories.User, "Wants answers of one paragraph."),
		"ada/memory/reference_wiki.md":      memoirtest.Note("the wiki", memories.Reference, "Runbooks are at https://wiki.example/runbooks"),
		"ada/memory/project_zh.md":          memoirtest.Note("数据库备份", memories.Project, "清理表之前先备份数据库。"),
		"ada/memory/untyped.md":             "The coffee machine is on the third floor.\n",
		"bob/memory/feedback_other.md":      memoirtest.Note("bob deploys on fridays", memories.Feedback, "Bob deploys on Fridays."),
		"empty/memory/MEMORY.md":            "# Index\n",
		"ada/sessions/u-c-1/memory/seen.md": memoirtest.Note("the staging server", memories.Reference, "Staging is at staging.example."),
	}
}

func ask(t testing.TB, r *recall.Recaller, request recall.Request) recall.Result {
	t.Helper()
	if request.Agent == "" {
		request.Agent = "ada"
	}
	request.From = recall.FromScript
	result, err := r.Recall(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func names(result recall.Result) []string {
	var all []string
	for _, m := range result.Memories {
		all = append(all, m.Name)
	}
	return all
}

func TestRecall_RelevantMemories(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	for query, want := range map[string]string{
		"when do we deploy":                 "deploy on tuesdays",
		"is there a deployment day?":        "deploy on tuesdays",
		"which databse do the services use": "postgres is the database",
		"备份数据库":                             "数据库备份",
		"where is the coffee machine":       "untyped",
		"is there a staging server":         "the staging server",
	} {
		result := ask(t, m.Recaller, recall.Request{Query: query})
		if got := names(result); len(got) == 0 || got[0] != want {
			t.Errorf("%q is answered with %q", query, got)
			continue
		}
		first := result.Memories[0]
		if result.SelectedBy != recall.ByKeyword || len(first.Why) == 0 || first.File != m.Path("ada/"+first.Path) {
			t.Errorf("%q: %+v", query, result)
		}
		if want := m.Read("ada/" + first.Path); first.Text != strings.TrimRight(want, "\n") || first.Bytes != len(first.Text) {
			t.Errorf("%q gives %q", query, first.Text)
		}
	}
	for _, query := range []string{"what is the capital of mongolia", "the and of", "??? !!!"} {
		if result := ask(t, m.Recaller, recall.Request{Query: query}); len(result.Memories) > 0 || result.SelectedBy != recall.ByKeyword {
			t.Errorf("%q is answered with %q", query, names(result))
		}
	}
}

func TestRecall_Slips(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	slips := map[string]string{ // the word that a memory has, by a typed one
		"tsets": "tests", "friady": "friday", "delpoy": "deploy", "wekend": "weekend", "postgers": "postgres", "brnach": "branch", "relaese": "release",
		"shcema": "schema", "mirgate": "migrate", "cahce": "cache", "lgoging": "logging", "quuee": "queue", "webhokos": "webhooks", "invocie": "invoice",
		"sceret": "secret", "doman": "domain", "firewal": "firewall", "certifcate": "certificate", "dashbaord": "dashboard", "terrafrom": "terraform",
		"kuberentes": "kubernetes", "monnitor": "monitor", "bakcup": "backup", "payemnt": "payment", "linetr": "linter",
	}
	for _, word := range slips {
		files["ada/memory/"+word+".md"] = memoirtest.Note("about "+word, memories.Project, "What the team agreed on for this.")
	}
	m := memoirtest.Start(t, files)
	for typed, word := range slips {
		if got := names(ask(t, m.Recaller, recall.Request{Query: "what about " + typed})); !slices.Equal(got, []string{"about " + word}) {
			t.Errorf("%q gives %q", typed, got)
		}
	}
}

func TestRecall_Deliberate(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	const query = "which wiki page of the capital of mongolia has a photo"
	if got := names(ask(t, m.Recaller, recall.Request{Query: query})); len(got) > 0 {
		t.Errorf("a prompt is given %q", got)
	}
	result := ask(t, m.Recaller, recall.Request{Query: query, Deliberate: true})
	if len(result.Memories) != 1 || !result.Memories[0].Weak || !strings.HasPrefix(result.Memories[0].Head, "This memory hardly fits the question.") {
		t.Errorf("a person is given %+v", result.Memories)
	}
	if result := ask(t, m.Recaller, recall.Request{Query: "when do we deploy", Deliberate: true}); len(result.Memories) == 0 || result.Memories[0].Weak {
		t.Errorf("the best one is weak: %+v", result.Memories)
	}
}

func TestRecall_Superseded(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/old.md":   memoirtest.Note("labels in EPL2", memories.Project, "The LP 2844 printers get EPL2 commands."),
		"ada/memory/new.md":   memoirtest.Note("stickers in ZPL", memories.Project, "All printers get ZPL. Replaces labels in EPL2."),
		"ada/memory/other.md": memoirtest.Note("tea", memories.User, "Mira drinks tea instead of coffee."),
	})
	result := ask(t, m.Recaller, recall.Request{Query: "which EPL2 commands do the LP 2844 printers get"})
	if got := names(result); !slices.Equal(got, []string{"stickers in ZPL"}) || !slices.Contains(result.Memories[0].Why, "it replaces “labels in EPL2”") {
		t.Errorf("given are %q", got)
	}
	e := explain(t, m, "which EPL2 commands do the LP 2844 printers get")
	if len(e.Close) != 1 || e.Close[0].Shortfall != "superseded" || e.Given[0].Replaces != "labels in EPL2" {
		t.Errorf("explained as %+v", e)
	}
}

func TestRecall_Skipped(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	for _, c := range []struct {
		agent, query string
		want         recall.Skip
	}{
		{"ada", "deploy", recall.SkipShortQuery}, {"empty", "when do we deploy", recall.SkipNoMemories}, {"bob", "when does bob deploy", ""},
		{"bob", "when does bob deploy", recall.SkipAllSeen}, {"ada", "when do we deploy", ""},
	} {
		if result := ask(t, m.Recaller, recall.Request{Agent: c.agent, Query: c.query, Session: "one"}); result.Skipped != c.want {
			t.Errorf("%s is asked %q: %q, and given %q", c.agent, c.query, result.Skipped, names(result))
		}
	}
	if _, err := m.Recaller.Recall(t.Context(), recall.Request{Agent: "nobody", Query: "when do we deploy", From: recall.FromScript}); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("an unknown agent: %v", err)
	}
}

func TestRecall_OncePerSession(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	const query = "when do we deploy"
	for session, want := range map[string]int{"one": 1, "two": 1} {
		if got := ask(t, m.Recaller, recall.Request{Query: query, Session: session}); len(got.Memories) != want {
			t.Errorf("session %s is given %q", session, names(got))
		}
		if got := ask(t, m.Recaller, recall.Request{Query: query, Session: session}); slices.Contains(names(got), "deploy on tuesdays") {
			t.Errorf("session %s is given it again", session)
		}
	}
	agent, err := m.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Recaller.Refresh(t.Context(), agent.ID, "one"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, m.Recaller, recall.Request{Query: query, Session: "one"}); !slices.Contains(names(got), "deploy on tuesdays") || got.BudgetLeft != recall.SessionBudget-got.Memories[0].Bytes {
		t.Errorf("after it was compacted the session is given %q, with %d bytes left", names(got), got.BudgetLeft)
	}
	if got := ask(t, m.Recaller, recall.Request{Query: query, Session: "two"}); slices.Contains(names(got), "deploy on tuesdays") {
		t.Error("another session has been refreshed with it")
	}
}

func TestRecall_Concurrent(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 12 {
		name := fmt.Sprintf("deploy rule %c", 'a'+i)
		files[fmt.Sprintf("ada/memory/feedback_%c.md", 'a'+i)] = memoirtest.Note(name, memories.Feedback, "About deploying.")
	}
	m := memoirtest.Start(t, files)
	var all []string
	var mu sync.Mutex
	var asking sync.WaitGroup
	for range 16 {
		asking.Go(func() {
			result := ask(t, m.Recaller, recall.Request{Query: "what are the deploy rules", Session: "one"})
			mu.Lock()
			defer mu.Unlock()
			all = append(all, names(result)...)
		})
	}
	asking.Wait()
	for range 3 { // concurrent recalls may have chosen the same memories and got fewer
		all = append(all, names(ask(t, m.Recaller, recall.Request{Query: "what are the deploy rules", Session: "one"}))...)
	}
	slices.Sort(all)
	if got := len(slices.Compact(slices.Clone(all))); got != 12 || len(all) != 12 {
		t.Errorf("%d memories were given, %d of them different: %q", len(all), got, all)
	}
}

func TestRecall_SessionBudget(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 20 {
		body := strings.Repeat(strings.Repeat("deploying rules ", 8)+"\n", 60)
		files[fmt.Sprintf("ada/memory/feedback_%c.md", 'a'+i)] = memoirtest.Note(fmt.Sprintf("deploy rule %c", 'a'+i), memories.Feedback, body)
	}
	m := memoirtest.Start(t, files)
	given, left := 0, recall.SessionBudget
	for range 6 {
		result := ask(t, m.Recaller, recall.Request{Query: "what are the deploy rules", Session: "one"})
		for _, memory := range result.Memories {
			given += memory.Bytes
			if memory.Bytes > recall.MaxBytes || !strings.HasSuffix(memory.Text, "[... truncated, memory file too large ...]") {
				t.Errorf("%d bytes of %s are given: …%q", memory.Bytes, memory.Name, memory.Text[len(memory.Text)-60:])
			}
		}
		if result.BudgetLeft != recall.SessionBudget-given {
			t.Errorf("%d bytes are left after %d", result.BudgetLeft, given)
		}
		left = result.BudgetLeft
	}
	if given > recall.SessionBudget || given < recall.SessionBudget-recall.MaxBytes || left < 0 {
		t.Errorf("%d bytes were given, %d are left", given, left)
	}
}

func TestFetch_Once(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	id, err := m.Recaller.Begin(t.Context(), recall.Request{Agent: "ada", Query: "when do we deploy", Session: "one", From: recall.FromScript})
	if err != nil {
		t.Fatal(err)
	}
	var result recall.Result
	waittest.For(m, "the recall to settle", func() bool {
		if result, err = m.Recaller.Fetch(t.Context(), "ada", id, false); err != nil {
			t.Fatal(err)
		}
		return !result.Pending
	})
	if got := names(result); !slices.Equal(got, []string{"deploy on tuesdays"}) {
		t.Errorf("it gave %q", got)
	}
	if again, err := m.Recaller.Fetch(t.Context(), "ada", id, false); err != nil || len(again.Memories) > 0 || again.Pending || again.BudgetLeft != result.BudgetLeft {
		t.Errorf("asked again: %+v (%v)", again, err)
	}
	for _, of := range []struct{ agent, id string }{{"bob", id}, {"ada", "nothing"}, {"ada", "00000000-0000-0000-0000-000000000000"}, {"nobody", id}} {
		if _, err := m.Recaller.Fetch(t.Context(), of.agent, of.id, false); !errors.Is(err, memories.ErrNotFound) {
			t.Errorf("%v: %v", of, err)
		}
	}
}

// held is a selector that chooses only when it is released.
type held struct {
	asked chan struct{}
	let   chan []string
}

func (h held) Select(ctx context.Context, _ string, _ []memories.Memory) ([]string, error) {
	h.asked <- struct{}{}
	select {
	case paths := <-h.let:
		return paths, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestRecall_SlowModel(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	r := recall.New(m.Store, recall.Options{Selector: held{make(chan struct{}, 9), nil}, Patience: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	result := ask(t, r, recall.Request{Query: "when do we deploy"})
	if got := names(result); !slices.Equal(got, []string{"deploy on tuesdays"}) || result.SelectedBy != recall.ByKeyword || !strings.Contains(result.Note, "too long") {
		t.Errorf("it gives %q by %s: %s", got, result.SelectedBy, result.Note)
	}
}
