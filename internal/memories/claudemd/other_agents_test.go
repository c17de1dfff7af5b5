package claudemd

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
)

func TestCompileParts_OtherAgents(t *testing.T) {
	t.Parallel()
	var all []Summary
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, Summary{ID: name, Name: name, Type: memories.User, Size: 600})
	}
	body := strings.Repeat("语", 200) // 600 bytes, 200 characters
	compile := func(limit int) string {
		var out strings.Builder
		text := func(next []Summary) (string, error) { return FullSection(next[0], body), nil }
		if err := CompileParts(all, Intro{OtherAgents: true}, limit, 0, text, func(p Part) { out.WriteString(p.Text) }); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	got := compile(2_000)
	if len(got) > 2_000 || strings.Count(got, body) != 2 || !strings.Contains(got, "\nIn one line each:\n\n- c\n") {
		t.Errorf("with a limit of 2,000 bytes the block has %d: %s", len(got), got)
	}
	for _, claude := range []string{"# Memory System", "MEMORY.md", "memory/"} {
		if strings.Contains(got, claude) {
			t.Errorf("the block has instructions of Claude Code: %q", claude)
		}
	}
	if got := compile(300); !strings.Contains(got, "- … and 3 more, for which this file has no room.\n") {
		t.Errorf("a block without room is %s", got)
	}
}

func TestDocument_WithoutAdded(t *testing.T) {
	t.Parallel()
	block := []byte(beginMarker + "\nx\n" + endMarker)
	for name, before := range map[string]string{
		"empty": "", "no line end": "a", "line end": "a\n", "blank line": "a\n\n", "windows": "a\r\n", "byte order mark": "\ufeff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := ReadDocument([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			added := document.Added()
			published, err := ReadDocument(document.With(block))
			if err != nil || published.Added() != "" {
				t.Fatalf("Added() = %q, %v", published.Added(), err)
			}
			if got := published.WithoutAdded(added); !slices.Equal(got, []byte(before)) {
				t.Errorf("WithoutAdded() = %q, want %q", got, before)
			}
			more, err := ReadDocument(slices.Concat(document.With(block), []byte("more\n")))
			if err != nil {
				t.Fatal(err)
			}
			if got := more.WithoutAdded(added); !slices.Equal(got, more.Without()) {
				t.Errorf("with a text below, WithoutAdded() = %q", got)
			}
		})
	}
}
