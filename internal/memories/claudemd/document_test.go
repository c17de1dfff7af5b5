package claudemd_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

const begin, end = "<!-- memoir:begin -->", "<!-- memoir:end -->"

func TestDocument_With(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, want string }{
		{"an empty file", "", "NEW\n"},
		{"a file without markers", "# Mine\n", "# Mine\n\nNEW\n"},
		{"a file without a last line end", "# Mine", "# Mine\n\nNEW\n"},
		{"a file that ends with a blank line", "# Mine\n\n", "# Mine\n\nNEW\n"},
		{"a CRLF file", "# Mine\r\n", "# Mine\r\n\nNEW\n"},
		{"a block in the middle", "a\n\n" + begin + "\nold\n" + end + "\nb", "a\n\nNEW\nb"},
		{"a block between CRLF lines", "a\r\n" + begin + "\r\nold\r\n" + end + "\r\nb\r\n", "a\r\nNEW\r\nb\r\n"},
		{"a block at the very end", "a\n" + begin + "\n" + end, "a\nNEW"},
		{"a block behind a byte order mark", "\uFEFF" + begin + "\n" + end + "\n", "\uFEFFNEW\n"},
		{"white space behind the markers", begin + " \n" + end + "\t\n", "NEW\t\n"},
		{"markers within a line", "see " + begin + " and " + end + "\n", "see " + begin + " and " + end + "\n\nNEW\n"},
		{"markers in a code fence", "```\n" + begin + "\n" + end + "\n```\n", "```\n" + begin + "\n" + end + "\n```\n\nNEW\n"},
		{"markers in a CRLF code fence", "```\r\n" + begin + "\r\n" + end + "\r\n```\r\n", "```\r\n" + begin + "\r\n" + end + "\r\n```\r\n\nNEW\n"},
		{"markers in indented code", "    " + begin + "\n    " + end + "\n", "    " + begin + "\n    " + end + "\n\nNEW\n"},
		{"a pair in code and a pair outside", "~~~\n" + begin + "\n~~~\n" + begin + "\nold\n" + end + "\n", "~~~\n" + begin + "\n~~~\nNEW\n"},
		{"bytes that are not UTF-8", "\xff\x00\n", "\xff\x00\n\nNEW\n"},
		{"an open comment above", "<!-- mine\n", "<!-- mine\n\nNEW\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := document(t, tt.raw)
			if got := string(d.With([]byte("NEW"))); got != tt.want {
				t.Errorf("it became\n%q, not\n%q", got, tt.want)
			}
			if got := utf8.RuneCountInString(tt.want) - len("NEW"); d.Outside() != got {
				t.Errorf("outside the block are %d characters, not %d", d.Outside(), got)
			}
			block := begin + "\nmemories\n" + end
			once := d.With([]byte(block))
			again := document(t, string(once))
			if string(again.Block()) != block || string(again.With([]byte(block))) != string(once) || again.Outside() != d.Outside() {
				t.Errorf("a second time it became\n%q, not\n%q", again.With([]byte(block)), once)
			}
		})
	}
}

func TestReadDocument_DamagedMarkers(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"no end":                    begin + "\nx\n",
		"no beginning":              "x\n" + end + "\n",
		"the wrong order":           end + "\n" + begin + "\n",
		"two beginnings":            begin + "\n" + begin + "\n" + end + "\n",
		"two blocks":                begin + "\n" + end + "\n" + begin + "\n" + end + "\n",
		"an end that code swallows": begin + "\n```\n" + end + "\n",
	} {
		if _, err := claudemd.ReadDocument([]byte(raw)); !errors.Is(err, claudemd.ErrDamagedMarkers) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestReadDocument_UnclosedCode(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"# Mine\n\n```go\ncode\n", "```\n" + begin + "\n" + end + "\n"} {
		if _, err := claudemd.ReadDocument([]byte(raw)); !errors.Is(err, claudemd.ErrUnclosedCode) {
			t.Errorf("%q: the error is %v", raw, err)
		}
	}
}

func TestDocument_WithoutBlock(t *testing.T) {
	t.Parallel()
	if block := document(t, "# Mine\n").Block(); block != nil {
		t.Errorf("the block is %q", block)
	}
}

func TestDocument_WithTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(append(fragments, begin+"\n", end+"\n", "\n"+begin+"\n", "\n```\n", "\r\n")), 0, 12).Draw(t, "file")
		raw := strings.Join(parts, "")
		d, err := claudemd.ReadDocument([]byte(raw))
		if err != nil {
			return
		}
		block, _ := memoirtest.Compile([]memoirtest.Section{{ID: "1", Name: "n", Type: memories.User, Body: "```\nopen"}}, 0, d.Outside())
		once := d.With(block)
		again, err := claudemd.ReadDocument(once)
		if err != nil || string(again.Block()) != string(block) || string(again.With(block)) != string(once) {
			t.Fatalf("%q became\n%q\nthen %v", raw, once, err)
		}
		if again.Outside()+utf8.RuneCount(block) != utf8.RuneCount(once) {
			t.Fatalf("%d and %d characters make %d", again.Outside(), utf8.RuneCount(block), utf8.RuneCount(once))
		}
	})
}

func TestDocument_WithoutKeepsOwnBytes(t *testing.T) {
	t.Parallel()
	block, _ := memoirtest.Compile(nil, 0, 0)
	for _, own := range []string{"", "# Mine\n", "# Mine\r\n\ntext\n", "a\n\n\n```\ncode\n```\n"} {
		written := document(t, own).With(block)
		if got := document(t, string(written)).Without(); string(got) != own {
			t.Errorf("Without() = %q, want %q", got, own)
		}
	}
	for with, want := range map[string]string{
		"a\n\n{}\n\nb": "a\n\n\nb", "{}": "", "{}\r\nb": "b", "a\r\n{}\r\n": "a\r\n", "no block": "no block",
	} {
		raw := strings.Replace(with, "{}", string(block), 1)
		if got := document(t, raw).Without(); string(got) != want {
			t.Errorf("Without() of %q = %q, want %q", with, got, want)
		}
	}
}
