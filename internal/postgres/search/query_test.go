package search_test

import (
	"slices"
	"testing"

	"memoir/internal/postgres/search"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, typed, rank string
		phrases           []string
	}{
		{"words are prefixes", "Harbour open", "('harbour':*) & ('open':*)", nil},
		{"case and accents fold", "CAFÉ", "('cafe':*)", nil},
		{"a word counts once", "open Open OPEN", "('open':*)", nil},
		{"punctuation separates", "db/schema.sql:12", "('db':*) & ('schema':*) & ('sql':*) & ('12':*)", nil},
		{"quotes end words", `it's "here"`, "('it':*) & ('s':*) & ('here':*)", nil},
		{"script without spaces", "文書", "('文') & ('書')", []string{"文書"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			query, ok := search.Parse(test.typed)
			if got := query.Rank(); !ok || got != test.rank {
				t.Errorf("Parse(%q).Rank() = %q, %v, want %q", test.typed, got, ok, test.rank)
			}
			if got := query.Phrases(); got == nil || !slices.Equal(got, test.phrases) {
				t.Errorf("Parse(%q).Phrases() = %q, want %q", test.typed, got, test.phrases)
			}
		})
	}
}

func TestParse_NoWord(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"", "  ", "'", `"!?"`, "^ @ # & |"} {
		if query, ok := search.Parse(typed); ok {
			t.Errorf("Parse(%q) = %v, want no query", typed, query)
		}
	}
}

func TestQuery_Scope(t *testing.T) {
	t.Parallel()
	query, _ := search.Parse("harbour open")
	for _, test := range []struct {
		name          string
		scope         search.Scope
		match, titled string
	}{
		{"all agents", search.Scope{}, "('harbour':*) & ('open':*)", "(('^harbour':*) | ('^open':*))"},
		{"one agent", search.Scope{AgentID: 7}, "'@7' & ('harbour':*) & ('open':*)", "'@7' & (('^harbour':*) | ('^open':*))"},
		{"without two", search.Scope{Without: []int64{3, 4}}, "!'@3' & !'@4' & ('harbour':*) & ('open':*)", "!'@3' & !'@4' & (('^harbour':*) | ('^open':*))"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := query.Match(test.scope); got != test.match {
				t.Errorf("Match() = %q, want %q", got, test.match)
			}
			if got := query.Titled(test.scope); got != test.titled {
				t.Errorf("Titled() = %q, want %q", got, test.titled)
			}
		})
	}
}

func TestMatchAny(t *testing.T) {
	t.Parallel()
	got := search.MatchAny([]int64{7, 9}, []string{"harbour", "port"}, []string{"文書"})
	if want := "('@7' | '@9') & ('harbour' | 'port' | '文' <-> '書')"; got != want {
		t.Errorf("MatchAny() = %q, want %q", got, want)
	}
}
