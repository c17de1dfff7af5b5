package api_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
)

// tableRow matches a row of the table of calls: the call, and its summary.
var tableRow = regexp.MustCompile("(?m)^\\| `([A-Z]+ [^`]+)` \\| (.+) \\|$")

// parameterRow matches a row of the table of query parameters: a path, and the parameters of its
// calls.
var parameterRow = regexp.MustCompile("(?m)^\\| `(/[^`]+)` \\| (.+) \\|$")

// Each query parameter must be in the table of docs/API.md.
func TestDocs_QueryParameters(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(s.call("GET", "/api/openapi.json", nil).raw, &document); err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for path, methods := range document.Paths {
		var names []string
		for _, operation := range methods {
			for _, parameter := range operation.Parameters {
				if parameter.In == "query" {
					names = append(names, "`"+parameter.Name+"`")
				}
			}
		}
		if slices.Sort(names); len(names) > 0 {
			described[strings.TrimPrefix(path, "/api/v1")] = strings.Join(slices.Compact(names), ", ")
		}
	}
	page, err := os.ReadFile("../../docs/API.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range parameterRow.FindAllStringSubmatch(string(page), -1) {
		documented[row[1]] = row[2]
	}
	for _, path := range slices.Sorted(maps.Keys(described)) {
		if documented[path] != described[path] {
			t.Errorf("docs/API.md says %q and wants the row\n| `%s` | %s |", documented[path], path, described[path])
		}
		delete(documented, path)
	}
	for path := range documented {
		t.Errorf("docs/API.md has parameters of %s, which has none", path)
	}
}

// Each filter of the memory list must be a parameter of its call. TestDocs_QueryParameters checks
// that the docs list it.
func TestDocs_Filters(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
		}
	}
	if err := json.Unmarshal(s.call("GET", "/api/openapi.json", nil).raw, &document); err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, parameter := range document.Paths["/api/v1/agents/{slug}/memories"]["get"].Parameters {
		has[parameter.Name] = true
	}
	for _, field := range memories.FilterFields() {
		if !has[field.Name] {
			t.Errorf("the OpenAPI document has no parameter %s", field.Name)
		}
	}
}

func TestDocs_NameEveryCall(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	var document struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal(s.call("GET", "/api/openapi.json", nil).raw, &document); err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for path, methods := range document.Paths {
		for method, operation := range methods {
			described[strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/api/v1")] = operation.Summary
		}
	}
	page, err := os.ReadFile("../../docs/API.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range tableRow.FindAllStringSubmatch(string(page), -1) {
		documented[row[1]] = row[2]
	}
	for _, call := range slices.Sorted(maps.Keys(described)) {
		if documented[call] != described[call] {
			t.Errorf("docs/API.md says %q and wants the row\n| `%s` | %s |", documented[call], call, described[call])
		}
		delete(documented, call)
	}
	for call := range documented {
		t.Errorf("docs/API.md has %s, which the API has not", call)
	}
}
