package marked_test

import (
	"strings"
	"testing"

	"memoir/internal/marked"
)

func TestPassageOf_Parts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a ", 100) + "PORT" + strings.Repeat(" b", 100)
	for name, c := range map[string]struct {
		text  string
		spans []marked.Span
		most  int
		want  string
		cut   bool
	}{
		"no span":              {"one two", nil, 100, "one two", false},
		"white space":          {"\n one \n", []marked.Span{{2, 5}}, 100, "[one]", false},
		"only white space":     {" \n", nil, 100, "", false},
		"several spans":        {"one two six", []marked.Span{{8, 11}, {0, 3}}, 100, "[one] two [six]", false},
		"spans that overlap":   {"abcdef", []marked.Span{{0, 4}, {2, 6}}, 100, "[abcd][ef]", false},
		"a span inside":        {"abcdef", []marked.Span{{0, 4}, {1, 2}}, 100, "[abcd]ef", false},
		"outside the text":     {"abc", []marked.Span{{-1, 2}, {2, 9}, {2, 1}}, 100, "abc", false},
		"half a character":     {"né", []marked.Span{{1, 2}}, 100, "né", false},
		"a whole character":    {"né", []marked.Span{{1, 3}}, 100, "n[é]", false},
		"cut at a character":   {"éééé", nil, 3, "é…", true},
		"the first span stays": {long, []marked.Span{{200, 204}}, 12, "…a [PORT] b b …", true},
		"a span at the end":    {"one two six", []marked.Span{{8, 11}}, 6, "…[six]", true},
	} {
		passage := marked.PassageOf(c.text, c.spans, c.most)
		got := ""
		for _, p := range passage.Parts() {
			if p.Hit {
				got += "[" + p.Text + "]"
			} else {
				got += p.Text
			}
		}
		if got != c.want || passage.IsCut() != c.cut {
			t.Errorf("%s: %q, %t, want %q, %t", name, got, passage.IsCut(), c.want, c.cut)
		}
	}
}
