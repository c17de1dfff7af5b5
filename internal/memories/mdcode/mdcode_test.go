package mdcode_test

import (
	"strings"
	"testing"

	"memoir/internal/memories/mdcode"
)

func TestBlocks_Lines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		code       []string // parts of the text that are code
		prose      []string
	}{
		{"no code", "a\n\nb\n", nil, []string{"a", "b"}},
		{"fence", "before\n```go\nx := 1\n```\nafter\n", []string{"x := 1"}, []string{"before", "after"}},
		{"tildes", "~~~\nx\n~~~\ny\n", []string{"x"}, []string{"y"}},
		{"open fence", "```\nx\ny", []string{"x", "y"}, nil},
		{"indented", "text\n\n    code\n\nmore\n", []string{"code"}, []string{"text", "more"}},
		{"fence in a list", "- item\n  ```\n  x = 1\n  ```\n", []string{"x = 1"}, []string{"item"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spans := mdcode.Blocks(tt.text)
			for _, part := range tt.code {
				if !spans.Holds(strings.Index(tt.text, part)) {
					t.Errorf("%q is not code", part)
				}
			}
			for _, part := range tt.prose {
				if spans.Holds(strings.Index(tt.text, part)) {
					t.Errorf("%q is code", part)
				}
			}
		})
	}
}

func TestFenced_Lines(t *testing.T) {
	t.Parallel()
	const text = "before\n```go\nx := 1\n```\nafter\n"
	spans, sure := mdcode.Fenced(text)
	if !sure || !spans.Holds(strings.Index(text, "x := 1")) || spans.Holds(strings.Index(text, "after")) {
		t.Errorf("Fenced() = %v, %v", spans, sure)
	}
}

func TestSpans_OfAndSource(t *testing.T) {
	t.Parallel()
	const text = "abcdefgh"
	spans := mdcode.Spans{{1, 3}, {5, 8}}
	if got := spans.Of(text); got != "bcfgh" {
		t.Errorf("Of() = %q", got)
	}
	source := spans.Source()
	for at, want := range map[int]int{0: 1, 1: 2, 2: 5, 4: 7} {
		if got := source(at); got != want {
			t.Errorf("Source()(%d) = %d, want %d", at, got, want)
		}
	}
}
