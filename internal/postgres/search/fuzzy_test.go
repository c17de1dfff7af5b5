package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/postgres/search"
)

func TestQuery_Mistyped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, typed string
		want        []string
	}{
		{"long enough words", "relaese of harbour", []string{"relaese", "harbour"}},
		{"no short word or number", "of 2026", nil},
		{"too many words", "alpha bravo charlie delta foxtrot hotel india juliett kilo", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			query, _ := search.Parse(test.typed)
			if got := query.Mistyped(); !slices.Equal(got, test.want) {
				t.Errorf("Mistyped() = %q, want %q", got, test.want)
			}
		})
	}
}

func TestQuery_Fuzzy(t *testing.T) {
	t.Parallel()
	query, _ := search.Parse("relaese notes")
	for _, test := range []struct {
		name    string
		similar []search.Similar
		want    string // empty: no query
	}{
		{"close words stand beside", []search.Similar{{"relaese", "release"}}, "('relaese':* | 'release') & ('notes':*)"},
		{"the closest come first", []search.Similar{{"relaese", "released"}, {"notes", "nodes"}, {"notes", "note"}},
			"('relaese':* | 'released') & ('notes':* | 'nodes' | 'note')"},
		{"a distant word", []search.Similar{{"relaese", "harbour"}}, ""},
		{"the typed word itself", []search.Similar{{"notes", "notes"}}, ""},
		{"no words", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fuzzy, ok := query.Fuzzy(test.similar)
			if ok != (test.want != "") || ok && fuzzy.Rank() != test.want {
				t.Errorf("Fuzzy() = %q, %v, want %q", fuzzy.Rank(), ok, test.want)
			}
		})
	}
}

func TestQuery_FuzzyLimit(t *testing.T) {
	t.Parallel()
	query, _ := search.Parse("harbour")
	var similar []search.Similar
	for i := range 20 {
		similar = append(similar, search.Similar{Typed: "harbour", Word: fmt.Sprintf("harbo%cr", 'a'+i)})
	}
	fuzzy, _ := query.Fuzzy(similar)
	if n := strings.Count(fuzzy.Rank(), "|"); n != 12 {
		t.Errorf("%d alternatives, want 12", n)
	}
}
