package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// sample matches a metric with its labels and its value.
var sample = regexp.MustCompile(`(?m)^([a-z_]+)(\{[^}]*\})? ([0-9.e+-]+)$`)

// metric matches the name of a metric in an expression.
var metric = regexp.MustCompile(`\b(memoir|process|go)_[a-z0-9_]+`)

func (s *started) metrics() (text string, names map[string]bool) {
	s.Helper()
	status, raw := s.try(http.MethodGet, "/metrics", nil, nil)
	if status != http.StatusOK {
		s.Fatalf("GET /metrics: %d %s", status, raw)
	}
	names = map[string]bool{}
	for _, found := range sample.FindAllStringSubmatch(string(raw), -1) {
		names[found[1]] = true
	}
	return string(raw), names
}

// Each expression of the dashboard and of the docs must read metrics that a server has.
func TestMetrics_Dashboard(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "backups")
	url := pgtest.New(t)
	s := start(t, nil, "--database-url="+url, "--backup-dir="+dir, "--backup-every=1s", "--backup-keep=1")
	s.write("one")
	s.serves()
	s.json(http.MethodPost, "/api/v1/agents/ada/memories", map[string]string{"name": "Deploys", "type": "user", "description": "Deploys are on Tuesday", "body": "Tuesday."}, nil)
	s.json(http.MethodPost, "/api/v1/agents/ada/recall", map[string]string{"query": "When are deploys, on Tuesday?"}, nil)
	s.put("ada/memory/broken.md", "No frontmatter.\n")
	// A job as an earlier conversation has left it.
	pgtest.Execute(t, pgtest.Connect(t, url), `INSERT INTO river_job (state, finalized_at, attempt, attempted_at, kind, max_attempts, args, metadata)
		VALUES ('completed', now(), 1, now(), 'extraction', 8, '{"agent": 1}', '{"output": {"input_tokens": 70, "output_tokens": 7}}')`)
	var text string
	var names map[string]bool
	waittest.For(t, "all figures", func() bool {
		text, names = s.metrics()
		return names["memoir_backup_bytes"] && names["memoir_review_items"] && names["memoir_jobs"] && names["memoir_recalled_memories_total"]
	})
	for _, want := range []string{
		`memoir_model_tokens{direction="input",kind="extraction"} 70`, `memoir_database_up 1`, `memoir_recalls_total{asked_by="script",given="true"} 1`,
		`memoir_memories{state="active",type="user"} 2`, `memoir_http_request_duration_seconds_count{code="200",method="POST",route="/api/v1/agents/{slug}/recall"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing: %s", want)
		}
	}
	raw, err := os.ReadFile("../../docs/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &dashboard); err != nil {
		t.Fatal(err)
	}
	expressions := map[string]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions[target.Expr] = "panel " + panel.Title
		}
	}
	if len(expressions) < 20 {
		t.Errorf("the dashboard has %d expressions", len(expressions))
	}
	page, err := os.ReadFile("../../docs/DEPLOY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range regexp.MustCompile("`[^`\n]*`").FindAllString(string(page), -1) {
		if strings.Contains(code, "memoir_") {
			expressions[code] = "docs/DEPLOY.md"
		}
	}
	for expression, where := range expressions {
		found := metric.FindAllString(expression, -1)
		if len(found) == 0 {
			t.Errorf("%s: %s reads no metric", where, expression)
		}
		for _, name := range found {
			if !names[name] && !names[name+"_count"] {
				t.Errorf("%s: %s reads %s, which the server does not have", where, expression, name)
			}
		}
	}
	// Labels come from the server alone, not from clients.
	for _, path := range []string{"/api/v1/x/" + strings.Repeat("y", 50), "/agents/nope/memory", "/hooks/other", "/api/v1/agents/nope/memories/1"} {
		s.ask(http.MethodGet, path, "")
	}
	text, _ = s.metrics()
	for _, wrong := range []string{"yyy", "nope", "/hooks/other"} {
		if strings.Contains(text, wrong) {
			t.Errorf("a label has %q of a request", wrong)
		}
	}
	s.endsWell()
}

func TestMetrics_Access(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all", "--read-token=look-only")
	for token, want := range map[string]int{"all": 200, "look-only": 200, "wrong": 401} {
		if status, answer := s.as(token, http.MethodGet, "/metrics", ""); status != want || want == 401 && !strings.Contains(answer, `"status":401`) {
			t.Errorf("%s: %d %.200s", token, status, answer)
		}
	}
	if status, _ := s.as("all", http.MethodPost, "/metrics", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", status)
	}
}
