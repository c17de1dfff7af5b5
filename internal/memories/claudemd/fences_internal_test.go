package claudemd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/memories/mdcode"
	"memoir/internal/memories/memtext"
)

// checkMarkers compares the markers of a line scan with the markers of a Markdown parser.
func checkMarkers(t interface{ Fatalf(string, ...any) }, text string) {
	quick, sure := mdcode.Fenced(text)
	if !sure {
		return
	}
	parsed := mdcode.Blocks(text)
	for from := 0; from < len(text); from = memtext.EndOfLine(text, from) + 1 {
		line := strings.TrimPrefix(text[from:], memtext.ByteOrderMark)
		if strings.HasPrefix(line, "<!--") && quick.Holds(from) != parsed.Holds(from) {
			t.Fatalf("the line at %d of\n%s\n(%q) is code: %v, and a parser says %v", from, text, text, quick.Holds(from), parsed.Holds(from))
		}
	}
}

// fenceLines are lines that open or close code or HTML.
var fenceLines = []string{
	beginMarker, endMarker, "<!-- x -->", "<!-- x", "x -->", "", " ", "\t", "text", "    indented", "\tindented", "> quote", "> ```", ">```", "- item", "-", "  more",
	"- ```", "1. ```go", "1. one", "   ```", "   ```go", "```", "```go", "````", "```` ", "```\t", "``` a`b", "~~~", "~~~~", "~~~ ~", " ```", "  ```", "  ````",
	"  ```go", "    ```", "     ```", "\t```", " \t```", "  text", "   text", "text ``` text", "<div>", "</div>", "<pre>", "</pre>", "<PRE", "<?php", "?>", "<!DOCTYPE", "<a b>",
	"<script>", "</script>", "  <div>", "   <!-- x", "    <!-- x", "- <pre>", "- <!-- x", "[a]: b", "'title", "# heading", "===", "---", "* * *", "\f```", "\v", "```\f",
	"```\r", "\r", "```go\r", "text\r", "\u00a0```", "\ufeff```", "+ ~~~", "2) ```", "- - ```", "> - ```", "  - nested", "    ```go", "    text", "`", "``", "``` x ```",
	"|a|b|", "|-|-|", "  ~~~", "<", "< x", "<!", "<!-->", "<!--->", "  -->", "\x00```",
}

func TestMarkers_SameAsParser(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // a draw is fast
			lines := rapid.SliceOfN(rapid.SampledFrom(fenceLines), 1, 14).Draw(t, "lines")
			checkMarkers(t, strings.Join(lines, "\n")+"\n"+beginMarker+"\n")
		}
	})
}

// Memoir's own output must not need a parser, except with very unusual memories.
func TestMarkers_NoParserNeeded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"empty", "every-type", "over-limit", "all-listed", "names"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".CLAUDE.md"))
		if err != nil {
			t.Fatal(err)
		}
		if _, sure := mdcode.Fenced(string(text)); !sure {
			t.Errorf("%s: a parser is needed", name)
		}
	}
	for _, body := range []string{"1. Run:\n   ```bash\n   make\n   ```\n2. Wait.", "<details>\ntext\n</details>\n\n```go\nx\n```", "<!--\nnote\n-->\n```\nx\n```", "use ```x``` here"} {
		block := ""
		text := func(next []Summary) (string, error) { return FullSection(next[0], body), nil }
		if err := CompileParts([]Summary{{ID: "1", Name: "n", Type: memories.User}}, Intro{}, 0, 0, text, func(p Part) { block += p.Text }); err != nil {
			t.Fatal(err)
		}
		if _, sure := mdcode.Fenced(block); !sure {
			t.Errorf("a parser is needed for %q in\n%s", body, block)
		}
	}
}

func FuzzFences(f *testing.F) {
	for i := range fenceLines {
		f.Add(strings.Join(fenceLines[i:min(i+5, len(fenceLines))], "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkMarkers(t, text)
		checkMarkers(t, text+"\n"+beginMarker+"\n")
	})
}
