package diff_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"memoir/internal/diff"
)

// drawn writes a diff with a sign before each line, changed words in brackets and omissions in
// braces.
func drawn(d diff.Diff) string {
	var out strings.Builder
	for _, hunk := range d.Hunks {
		fmt.Fprintf(&out, "@%d\n", hunk.Above)
		for _, line := range hunk.Lines {
			out.WriteString([]string{diff.Same: " ", diff.Removed: "-", diff.Added: "+"}[line.Kind])
			for _, p := range line.Pieces {
				text := p.Text
				if p.LeftOut > 0 {
					text = fmt.Sprintf("{%d}", p.LeftOut)
				}
				if p.Changed {
					text = "[" + text + "]"
				}
				out.WriteString(text)
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

func TestTexts_ChangedWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":                           {"a\nb\n", "a\nb\n", ""},
		"nothing but the last line end":     {"a\nb", "a\nb\n", ""},
		"two empty texts":                   {"", "", ""},
		"all is new":                        {"", "One.\n\nTwo.\n", "@0\n+One.\n+\n+Two.\n"},
		"all is gone":                       {"One.\nTwo.\n", "", "@0\n-One.\n-Two.\n"},
		"a word":                            {"Use tabs in Go.", "Use spaces in Go.", "@0\n-Use [tabs] in Go.\n+Use [spaces] in Go.\n"},
		"a phrase is one mark":              {"Ask Mira about it first.", "Ask the new colleagues about it first.", "@0\n-Ask [Mira] about it first.\n+Ask [the new colleagues] about it first.\n"},
		"words at the end":                  {"Use tabs.", "Use tabs, never spaces.", "@0\n-Use tabs.\n+Use tabs[, never spaces].\n"},
		"a line has become two":             {"Ask first, then act.", "Ask first,\nthen act.", "@0\n-Ask first,[ ]then act.\n+Ask first,\n+then act.\n"},
		"another line altogether":           {"Use tabs.", "Mira likes tea.", "@0\n-Use tabs.\n+Mira likes tea.\n"},
		"words without spaces between them": {"東京は晴れです", "東京は雨です", "@0\n-東京は[晴れ]です\n+東京は[雨]です\n"},
		"letters keep their marks":          {"cafe\u0301 noir", "cafe\u0301 blanc", "@0\n-cafe\u0301 [noir]\n+cafe\u0301 [blanc]\n"},
		"joined signs stay one":             {"Ask the 👩‍💻 here", "Ask the 👩‍🔬 here", "@0\n-Ask the [👩‍💻] here\n+Ask the [👩‍🔬] here\n"},
		"right to left":                     {"שלום עולם טוב", "שלום חבר טוב", "@0\n-שלום [עולם] טוב\n+שלום [חבר] טוב\n"},
		"three lines around it":             {"1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9", "@1\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		"near changes are one hunk":         {"1\n2\n3\n4\n5\n6\n7\n8", "one\n2\n3\n4\n5\n6\n7\neight", "@0\n-1\n+one\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n"},
		"far changes are two":               {"1\n2\n3\n4\n5\n6\n7\n8\n9", "one\n2\n3\n4\n5\n6\n7\n8\nnine", "@0\n-1\n+one\n 2\n 3\n 4\n@1\n 6\n 7\n 8\n-9\n+nine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := drawn(diff.Texts(c.before, c.after, 100)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTexts_Omitted(t *testing.T) {
	t.Parallel()
	before := strings.Repeat("before\n", 10_000) + "end\n"
	after := strings.Repeat("after\n", 5_000) + "end\n"
	d := diff.Texts(before, after, 100)
	if d.Removed != 10_000 || d.Added != 5_000 || d.LeftOut != 14_900 {
		t.Errorf("removed %d, added %d, left out %d", d.Removed, d.Added, d.LeftOut)
	}
	shown := drawn(d)
	if got, want := strings.Count(shown, "-before"), 50; got != want {
		t.Errorf("%d removed lines are shown, want %d", got, want)
	}
	if got, want := strings.Count(shown, "+after"), 50; got != want {
		t.Errorf("%d added lines are shown, want %d", got, want)
	}

	d = diff.Texts("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\n", 100)
	if d.Below != 5 || d.LeftOut != 0 {
		t.Errorf("%d lines follow, want 5; %d are left out, want none", d.Below, d.LeftOut)
	}
}

func TestTexts_LongLine(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("ünd so weiter ", 50_000)
	for name, c := range map[string]struct{ before, after, shows string }{
		"a word in its middle": {words + "tabs " + words, words + "spaces " + words, "[spaces]"},
		"its end":              {words, words + "spaces", "[spaces]"},
		"all of it":            {words, strings.Repeat("x", 1<<20), "{1048376}"},
		"a word in many":       {words, strings.ReplaceAll(words, "so", "sonst"), "{849800}"},
		"one huge word":        {strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20), "+" + strings.Repeat("y", 100) + "{"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := drawn(diff.Texts(c.before, c.after, 100))
			if !strings.Contains(shown, c.shows) {
				t.Errorf("%s is not in\n%s", c.shows, shown)
			}
			for line := range strings.Lines(shown) {
				if n := utf8.RuneCountInString(line); n > 1500 {
					t.Errorf("a line has %d characters", n)
				}
			}
		})
	}
}

// FuzzTexts checks that a diff shows only text of the inputs, in order, and that it loses nothing.
func FuzzTexts(f *testing.F) {
	f.Add("Use tabs.\nAlways.", "Use spaces.\nAlways.\n")
	f.Add("", "a\n\n\nb")
	f.Add("a\u0301\u200d", "\xff\n\x00")
	f.Fuzz(func(t *testing.T, before, after string) {
		d := diff.Texts(before, after, 1<<20)
		if d.LeftOut != 0 {
			t.Fatalf("%d lines are left out", d.LeftOut)
		}
		check(t, d, before, diff.Added)
		check(t, d, after, diff.Removed)
	})
}

// check rebuilds a text from a diff: its own lines, and the unchanged ones between the hunks.
func check(t *testing.T, d diff.Diff, text string, other diff.Kind) {
	t.Helper()
	if len(d.Hunks) == 0 {
		return
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if strings.TrimSuffix(text, "\n") == "" {
		lines = nil
	}
	at := 0
	for _, hunk := range d.Hunks {
		at += hunk.Above
		for _, line := range hunk.Lines {
			if line.Kind == other {
				continue
			}
			var whole strings.Builder
			cut := false
			for _, p := range line.Pieces {
				whole.WriteString(p.Text)
				cut = cut || p.LeftOut > 0
			}
			if at >= len(lines) || !cut && whole.String() != lines[at] {
				t.Fatalf("line %d is shown as %q of\n%q", at, whole.String(), text)
			}
			at++
		}
	}
	if at+d.Below != len(lines) {
		t.Fatalf("%d lines are accounted for, there are %d", at+d.Below, len(lines))
	}
}

func BenchmarkHostileTexts(b *testing.B) {
	words := strings.Repeat("and so on ", 100_000)
	var scattered, lines strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&lines, "line %d\n", i)
		fmt.Fprintf(&scattered, "line %d\n", i+i%7)
	}
	for name, texts := range map[string][2]string{
		"one line of 1 MB":     {words, strings.ReplaceAll(words, "so", "sonst")},
		"100,000 lines":        {lines.String(), scattered.String()},
		"nothing in common":    {strings.Repeat("a b\n", 1<<18), strings.Repeat("c d\n", 1<<18)},
		"a word of 1 MB":       {strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20)},
		"signs without spaces": {strings.Repeat("東京", 1<<17), strings.Repeat("京東", 1<<17)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				diff.Texts(texts[0], texts[1], 100)
			}
		})
	}
}
