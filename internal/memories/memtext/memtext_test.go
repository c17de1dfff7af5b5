package memtext_test

import (
	"slices"
	"testing"

	"memoir/internal/memories/memtext"
)

func TestLines_Endings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\nb", []string{"a\n", "b"}},
		{"a\r\nb\rc\n", []string{"a\r\n", "b\r", "c\n"}},
		{"\n\n", []string{"\n", "\n"}},
	} {
		if got := memtext.Lines(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("Lines(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestLineEnding_Kinds(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"": "", "a": "", "a\n": "\n", "a\r\n": "\r\n", "a\r": "\r"} {
		if got := memtext.LineEnding(line); got != want {
			t.Errorf("LineEnding(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestEndOfLine_Offsets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text       string
		from, want int
	}{{"ab\ncd", 0, 2}, {"ab\ncd", 2, 2}, {"ab\ncd", 3, 5}, {"ab", 9, 2}} {
		if got := memtext.EndOfLine(tt.text, tt.from); got != tt.want {
			t.Errorf("EndOfLine(%q, %d) = %d, want %d", tt.text, tt.from, got, tt.want)
		}
	}
}

func TestSanitise_NULAndUTF8(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want   string
		nul, invalid bool
	}{
		{"plain", "plain", false, false},
		{"a\x00b", "a\uFFFDb", true, false},
		{"a\xffb", "a\uFFFDb", false, true},
	} {
		got, nul, invalid := memtext.Sanitise(tt.text)
		if got != tt.want || nul != tt.nul || invalid != tt.invalid {
			t.Errorf("Sanitise(%q) = %q, %v, %v", tt.text, got, nul, invalid)
		}
	}
}

func TestCanonicalBody_BlankLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		"\n \n    code\r\nb \n\n": "    code\nb",
		"a\x00b\r":                "ab",
	} {
		if got := memtext.CanonicalBody(text); got != want {
			t.Errorf("CanonicalBody(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOneLine_Breaks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" a  b ":         "a  b",
		"a \n\t b":       "a b",
		"a\u2028b":       "a b",
		"a\x07b":         "ab",
		"äöü\u00a0x\r\n": "äöü\u00a0x",
	} {
		if got := memtext.OneLine(text); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCutRunes_Characters(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "", 1: "日", 3: "日本語", 9: "日本語"} {
		if got := memtext.CutRunes("日本語", n); got != want {
			t.Errorf("CutRunes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestIsVisible_Characters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": false, " \t": false, "\u200b": false, "\u3164": false, "a": true, "\u200ba": true, "日": true} {
		if got := memtext.IsVisible(text); got != want {
			t.Errorf("IsVisible(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestCounted_Words(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 memories", 1: "1 memory", 12: "12 memories"} {
		if got := memtext.Counted(n, "memory", "memories"); got != want {
			t.Errorf("Counted(%d) = %q, want %q", n, got, want)
		}
	}
}
