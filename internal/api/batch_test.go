package api_test

import (
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestBatch_EachAsOwnCall(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("A", memories.User, "One."),
		"ada/memory/b.md": memoirtest.Note("B", memories.User, "Two."),
		"ada/memory/c.md": memoirtest.Note("C", memories.User, "Three."),
	})
	id := func(name string) string { at := s.at("ada", name); return at[strings.LastIndex(at, "/")+1:] }
	a, b, c := id("A"), id("B"), id("C")
	s.ok(200, "DELETE", s.at("ada", "B"), nil)
	answer := s.ok(200, "POST", "/api/v1/agents/ada/memories:batch", map[string]any{
		"delete": []string{a, "nonsense"}, "restore": []string{b, c}, "purge": []string{a}, "verify": []string{c},
	})
	want := []struct {
		id, op string
		status float64
	}{{a, "delete", 200}, {"nonsense", "delete", 404}, {b, "restore", 200}, {c, "restore", 409}, {a, "purge", 200}, {c, "verify", 200}}
	results := answer["results"].([]any)
	if len(results) != len(want) {
		t.Fatalf("%d results: %v", len(results), results)
	}
	for i, w := range want {
		got := results[i].(map[string]any)
		if got["id"] != w.id || got["op"] != w.op || got["status"] != w.status || (got["problem"] == nil) != (w.status == 200) {
			t.Errorf("result %d is %v, want %v", i, got, w)
		}
	}
	if s.Read("ada/memory/a.md") != "" || s.Read("ada/memory/b.md") == "" {
		t.Error("the files are not what the results say")
	}
}

func TestBatch_Invalid(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/a.md": memoirtest.Note("A", memories.User, "One.")})
	const batch = "/api/v1/agents/ada/memories:batch"
	s.problem(s.call("POST", "/api/v1/agents/nobody/memories:batch", map[string]any{}), 404)
	s.problem(s.call("POST", batch, map[string]any{"delete": "x"}), 422)
	s.problem(s.call("POST", batch, map[string]any{"remove": []string{}}), 422)
	s.problem(s.call("POST", batch, map[string]any{"delete": make([]string, 501)}), 422)
	if got := s.ok(200, "POST", batch, map[string]any{})["results"].([]any); len(got) != 0 {
		t.Errorf("an empty batch answers %v", got)
	}
}

func TestVerify_ResetsAge(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/a.md": "---\nname: A\ntype: user\nmetadata:\n  modified: 2026-01-02T03:04:05Z\n---\nOne.\n"})
	at := s.at("ada", "A")
	if before := s.ok(200, "GET", at, nil); before["stale"] != true {
		t.Fatalf("before: %v", before)
	}
	s.problem(s.call("POST", at+"/verify", nil, "If-Match", `"stale"`), 412)
	if after := s.ok(200, "POST", at+"/verify", nil); after["stale"] != false || after["age_days"] != 0.0 {
		t.Errorf("after: %v", after)
	}
	if revisions := s.ok(200, "GET", at+"/revisions", nil)["revisions"].([]any); len(revisions) != 1 {
		t.Errorf("%d revisions", len(revisions))
	}
}
