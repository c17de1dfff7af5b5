package search_test

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/postgres/search"
)

func TestVector(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, vector string
		text         search.Text
		words        []string
	}{
		{"weights and positions", "'@7' '^port' '^opens' 'port':1A 'opens':2B,3C 'late':4C ",
			search.Text{AgentID: 7, Name: "Port", Description: "opens", Body: "Opens late."}, []string{"port", "opens", "late"}},
		{"a repeated word", "'@7' '^a' 'a':1A,2C,4C 'b':3C ", search.Text{AgentID: 7, Name: "a", Body: "a b a"}, []string{"a", "b"}},
		{"no text", "'@7' ", search.Text{AgentID: 7}, []string{}},
		{"signs are no words", "'@7' 'agent':1C ", search.Text{AgentID: 7, Body: "@ ^ @agent"}, []string{"agent"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			vector, words := search.Vector(test.text)
			if vector != test.vector || !slices.Equal(words, test.words) {
				t.Errorf("Vector() = %q, %q, want %q, %q", vector, words, test.vector, test.words)
			}
		})
	}
}

func TestVector_Limits(t *testing.T) {
	t.Parallel()
	t.Run("positions of one word", func(t *testing.T) {
		t.Parallel()
		vector, _ := search.Vector(search.Text{AgentID: 7, Body: strings.Repeat("again ", 1_000)})
		if n := strings.Count(vector, "C"); n != 255 {
			t.Errorf("%d positions, want 255", n)
		}
	})
	t.Run("size", func(t *testing.T) {
		t.Parallel()
		var body strings.Builder
		for i := range 400_000 {
			body.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i/26%40))
			body.WriteString(string(rune('a' + i/1040%26)))
			body.WriteString(string(rune('a' + i/27040%26)))
			body.WriteByte(' ')
		}
		if vector, _ := search.Vector(search.Text{AgentID: 7, Body: body.String()}); len(vector) > 1_048_575 {
			t.Errorf("the vector has %d bytes, want at most 1,048,575", len(vector))
		}
	})
	t.Run("words of the title", func(t *testing.T) {
		t.Parallel()
		var name strings.Builder
		for i := range 200 {
			name.WriteString(strings.Repeat("a", 1+i) + " ")
		}
		vector, words := search.Vector(search.Text{AgentID: 7, Name: name.String()})
		if n := strings.Count(vector, "'^"); n != 100 || len(words) != 200 {
			t.Errorf("%d words with the sign of a title of %d, want 100 of 200", n, len(words))
		}
	})
}
