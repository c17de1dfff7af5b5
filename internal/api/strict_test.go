package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// operation is one call of the OpenAPI document.
type operation struct {
	method, path string
	query        []string // names of its query parameters
	hasBody      bool
}

// operations returns every call of the OpenAPI document. Its paths use agent ada, the given id, and
// a fixed day.
func (s *server) operations(id string) []operation {
	s.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Explode  bool
			}
			RequestBody struct{ Content map[string]any }
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal(s.call("GET", "/api/openapi.json", nil).raw, &document); err != nil {
		s.Fatal(err)
	}
	fill := strings.NewReplacer("{slug}", "ada", "{id}", id, "{day}", "2026-11-21")
	var all []operation
	for path, methods := range document.Paths {
		for method, described := range methods {
			op := operation{method: strings.ToUpper(method), path: fill.Replace(path), hasBody: described.RequestBody.Content["application/json"] != nil}
			if _, documented := described.Responses["415"]; documented != op.hasBody {
				s.Errorf("%s %s: 415 documented = %v, want %v", op.method, op.path, documented, op.hasBody)
			}
			for _, p := range described.Parameters {
				if p.In == "query" && !p.Explode { // the others may be repeated
					op.query = append(op.query, p.Name)
				}
			}
			all = append(all, op)
		}
	}
	return all
}

func TestQuery_UnknownRepeatedOrEmptyIs422(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	refused := func(op operation, query, location string) {
		t.Helper()
		p := s.problem(s.call(op.method, op.path+"?"+query, nil), 422)
		if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != location {
			t.Errorf("%s %s?%s: errors = %v, want %s alone", op.method, op.path, query, p["errors"], location)
		}
	}
	all := s.operations(s.Memory("ada", "Tabs").ID)
	if len(all) < 60 {
		t.Fatalf("only %d calls found", len(all))
	}
	all = append(all, operation{method: "GET", path: "/api/openapi.json"})
	for _, op := range all {
		refused(op, "nmae=x", "query.nmae")
		refused(op, "Name=x", "query.Name")
		refused(op, "a;b=1", "query")
		refused(op, "a=%zz", "query")
		for _, name := range op.query {
			refused(op, name+"=1&"+name+"=1", "query."+name)
			if name != "cursor" {
				refused(op, name+"=", "query."+name)
				refused(op, name, "query."+name)
			}
		}
	}
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("a refused call changed the file: %q", got)
	}
	s.ok(200, "GET", s.at("ada", "Tabs"), nil)
}

func TestQuery_EmptyFilterListsNothing(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("A", memories.User, "First."),
		"ada/memory/b.md": memoirtest.Note("B", memories.User, "Second."),
	})
	for _, filter := range []string{"name", "q", "type", "state", "session", "scope", "sort", "limit", "stale", "as_of"} {
		p := s.problem(s.call("GET", "/api/v1/agents/ada/memories?"+filter+"=", nil), 422)
		if !strings.Contains(p.string("detail"), filter+" is empty") || p["memories"] != nil {
			t.Errorf("%s=: %v", filter, p)
		}
	}
	if got := s.ok(200, "GET", "/api/v1/agents/ada/memories?cursor=&limit=1", nil)["total"]; got != 2.0 {
		t.Errorf("the first page of a list: total = %v, want 2", got)
	}
}

func TestBody_WithoutJSONContentTypeIs415(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	sent := 0
	for _, op := range s.operations(s.Memory("ada", "Tabs").ID) {
		if !op.hasBody {
			continue
		}
		sent++
		for _, mediaType := range []string{"", "application/x-www-form-urlencoded", "text/plain", "text/json", "application/", "json"} {
			p := s.problem(s.call(op.method, op.path, `{"name":"Tabs","type":"feedback"}`, "Content-Type", mediaType), 415)
			if !strings.Contains(p.string("detail"), "application/json") {
				t.Errorf("%s %s as %q: %v", op.method, op.path, mediaType, p)
			}
		}
	}
	if sent < 10 {
		t.Errorf("only %d calls with a body found", sent)
	}
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("a refused call changed the file: %q", got)
	}
	// curl -d '' sends an empty body as a form.
	s.ok(200, "POST", "/api/v1/agents/ada/scan", "", "Content-Type", "application/x-www-form-urlencoded")
}
