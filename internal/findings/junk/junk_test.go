package junk_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/findings"
	"memoir/internal/findings/junk"
)

// TestMatch_Texts reads testdata/texts.txt.
func TestMatch_Texts(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.SplitSeq(string(raw), "\n") {
		if !strings.HasPrefix(line, "+ ") && !strings.HasPrefix(line, "- ") {
			continue
		}
		parts := strings.SplitN(line[2:], "|", 3)
		if len(parts) != 3 {
			t.Fatalf("%q has no three parts", line)
		}
		read++
		in := findings.Text{
			Name: strings.TrimSpace(parts[0]), Description: strings.TrimSpace(parts[1]),
			Body: strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.TrimPrefix(parts[2], " ")),
		}
		got, ok := junk.Match(in)
		if want := line[0] == '+'; ok != want {
			t.Errorf("%s: got %+v, %t", line, got, ok)
		}
		if words := len(strings.Fields(got.Reason)); ok && (words == 0 || words > 8 || got.Kind != findings.Junk) {
			t.Errorf("%s: got %+v", line, got)
		}
	}
	if read < 100 {
		t.Errorf("read only %d texts", read)
	}
}

func TestMatch_Reason(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"Remember this.":                               "Says nothing lasting",
		"Fixed the typo in header.":                    "One finished task",
		"Write clean code.":                            "Advice that every model knows",
		"This is a Go project.":                        "The project itself says this",
		"panic: runtime error\ngoroutine 1 [running]:": "Pasted log without a statement",
		"```go\ntype A struct {\n}\n```":               "Pasted code without a statement",
	} {
		if got, ok := junk.Match(findings.Text{Body: body}); !ok || got.Reason != want || len(got.Spans) != 0 {
			t.Errorf("%q: got %+v, %t; want %q", body, got, ok, want)
		}
	}
}

// One sentence that stays useful keeps a memory.
func TestMatch_OneUsefulSentence(t *testing.T) {
	t.Parallel()
	for _, in := range []findings.Text{
		{Body: "Fixed the typo in header. The header is shared with the shop of Fenwick."},
		{Description: "The header is shared with the shop of Fenwick", Body: "Fixed the typo in header."},
		{Name: "The header is shared with Fenwick", Body: "Fixed the typo in header."},
	} {
		if got, ok := junk.Match(in); ok {
			t.Errorf("%+v: got %+v", in, got)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, text := range []string{"", "# a", "```\n$ ls\n```", "`", "``", "[x] done", "2026-01-01 12:00:00 INFO", "=a b", "完了。", "a;"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, description, body string) {
		if got, ok := junk.Match(findings.Text{Description: description, Body: body}); ok && got.Reason == "" {
			t.Errorf("got %+v", got)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for name, body := range map[string]string{
		"prose": strings.Repeat("Deploys go through Buildkite and need two approvals. ", 20)[:1024],
		"tasks": strings.Repeat("Fixed the typo in the header and pushed. ", 12) + strings.Repeat("\n", 500),
		"log":   strings.Repeat("2026-03-01 12:00:01 INFO starting the server now\n", 21)[:1024],
		"code":  strings.Repeat("return value.field(index);\n", 38)[:1024],
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				junk.Match(findings.Text{Name: "a-note", Body: body})
			}
		})
	}
}
