package api_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/consolidation"
	"memoir/internal/jobs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const duplicate = "Releases are cut on the first working day of the month, from the branch that was frozen before."

func TestConsolidation_PlanLifecycle(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/MEMORY.md": "- [Gone](gone.md)\n- [A](a.md)\n",
		"ada/memory/a.md":      memoirtest.Note("A", memories.Project, duplicate), "ada/memory/b.md": memoirtest.Note("B", memories.Project, duplicate),
	})
	log := slog.New(slog.DiscardHandler)
	queue, err := jobs.New(m.Store, jobs.Options{Changed: m.Engine.EmitScanned, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	c := consolidation.Start(m.Engine, m.Store, queue, consolidation.Options{Every: time.Hour, Log: log})
	t.Cleanup(c.Close)
	queue.Start(t.Context(), m.Engine.Ready)
	t.Cleanup(queue.Close)
	s := serve(t, m, api.Options{Consolidator: c})
	const path = "/api/v1/agents/ada/consolidation"
	if got := s.ok(200, "GET", path, nil); got["plan"] != nil || got["mode"] != "plan" || got["model"] != false || len(got.list("gates")) != 4 || got["last_at"] != nil {
		t.Errorf("before all it stands as %v", got)
	}
	s.problem(s.call("DELETE", path, nil), 404)
	plan := s.ok(200, "POST", path+"?wait=60", nil).object("plan")
	steps := plan.list("steps")
	if len(steps) != 2 || steps[0]["kind"] != "merge" || steps[1]["kind"] != "reindex" || plan["made_by"] != "script" {
		t.Fatalf("the plan is %v", plan)
	}
	if size := steps[0].object("claude_md"); size["after"].(float64) >= size["before"].(float64) {
		t.Errorf("a step makes CLAUDE.md of %v characters %v", size["before"], size["after"])
	}
	if diff, _ := steps[1].list("changes")[0]["diff"].(string); !strings.Contains(diff, "\n-- [Gone](gone.md)\n") {
		t.Errorf("the index changes by %q", diff)
	}
	s.problem(s.call("POST", path+"/apply", object{"steps": []string{}}), 422)
	s.problem(s.call("POST", path+"?wait=61", nil), 422)
	s.problem(s.call("POST", "/api/v1/agents/nobody/consolidation", nil), 404)
	results := s.ok(200, "POST", path+"/apply", object{"steps": []any{steps[1]["id"], "nonsense", steps[0]["id"]}}).list("results")
	if len(results) != 3 || results[0]["status"] != 200.0 || results[1]["status"] != 404.0 || results[2]["status"] != 200.0 || results[0]["problem"] != nil {
		t.Errorf("they end with %v", results)
	}
	// The index step succeeds although the deletion of the same plan changes the index.
	if index := s.Read("ada/memory/MEMORY.md"); strings.Contains(index, "gone.md") || strings.Count(index, "\n") != 1 {
		t.Errorf("the index says %q", index)
	}
	now := s.ok(200, "GET", path, nil)
	if applied := now.list("applied"); len(applied) != 2 || applied[0]["applied_at"] == nil || applied[0]["by"] != "script" || now["last_at"] == nil {
		t.Errorf("afterwards it stands as %v", now)
	}
	undo := path + "/steps/" + steps[0]["id"].(string) + "/undo"
	if undone := s.ok(200, "POST", undo, nil); undone["state"] != "undone" || undone["undone_at"] == nil {
		t.Errorf("it is undone as %v", undone)
	}
	if s.Read("ada/memory/a.md") == "" || s.Read("ada/memory/b.md") == "" {
		t.Error("what was deleted is not back")
	}
	s.problem(s.call("POST", undo, nil), 409)
	s.problem(s.call("POST", path+"/steps/nonsense/undo", nil), 404)
	if got := s.ok(200, "DELETE", path, nil); got["plan"] != nil || len(got.list("applied")) != 2 {
		t.Errorf("when it is discarded it stands as %v", got)
	}
}
