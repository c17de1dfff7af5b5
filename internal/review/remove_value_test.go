package review_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
)

// columnsWith returns the columns of the database that contain a text, in text or bytes.
func (s *server) columnsWith(text string) (found []string) {
	s.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
		JOIN information_schema.tables USING (table_schema, table_name) WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	if err != nil {
		s.Fatal(err)
	}
	type column struct{ table, name, kind string }
	columns, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c column, err error) {
		err = row.Scan(&c.table, &c.name, &c.kind)
		return c, err
	})
	if err != nil || len(columns) < 100 {
		s.Fatalf("%d columns, %v", len(columns), err)
	}
	for _, c := range columns {
		as := fmt.Sprintf("strpos(lower(%q::text), lower($1)) > 0", c.name)
		if c.kind == "bytea" {
			as = fmt.Sprintf("position($1::text::bytea in %q) > 0", c.name)
		}
		var n int
		if err := conn.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM %q WHERE %s`, c.table, as), text).Scan(&n); err != nil {
			s.Fatalf("%+v: %v", c, err)
		}
		if n > 0 {
			found = append(found, c.table+"."+c.name)
		}
	}
	return found
}

func TestRemoveValue_Everywhere(t *testing.T) {
	t.Parallel()
	const value = "Zephyr7Quillon42Bracken"
	files := memoirtest.Files{
		"ada/memory/login.md": "---\nname: Database login\ndescription: The warehouse, password is " + value + "\ntype: reference\nmetadata:\n  note: ask Priya\n---\n\nThe password is " + value + ".\nWe rotate it in March.\n",
		// Not found by itself.
		"ada/memory/MEMORY.md": "- [Database login](login.md) — log in with " + value + " as ada\n- [Tabs](tabs.md) — tabs\n",
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Indent with tabs."),
	}
	s := serve(t, files, modeltest.SaysJSON(map[string]any{}))
	item := s.open("secret", "Database login")
	m := s.Memory("ada", "Database login")
	// It was let in, edited and recalled, so that it is in the history and in the search index.
	s.decide(item, body{"decision": "allow"})
	for _, text := range []string{"The password of the warehouse is " + value + ". We rotate it in May.", "Say " + value + " to the guard. The password is " + value + " there."} {
		if status, answer := s.send("PATCH", "/api/v1/agents/ada/memories/"+m.ID, body{"body": text}); status != 200 {
			t.Fatal(status, answer)
		}
	}
	if _, err := s.consolidator.MakePlan(t.Context(), "ada", memories.ByScript); err != nil {
		t.Fatal(err)
	}
	if found := s.columnsWith(value); len(found) < 5 {
		t.Fatalf("only %v have the value", found)
	}
	item = s.open("secret", "Database login")
	if item.Recommended != nil || item.Decisions[0] != "remove_value" {
		t.Errorf("item %+v", item)
	}
	if done := s.decide(item, body{"decision": "remove_value"}); done.Undoable {
		t.Error("it can be undone")
	}
	s.examine("ada")
	if found := s.columnsWith(value); len(found) > 0 {
		t.Errorf("the value is in %v", found)
	}
	for _, file := range []string{"ada/memory/login.md", "ada/memory/MEMORY.md", "ada/CLAUDE.md"} {
		if text := s.Read(file); strings.Contains(text, value) || text == "" {
			t.Errorf("%s has the value: %s", file, text)
		}
	}
	got := s.Memory("ada", "Database login")
	if got.ID != m.ID || got.IsQuarantined() || got.Body != "Say [removed] to the guard. The password is [removed] there." || !strings.Contains(s.Read("ada/memory/login.md"), "note: ask Priya") {
		t.Errorf("the memory is %+v", got)
	}
	if left := s.list("?kind=secret").Items; len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
	// The past is still there, without the value.
	if status, answer := s.send("GET", "/api/v1/agents/ada/memories/"+m.ID+"/revisions", nil); status != 200 || !strings.Contains(answer, "[removed]") {
		t.Errorf("revisions: %d %s", status, answer)
	}
	if status, answer := s.send("GET", "/api/v1/agents/ada/activity", nil); status != 200 || strings.Contains(answer, value) {
		t.Errorf("activity: %d %s", status, answer)
	}
}

func TestRemoveValue_OthersStay(t *testing.T) {
	t.Parallel()
	note := memoirtest.Note
	s := serve(t, memoirtest.Files{
		"ada/memory/a.md":     note("Database login", memories.Reference, "The production database password is "+password+"."),
		"ada/memory/sub/a.md": note("Database login", memories.Reference, "The old production database password is "+other+"."),
		"ada/memory/b.md":     note("Replica login", memories.Reference, "The replica password is "+password+"."),
		"ada/memory/c.md":     note("Login of "+password, memories.Reference, "The password is "+password+"."),
	}, modeltest.SaysJSON(map[string]any{}))
	item := s.open("secret", "Database login")
	s.decide(item, body{"decision": "remove_value"})
	for _, file := range []string{"ada/memory/a.md", "ada/memory/sub/a.md"} {
		if text := s.Read(file); strings.Contains(text, password) || strings.Contains(text, other) || !strings.Contains(text, "[removed]") {
			t.Errorf("%s: %s", file, text)
		}
	}
	if found := s.columnsWith(other); len(found) > 0 {
		t.Errorf("the value of another file of the memory is in %v", found)
	}
	s.examine("ada")
	if !strings.Contains(s.Read("ada/memory/b.md"), password) || s.find("secret", "Replica login") == nil {
		t.Error("another memory with the value has changed, or does not wait")
	}
	// A value in the name is refused, and nothing changes.
	s.refused("/api/v1/review/"+s.open("secret", "Login of").ID, s.open("secret", "Login of"), body{"decision": "remove_value"}, 409)
}
