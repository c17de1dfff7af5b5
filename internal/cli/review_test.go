package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

func TestReview_ListAndShow(t *testing.T) {
	t.Parallel()
	term := start(t, "server", memoirtest.Files{
		"ada/memory/login.md":  note("Database login", memories.Reference, "The production database password is Tr0ub4dor-Kestrel-91."),
		"ada/memory/freeze.md": note("Deploy freeze", memories.Project, "No production deploys until 3 March 2025."),
		"bob/memory/todo.md":   note("todo", memories.Project, "Fixed the typo in the header, all tests pass."),
	})
	list := func(args ...string) (found wire.ReviewList) {
		out := term.memoir(append([]string{"review", "list", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out.stdout), &found); err != nil {
			t.Fatalf("%v: %s%s", err, out.stdout, out.stderr)
		}
		return found
	}
	waittest.For(t, "the examination", func() bool { return len(list().Items) == 3 })
	table := term.memoir("review").wants(0, "AGENT", "")
	lines := strings.Split(strings.TrimSpace(table.stdout), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "ada    secret ") || !strings.Contains(lines[2], "Deploy freeze") || !strings.Contains(lines[2], "delete") || !strings.HasPrefix(lines[3], "bob    junk") {
		t.Errorf("the table is\n%s", table.stdout)
	}
	if got := list("--agent", "bob"); len(got.Items) != 1 || got.Total != 1 {
		t.Errorf("bob has %+v", got)
	}
	expired := list("--kind", "expired,secret", "--agent", "ada").Items[1]
	term.memoir("review", "show", expired.ID).wants(0, "No production deploys until 3 March 2025.", "").wants(0, "decisions    delete, still_true, snooze, never", "")
	secret := term.memoir("review", "show", list("--kind", "secret").Items[0].ID).wants(0, "Database login", "")
	if strings.Contains(secret.stdout, "Kestrel") {
		t.Errorf("it prints the password: %s", secret.stdout)
	}
	term.memoir("review", "list", "--kind", "duplicate").wantsAll("nothing to review\n")
	term.memoir("review", "--kind", "nonsense").wants(1, "", "kind")
	term.memoir("review", "show", "expired-0").wants(1, "", "memoir: Agent, memory or item not found")
	term.memoir("review", "list", "--url", "http://"+noServer).wants(1, "", "no server answers at http://"+noServer+"; the review needs a running server")
}

// queueServer answers the calls of the review as the API documents them, and records decisions.
type queueServer struct {
	*terminal
	mu    sync.Mutex
	calls []string
}

func (q *queueServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	switch {
	case r.Method == http.MethodGet && path == "/review":
		item := `{"id":%q,"kind":"expired","group":"wrong","agent":"ada","memories":[{"id":"m","name":%q,"path":"memory/a.md","etag":"\"e\""}],"reason":"Date passed: 3 March 2025","evidence":[],"recommended":"delete","decisions":["delete","still_true","snooze","never"],"subject":null,"created_at":"2026-01-02T03:04:05Z"}`
		fmt.Fprintf(w, `{"items":[`+item+","+item+`],"counts":{"expired":2},"total":2,"next_cursor":null}`, "expired-1", "Freeze", "expired-2", "Thaw")
	case r.Method == http.MethodGet:
		fmt.Fprint(w, `{"id":"m","agent":"ada","name":"Freeze","type":"project","description":"About it","body":"No deploys until 3 March 2025.","age_days":3}`)
	default:
		body, _ := io.ReadAll(r.Body)
		q.calls = append(q.calls, path+" "+string(body))
		if strings.Contains(string(body), `"still_true"`) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"status":409,"detail":"A memory has changed. Nothing was changed."}`)
			return
		}
		decision := "delete"
		if strings.Contains(string(body), "snooze") {
			decision = "snooze"
		}
		fmt.Fprintf(w, `{"id":"expired-1","kind":"expired","agent":"ada","decision":%q,"undoable":true}`, decision)
	}
}

// made returns the calls so far that decide.
func (q *queueServer) made() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]string{}, q.calls...)
}

// lastCall checks the newest call that decides.
func (q *queueServer) lastCall(want string) {
	q.Helper()
	if made := q.made(); len(made) == 0 || made[len(made)-1] != want {
		q.Errorf("the calls are %q, want %q last", made, want)
	}
}

func TestReview_Decide(t *testing.T) {
	t.Parallel()
	term := setup(t)
	q := &queueServer{terminal: term}
	term.serve(q)
	term.memoir("review", "decide", "expired-1", "delete").wantsAll("decided expired: delete; undo: memoir review undo expired-1\n")
	q.lastCall(`/review/expired-1 {"decision":"delete"}`)
	term.memoir("review", "decide", "expired-1", "snooze", "--days", "7", "--json").wants(0, `"undoable":true}`, "")
	q.lastCall(`/review/expired-1 {"days":7,"decision":"snooze"}`)
	term.given("One text.\n", "review", "decide", "duplicate-1", "merge", "--body-file", "-").wants(0, "decided", "")
	q.lastCall(`/review/duplicate-1 {"body":"One text.\n","decision":"merge"}`)
	term.put("merged.md", "From a file.")
	term.memoir("review", "decide", "duplicate-1", "merge", "--body-file", term.at("merged.md")).wants(0, "decided", "")
	q.lastCall(`/review/duplicate-1 {"body":"From a file.","decision":"merge"}`)
	term.memoir("review", "decide", "expired-1", "still_true").wants(1, "", "memoir: A memory has changed. Nothing was changed\n")
	term.memoir("review", "undo", "expired-1").wantsAll("undone expired: delete\n")
	q.lastCall("/review/expired-1/undo ")
	term.memoir("review", "decide", "x", "merge", "--body-file", "nothing.md").wants(1, "", "nothing.md")
	// Without a terminal it lists, also with input.
	term.given("d", "review").wants(0, "expired-2", "")
}
