package client_test

import (
	"fmt"
	"strings"
	"testing"

	"memoir/internal/memories/memorymd"
)

// The part of MEMORY.md that Memoir says an agent loads is what Claude Code loads, with its warning.
func TestClient_LongIndex(t *testing.T) {
	u := newUser(t)
	lines := func(n int, text string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- [T%d](t%d.md) — %s\n", i+1, i+1, text)
		}
		return b.String()
	}
	last := func(line string) string { return lines(200, "hook") + line + "\n- end\n" }
	for name, index := range map[string]string{
		"200 lines":                 lines(200, "hook"),
		"250 lines":                 lines(250, "hook"),
		"a blank line is cut":       last(" \t"),
		"80 units are quoted":       last("  " + strings.Repeat("é", 80) + "\u00a0"),
		"81 units are shortened":    last(strings.Repeat("é", 81)),
		"an emoji across the end":   last(strings.Repeat("😀", 41)),
		"quotes and tabs":           last("- \"a\" \\ `b`\tc"),
		"long lines":                lines(30, strings.Repeat("x", 900)),
		"many long lines":           lines(300, strings.Repeat("x", 200)),
		"many lines, a bit long":    lines(300, strings.Repeat("x", 100)),
		"one long line":             strings.Repeat("x", 26_000),
		"a long first line":         strings.Repeat("x", 26_000) + "\n- second\n",
		"a long line before many":   strings.Repeat("x", 26_000) + "\n" + lines(250, "hook"),
		"25,000 units, then a line": strings.Repeat("x", 25_000) + "\n- second\n",
		"25,001 units, then a line": strings.Repeat("x", 25_001) + "\n- second\n",
		"emoji across the cap":      "x" + strings.Repeat("😀", 14_000),
		"frontmatter":               "---\na: b\n---\n" + lines(250, "hook"),
		"a comment, an empty line":  lines(50, "hook") + "\n<!-- a\nb -->\n\n" + lines(250, "hook"),
		"a comment, empty lines":    lines(50, "hook") + "\n<!-- a\nb -->\n\n\n\n" + lines(250, "hook"),
		"a comment, a blank line":   lines(50, "hook") + "\n<!-- a\nb -->\n  \n\n" + lines(250, "hook"),
		"a comment, no empty line":  lines(50, "hook") + "\n<!-- a\nb -->\n" + lines(250, "hook"),
		"an indented comment":       lines(50, "hook") + "\n  <!-- a\nb -->\n" + lines(250, "hook"),
		"two comments":              "<!-- a --><!-- b -->\n\n" + lines(250, "hook"),
		"carriage returns":          strings.ReplaceAll(lines(250, "hook"), "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			u := u.in(t)
			u.project = u.newProject(strings.Map(func(r rune) rune {
				if r < '0' || r > 'z' {
					return '-'
				}
				return r
			}, name))
			u.write("MEMORY.md", index)
			prompt := "Hello, " + name + "."
			u.ask(u.project, prompt)
			got, want := u.last(prompt).loaded(), memorymd.Load([]byte(index))
			if !strings.Contains(got, want+"\n") {
				at := max(0, strings.Index(got, "WARNING: MEMORY.md")-100)
				t.Errorf("Claude Code loads …%.600q, want the end %q", got[at:], want[max(0, len(want)-500):])
			}
			if strings.Count(got, "WARNING: MEMORY.md") != strings.Count(want, "WARNING: MEMORY.md") {
				t.Error("Claude Code warns, and Memoir does not expect it")
			}
		})
	}
}
