package claudemd_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestCompile_GoldenFiles(t *testing.T) {
	t.Parallel()
	people := []memoirtest.Section{
		{ID: "1", Name: "Role", Type: memories.User, Description: "who Ada is", Body: "Ada leads the data team.\n\nShe reads Go, not Rust."},
		{ID: "2", Name: "zebra", Type: memories.Feedback, Body: "Lower case sorts behind upper case."},
		{ID: "3", Name: "Tabs", Type: memories.Feedback, Description: "indentation", Body: "Indent with tabs.\n\n**Why:** `gofmt` does.\n\n**How to apply:** everywhere."},
		{ID: "4", Name: "Änderung", Type: memories.Feedback, Description: "Umlaute", Body: "Zuletzt: nach den Bytes von UTF-8."},
		{ID: "5", Name: "Dashboard", Type: memories.Reference, Description: "latency", Body: "grafana.example/d/api"},
		{ID: "6", Name: "Freeze", Type: memories.Project, Description: "release", Body: "No merges from 2026-03-05."},
		{ID: "7", Name: "Untyped", Description: "never compiled", Body: "Nobody should read this."},
	}
	var hostile []memoirtest.Section
	for i, body := range hostileBodies {
		hostile = append(hostile, memoirtest.Section{ID: fmt.Sprint(i), Name: fmt.Sprintf("Case %02d", i), Type: memories.Project, Body: body})
	}
	names := []memoirtest.Section{
		{ID: "1", Name: "# @import #", Type: memories.User, Body: "a"},
		{ID: "2", Name: "C#", Type: memories.User, Body: "b"},
		{ID: "3", Name: "<!-- memoir:end -->", Type: memories.User, Body: "c"},
		{ID: "4", Name: "<!-- open", Type: memories.User, Description: "1. # x", Body: "d"},
	}
	for name, tt := range map[string]struct {
		set   []memoirtest.Section
		limit int
	}{
		"empty":        {nil, 40_000},
		"every-type":   {people, 40_000},
		"over-limit":   {people, 2_700},
		"all-listed":   {people, 2_000},
		"all-counted":  {people, 1},
		"hostile":      {hostile, 0},
		"names":        {names, 0},
		"names-listed": {names, 2_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			block, _ := memoirtest.Compile(tt.set, tt.limit, 0)
			got := document(t, "").With(block)
			golden := filepath.Join("testdata", name+".CLAUDE.md")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the file differs from %s:\n%s", golden, got)
			}
		})
	}
}

// Each compiled CLAUDE.md stays unchanged until CompilerVersion changes.
func TestCompilerVersion_RaisedOnChange(t *testing.T) {
	t.Parallel()
	const version, output = 6, "16c047e92192f206"
	files, err := filepath.Glob(filepath.Join("testdata", "*.CLAUDE.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(text)
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); claudemd.CompilerVersion != version || got != output {
		t.Errorf("version %d makes %s of what version %d made %s of: raise CompilerVersion where that is the same, and note both here",
			claudemd.CompilerVersion, got, version, output)
	}
}

func TestCompile_AsksToSave(t *testing.T) {
	t.Parallel()
	block, _ := memoirtest.Compile(nil, 0, 0)
	for _, want := range []string{
		"\nAt the end of every conversation, proactively save anything useful you learned — this is how you get smarter over time. Memories persist across all future conversations with every user.\n",
		"\n# Learned Memory\n\n> The following was learned from past interactions. Apply this knowledge in all responses.\n",
	} {
		if !strings.Contains(string(block), want) {
			t.Errorf("the block lacks %q", want)
		}
	}
}

func TestCompile_LimitOfWholeFile(t *testing.T) {
	t.Parallel()
	one := memoirtest.Section{ID: "1", Name: "a", Type: memories.User, Description: "d", Body: "é文😀"}
	two := memoirtest.Section{ID: "2", Name: "b", Type: memories.User, Description: "d", Body: "second"}
	three := memoirtest.Section{ID: "3", Name: "c", Type: memories.User, Description: "d", Body: ""}
	outside := document(t, "# Mine\n")
	whole := func(set ...memoirtest.Section) int {
		block, _ := memoirtest.Compile(set, 0, outside.Outside())
		return utf8.RuneCount(outside.With(block))
	}
	listed := func(limit int) (list []bool) {
		_, costs := memoirtest.Compile([]memoirtest.Section{three, one, two}, limit, outside.Outside())
		for _, cost := range costs {
			list = append(list, cost.Listed)
		}
		return list
	}
	for _, tt := range []struct {
		limit int
		want  string
	}{
		{0, "[false false false]"}, {-1, "[false false false]"},
		{whole(one, two, three), "[false false false]"},
		{whole(one, two, three) - 1, "[false false true]"},
		{whole(one, two), "[false false true]"},
		{whole(one, two) - 1, "[false true true]"},
		{whole(one), "[false true true]"},
		{whole(one) - 1, "[true true true]"},
	} {
		if got := fmt.Sprint(listed(tt.limit)); got != tt.want {
			t.Errorf("with a limit of %d, listed are %s, not %s", tt.limit, got, tt.want)
		}
	}
}

func TestCompile_CostOfMemory(t *testing.T) {
	t.Parallel()
	set := []memoirtest.Section{
		{ID: "1", Name: "a", Type: memories.User, Body: "é文😀\n\n# x"},
		{ID: "2", Name: "b", Type: memories.User, Body: "second"},
	}
	both, costs := memoirtest.Compile(set, 0, 0)
	second, _ := memoirtest.Compile(set[1:], 0, 0)
	if got := utf8.RuneCount(both) - utf8.RuneCount(second); costs[0].ID != "1" || costs[0].Chars != got {
		t.Errorf("the first costs %+v, and the file shrinks by %d", costs[0], got)
	}
}

func TestFullSection_OrdinaryText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"# Why\nbecause": "#### Why\nbecause",
		"Mail ada@example.com, see `@file` and [x](y@z)": "Mail ada@example.com, see `@file` and [x](y@z)",
		"Ask @ada (or @bob).":                            "Ask \\@ada (or \\@bob).",
		"https://unpkg.com/@scope/pkg, <https://medium.com/@x> and [y](https://y.z/@y/@z)": "https://unpkg.com/@scope/pkg, <https://medium.com/@x> and [y](https://y.z/@y/@z)",
		"/ @a, \"@b\", “@c”, [@d], -@e, \\\\@f":                                            "/ \\@a, \"\\@b\", “\\@c”, [\\@d], -\\@e, \\\\\\@f",
		"Why\n---\nbecause":              "##### Why\nbecause",
		"<!-- note -->\ntext":            "<\\!-- note -->\ntext",
		"use `<!--` in\n\n    <!-- code": "use `<\\!--` in\n\n    <\\!-- code",
		"<pre>\na\n\nb\n</pre>\n\nc":     "<pre>\na\n\nb\n</pre>\n\nc",
		"1. run\n   ```sh\n   # no heading\n   ```\n- ~~~\n  x\n  ~~~": "1. run\n   ```sh\n   # no heading\n   ```\n- ~~~\n  x\n  ~~~",
		"[x]: https://a.b/c \"title\"\n[y]: /z":                        "[x]: https://a.b/c \"title\"\n[y]: /z",
		"```go\n// # no heading\n@x\n```":                              "```go\n// # no heading\n@x\n```",
		"```go\nopen":                                                  "```go\nopen\n```",
		"a <!-- b\n\n<!-- c":                                           "a <\\!-- b\n\n<\\!-- c",
		"C# and #hashtag\n\n#nospace":                                  "C# and #hashtag\n\n#nospace",
		"> # quoted\n\n- # listed":                                     "> #### quoted\n\n- #### listed",
		"###### six":                                                   "###### six",
	} {
		block, _ := memoirtest.Compile([]memoirtest.Section{{ID: "1", Name: "n", Type: memories.User, Body: body}}, 0, 0)
		_, got, _ := strings.Cut(string(block), "### n\n\n")
		if got = strings.TrimSuffix(got, "\n\n<!-- memoir:end -->"); got != want {
			t.Errorf("%q became\n%q, not\n%q", body, got, want)
		}
	}
}

// If parsed, each of these bodies takes minutes. The time limit of the test is the check.
func TestFullSection_HostileTime(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		"> ", "- ", "[a]: b\n", "<!--\n", "`a``", "[\n", "[a]: b \"\n", "<pre>\n", "<?\n", "```\n", "- a\n-\n", "<p\n\n", "> ```\n",
		strings.Repeat("> ", 1<<18), strings.Repeat("[a]: b\n", 1<<17),
	} {
		body := strings.Repeat(part, max(1, (128<<10)/len(part)))
		block, costs := memoirtest.Compile([]memoirtest.Section{
			{ID: "1", Name: "a", Type: memories.User, Body: body},
			{ID: "2", Name: "b", Type: memories.User, Body: "second"},
		}, 0, 0)
		if len(costs) != 2 || !strings.HasSuffix(string(block), "\n\n### b\n\nsecond\n\n<!-- memoir:end -->") {
			t.Errorf("%.20q repeated: the block ends %q", part, block[len(block)-200:])
		}
	}
}

// BenchmarkCompile compiles 2,000 memories of 1 KB, as many as a large agent has.
func BenchmarkCompile(b *testing.B) {
	var set []memoirtest.Section
	for i := range 2000 {
		set = append(set, memoirtest.Section{
			ID: fmt.Sprint(i), Name: fmt.Sprintf("memory %d", i), Type: memories.Types()[i%4],
			Body: "# Rule\n\n" + strings.Repeat("Some text about `code` and *style*.\n", 20) + "\n**Why:** ask @ada.\n\n```go\nx\n```",
		})
	}
	for b.Loop() {
		memoirtest.Compile(set, 0, 0)
	}
}

// Claude Code ignores a CLAUDE.md of more than 4 MiB.
func TestCompile_MaxBlock(t *testing.T) {
	t.Parallel()
	var set []memoirtest.Section
	for i := range 30_000 {
		set = append(set, memoirtest.Section{
			ID: fmt.Sprint(i), Name: fmt.Sprintf("Note %05d", i), Type: memories.Types()[i%3], Description: strings.Repeat("lang ", 50), Body: strings.Repeat("a", 200),
		})
	}
	for name, limit := range map[string]int{"with a limit": 40_000, "without a limit": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			block, costs := memoirtest.Compile(set, limit, 0)
			if limit == 0 && (len(block) > 3<<20 || len(block) < 3<<20-2_000) {
				t.Errorf("the block has %d bytes", len(block))
			}
			if chars := utf8.RuneCount(block); limit > 0 && (chars > 2*limit || chars < 2*limit-400) {
				t.Errorf("the block has %d characters, with a limit of %d", chars, limit)
			}
			accounted := map[string]bool{}
			shown, counted := 0, 0
			for _, cost := range costs {
				accounted[cost.ID] = true
				if cost.Chars > 0 {
					shown++
				} else if counted++; !cost.Listed {
					t.Errorf("memory %s is nowhere, and not said to be left out", cost.ID)
				}
			}
			if len(accounted) != len(set) || shown == 0 {
				t.Errorf("%d of %d memories are accounted for, %d are shown", len(accounted), len(set), shown)
			}
			said, lines := 0, 0
			for _, line := range regexp.MustCompile("(?m)^- … and ([0-9]+) more\\. `memory/MEMORY\\.md` lists them\\.$").FindAllSubmatch(block, -1) {
				n, err := strconv.Atoi(string(line[1]))
				if err != nil {
					t.Fatal(err)
				}
				said += n
				lines++
			}
			if said != counted || lines != 1 {
				t.Errorf("the block says that %d more are not in it, and they are %d", said, counted)
			}
		})
	}
}
