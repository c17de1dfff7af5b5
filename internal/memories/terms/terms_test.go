package terms_test

import (
	"testing"

	"memoir/internal/memories/terms"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typed, words, text string }{
		"nothing":              {"  ", "", ""},
		"words":                {" deploy  freeze ", "deploy freeze", "deploy freeze"},
		"filters first":        {"freeze type:project", "freeze", "type:project freeze"},
		"any letter case":      {"TYPE:Project Is:Stale", "", "type:project is:stale"},
		"the last type":        {"type:user type:project", "", "type:project"},
		"several of is":        {"is:team is:stale is:team", "", "is:stale is:team"},
		"an agent":             {"agent:-home-Mira-web x", "x", "agent:-home-Mira-web x"},
		"an unknown value":     {"type:opinion is:blue", "type:opinion is:blue", "type:opinion is:blue"},
		"an unknown field":     {"http://example.com at:home", "http://example.com at:home", "http://example.com at:home"},
		"no value":             {"type: agent:", "type: agent:", "type: agent:"},
		"a phrase":             {`"type:project freeze" is:team`, `"type:project freeze"`, `is:team "type:project freeze"`},
		"a phrase without end": {`"a type:user`, `"a type:user`, `"a type:user`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := terms.Parse(c.typed)
			if got.Words != c.words || got.String() != c.text {
				t.Errorf("Parse(%q) = %q, %q, want %q, %q", c.typed, got.Words, got.String(), c.words, c.text)
			}
			if again := terms.Parse(got.String()); again.String() != got.String() {
				t.Errorf("parsed again: %q", again)
			}
		})
	}
}

func TestTerms_Change(t *testing.T) {
	t.Parallel()
	all := terms.Parse("type:project is:stale is:team agent:ada tea")
	if got := all.Without(terms.Filter{Field: terms.Is, Value: terms.IsStale}).String(); got != "type:project is:team agent:ada tea" {
		t.Errorf("Without() = %q", got)
	}
	if got := all.With(terms.Filter{Field: terms.Type, Value: "user"}).String(); got != "is:stale is:team agent:ada type:user tea" {
		t.Errorf("With() = %q", got)
	}
	if all.Value(terms.Agent) != "ada" || !all.Is(terms.IsTeam) || all.Is(terms.IsTrash) || len(all.Filters) != 4 {
		t.Errorf("the terms are %v", all)
	}
}
