package agents

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw, heading string
		want               []string
	}{
		{"sections", "## A\none\n## B b\ntwo\n", "## ", []string{"a", "b-b"}},
		{"title only before", "# Memory\n\n## A\none\n", "## ", []string{"a"}},
		{"text before", "# Memory\ntext\n## A\none\n", "## ", []string{"memory", "a"}},
		{"no section", "just text\n", "## ", []string{"memory"}},
		{"nothing", "\n\n", "## ", nil},
		{"same title twice", "## A\none\n## A\ntwo\n## a\nthree", "## ", []string{"a", "a-2", "a-3"}},
		{"code fence", "## A\n```\n## not one\n```\n## B\n", "## ", []string{"a", "b"}},
		{"control characters", "## a\x00b\xff/\x01\ntext\n", "## ", []string{"a-b"}},
		{"slashes and signs", "# Task Group: a/b ../c\nx\n# Task Group: ???\ny\n", "# Task Group:", []string{"a-b-c", "???"}},
		{"long title", "## " + strings.Repeat("é", 100) + "\nx\n", "## ", []string{strings.Repeat("e", 80)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var names []string
			text := ""
			for _, p := range split(tt.raw, tt.heading) {
				names = append(names, p.name)
				text += p.raw
			}
			if !slices.Equal(names, tt.want) || !strings.HasSuffix(tt.raw, text) {
				t.Errorf("split(%q) = %q with the text %q, want %q", tt.raw, names, text, tt.want)
			}
		})
	}
}
