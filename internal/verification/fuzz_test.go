package verification_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"memoir/internal/verification"
)

func FuzzCitations(f *testing.F) {
	for _, seed := range []string{
		"The retry is at `internal/http/client.go:42-50`, see [[small-diffs]] and `--claude-dir`.", "`a` ``b`c`` ```\nx\n```", "[[[[[[", "]]]]",
		"~~~\n", "\x00\xff`\xff/a.go`", "a/" + strings.Repeat("../", 20) + "b.go", strings.Repeat("`", 50) + "a/b.go" + strings.Repeat("`", 49), "1. - > `x()`",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range verification.Citations(body) {
			if c.Text == "" || c.Kind == "" {
				t.Errorf("%q cites nothing: %+v", body, c)
			}
			if utf8.ValidString(body) && !utf8.ValidString(c.Text) || strings.ContainsAny(c.Text, "\x00\n") {
				t.Errorf("%q cites %q, which cannot be shown", body, c.Text)
			}
		}
	})
}

func TestCitations_LinearTime(t *testing.T) {
	// Quadratic parsing would take minutes for these texts.
	t.Parallel()
	for _, part := range []string{"[[", "`", "` ", "`` ` ", "a/b.go ", ". ", "- x\n", "> ", "\n", "~~~\n", "|", "[[a]] ", "`a/b.go:1` ", "removed ", "#", "\xff", "。", "a.", "    ", "``"} {
		verification.Citations(strings.Repeat(part, 1<<20/len(part)))
	}
	var runs strings.Builder
	for i := 1; runs.Len() < 1<<20; i++ {
		runs.WriteString(strings.Repeat("`", i) + " ")
	}
	verification.Citations(runs.String())
}
