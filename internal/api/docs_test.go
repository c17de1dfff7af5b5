package api_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tableRow is a row of the table of calls: the call, and what it does in one line.
var tableRow = regexp.MustCompile("(?m)^\\| `([A-Z]+ [^`]+)` \\| (.+) \\|$")

func TestTheDocsNameEveryCallAndNoOther(t *testing.T) {
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
