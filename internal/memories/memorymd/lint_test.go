package memorymd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

// among returns a resolver for which the given files exist.
func among(files ...string) memorymd.LinkResolver {
	return func(target string) (string, bool) { return target, slices.Contains(files, target) }
}

func indexed(name string, t memories.Type, path, description string) memorymd.IndexedFile {
	return memorymd.IndexedFile{Path: path, Name: name, Type: t, Description: description}
}

func TestRead_LineStatus(t *testing.T) {
	t.Parallel()
	raw := "\uFEFF---\r\nx: 1\r\n---\r\n\r\n<!-- a note\r\nof two lines --> with a rest\r\n- a\r\n\r\n<!-- gone -->\r\n- b\r\n\r\n"
	want := []string{"1 left_out ---", "2 left_out x: 1", "3 left_out ---", "4 left_out ", "5 left_out <!-- a note",
		"6 seen with a rest", "7 seen - a", "8 seen ", "9 left_out <!-- gone -->", "10 seen - b", "11 left_out "}
	if got := told(memorymd.Read([]byte(raw))); !slices.Equal(got, want) {
		t.Errorf("the lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	many := strings.Repeat("x\n", 198) + "\n\n" + "y\nz"
	lines := memorymd.Read([]byte(many)).Lines
	if got := told(memorymd.Loaded{Lines: lines[198:]}); !slices.Equal(got, []string{"199 seen ", "200 seen ", "201 cut y", "202 cut z"}) {
		t.Errorf("around the cut they are %q", got)
	}

	one := memorymd.Read([]byte(strings.Repeat("x", 25_001)))
	if got := len(one.Lines); got != 2 || len(one.Lines[0].Text) != 25_000 || one.Lines[1].Text != "x" || one.Lines[1].Fate != memorymd.LineCut {
		t.Errorf("a line that is cut within is %d lines: %.80v", got, one.Lines)
	}
	if none := memorymd.Read(nil); len(none.Lines) != 0 || none.LineCount != 0 || none.Units != 0 {
		t.Errorf("of nothing there is %+v", none)
	}
}

func told(index memorymd.Loaded) []string {
	var lines []string
	for _, l := range index.Lines {
		lines = append(lines, fmt.Sprintf("%d %s %s", l.Number, l.Fate, l.Text))
	}
	return lines
}

func TestRead_LimitEdges(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.TrimSuffix(strings.Repeat("x\n", n), "\n") }
	units := func(n int) string {
		return strings.Repeat(strings.Repeat("é", 199)+"\n", n/200) + strings.Repeat("x", n%200)
	}
	for _, tt := range []struct {
		name, index string
		want        memorymd.FindingCode
	}{
		{"179 lines", lines(179), ""},
		{"180 lines", lines(180), memorymd.FindingNearCaps},
		{"200 lines", lines(200), memorymd.FindingNearCaps},
		{"200 lines and blank ones around", "\n\n" + lines(200) + "\n\n\n", memorymd.FindingNearCaps},
		{"200 lines and a comment", "<!-- c -->\n" + lines(200), memorymd.FindingNearCaps},
		{"201 lines", lines(201), memorymd.FindingPastCaps},
		{"22,499 units", units(22_499), ""},
		{"22,500 units, the last an emoji of two", units(22_498) + "😀", memorymd.FindingNearCaps},
		{"25,000 units", units(24_999) + "x", memorymd.FindingNearCaps},
		{"25,001 units", units(24_999) + "😀", memorymd.FindingPastCaps},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			index := memorymd.Read([]byte(tt.index))
			got := memorymd.FindingCode("")
			if findings := memorymd.Lint(index, nil, among()); len(findings) > 0 {
				got = findings[0].Code
			}
			if got != tt.want {
				t.Errorf("%d lines and %d units are %q, want %q", index.LineCount, index.Units, got, tt.want)
			}
		})
	}
}

func TestLint_Findings(t *testing.T) {
	t.Parallel()
	index := "# Index\n" +
		"- [A](a.md) — hook\n" +
		"- [Gone](gone.md)\n" +
		"- [A again](./a.md#part), [A](a.md)\n" +
		"- [Logs](logs/today.md) and [docs](https://example.com/x.md)\n" +
		"\n<!-- - [Hidden](hidden.md) and [Nothing](nothing.md) -->\n\n" +
		strings.Repeat("é", 200) + "\n" +
		strings.Repeat("é", 201) + "\n"
	files := []memorymd.IndexedFile{
		indexed("Zeta", memories.Feedback, "z.md", ""), indexed("A", memories.User, "a.md", ""), indexed("Hidden", memories.User, "hidden.md", ""),
		indexed("No type", "", "n.md", ""), indexed("Beta", memories.Feedback, "team/b.md", ""),
	}
	want := []string{"3 dead_link gone.md", "4 repeated_file a.md", "10 long_line ", "0 unlisted team/b.md", "0 unlisted z.md", "0 unlisted n.md"}
	var got []string
	for _, f := range memorymd.Lint(memorymd.Read([]byte(index)), files, among("a.md", "logs/today.md", "hidden.md", "z.md", "n.md", "team/b.md")) {
		got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Code, f.File))
		if f.Message == "" {
			t.Errorf("%+v has no words", f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}

func TestLint_PastCaps(t *testing.T) {
	t.Parallel()
	for index, want := range map[string]string{
		strings.Repeat("x\n", 203):                "Agents do not see 3 lines, from line 201 on",
		strings.Repeat("x\n", 201):                "do not see all of line 201",
		strings.Repeat("x", 25_001) + "\n":        "do not see all of line 1:",
		"\n" + strings.Repeat("x\n", 202):         "Agents do not see 2 lines, from line 202 on",
		"---\n---\n" + strings.Repeat("x\n", 202): "from line 203 on",
	} {
		findings := memorymd.Lint(memorymd.Read([]byte(index)), nil, among())
		if len(findings) == 0 || !strings.Contains(findings[0].Message, want) {
			t.Errorf("want %q, it says %.300v", want, findings)
		}
	}
}
