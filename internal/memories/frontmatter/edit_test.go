package frontmatter_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

func TestEncode_NewFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		content memories.Content
		want    string
	}{
		{memories.Content{Name: "Plain name", Type: memories.User, Description: "A line.", Body: "# B\n\n text"},
			"---\nname: Plain name\ndescription: A line.\ntype: user\n---\n\n# B\n\n text\n"},
		{memories.Content{Name: "012", Type: memories.Feedback, Description: "use x: y", Body: "B"},
			"---\nname: \"012\"\ndescription: 'use x: y'\ntype: feedback\n---\n\nB\n"},
		{memories.Content{Name: "true", Description: "two\nlines\r\n"},
			"---\nname: \"true\"\ndescription: \"two\\nlines\"\n---\n"},
	} {
		if got := string(frontmatter.Encode(tt.content)); got != tt.want {
			t.Errorf("%+v is written as\n%s, not\n%s", tt.content, got, tt.want)
		}
	}
}

func TestRewrite_KeepsRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw string
		content   memories.Content
		want      string
	}{
		{
			"unknown keys, comments, odd spacing and quotes",
			"---\n# on top\nzeta:   [1,2]   # odd\nname: a # the name\ndescription: 'd'\n\n# about tags\ntags:\n- x\n-   y\ntype: user\nlast: {a: 1}\n---\n\nB\n\n\n",
			memories.Content{Name: "b", Type: memories.Project, Description: "d", Body: "B"},
			"---\n# on top\nzeta:   [1,2]   # odd\nname: b\ndescription: 'd'\n\n# about tags\ntags:\n- x\n-   y\ntype: project\nlast: {a: 1}\n---\n\nB\n\n\n",
		},
		{
			"a nested type, and the time of the change",
			"---\nname: a\nmetadata: \n  node_type: memory\n  type: user\n  originSessionId: x\n  modified: 2026-01-01T00:00:00.000Z\n---\n\nB\n",
			memories.Content{Name: "a", Type: memories.Reference, Body: "C"},
			"---\nname: a\nmetadata: \n  node_type: memory\n  type: reference\n  originSessionId: x\n  modified: 2026-03-05T12:30:00.420Z\n---\n\nC\n",
		},
		{
			"both places of a type",
			"---\nname: a\ntype: user\nmetadata:\n  type: project\n---\nB",
			memories.Content{Name: "a", Type: memories.Feedback, Body: "B"},
			"---\nname: a\ntype: feedback\nmetadata:\n  type: feedback\n---\nB",
		},
		{
			"byte order mark and CRLF",
			"\uFEFF---\r\nname: a\r\ntype: user\r\n---\r\n\r\nB\r\n",
			memories.Content{Name: "a", Type: memories.User, Description: "new", Body: "C\nD"},
			"\uFEFF---\r\nname: a\r\ndescription: new\r\ntype: user\r\n---\r\n\r\nC\r\nD\r\n",
		},
		{
			"block scalars around and in place of what changes",
			"---\nbefore: |\n  # no comment\n  x\nname: >-\n  a\n  b\n\nafter: |+\n  y\n\ntype: user\n---\nB",
			memories.Content{Name: "c", Type: memories.User, Body: "B"},
			"---\nbefore: |\n  # no comment\n  x\nname: c\n\nafter: |+\n  y\n\ntype: user\n---\nB",
		},
		{
			"a description that goes",
			"---\nname: a\ndescription: >\n  d\n  e\ntype: user\n---\nB",
			memories.Content{Name: "a", Type: memories.User, Body: "B"},
			"---\nname: a\ntype: user\n---\nB",
		},
		{
			"a frontmatter without the three keys",
			"---\nother: 1\n---\nB",
			memories.Content{Name: "a", Type: memories.User, Description: "d", Body: "B"},
			"---\nname: a\ndescription: d\nother: 1\ntype: user\n---\nB",
		},
		{
			"bytes of the body that are no text, when the body is not edited",
			"---\nname: a\ntype: user\n---\n\xff\x00B\r\n",
			memories.Content{Name: "b", Type: memories.User, Body: "\uFFFDB"},
			"---\nname: b\ntype: user\n---\n\xff\x00B\r\n",
		},
		{
			"a file without frontmatter",
			"# Title\r\ntext\r\n",
			memories.Content{Name: "a", Type: memories.User, Body: "# Title\ntext"},
			"---\r\nname: a\r\ntype: user\r\n---\r\n\r\n# Title\r\ntext\r\n",
		},
		{
			"a frontmatter that never closes",
			"---\nname: x\n",
			memories.Content{Name: "a", Type: memories.User, Body: "---\nname: x"},
			"---\nname: a\ntype: user\n---\n\n---\nname: x\n",
		},
		{
			"a frontmatter that YAML refuses",
			"---\nname: a\ndescription: use x: y\nnote: see z: w # q\ntags:\n- x\nmetadata:\n\ttype: user\n\tother: 1\nloose line\n---\nB",
			memories.Content{Name: "a", Type: memories.Feedback, Description: "use x: y", Body: "B"},
			"---\nname: a\ndescription: 'use x: y'\nnote: 'see z: w # q'\ntags:\n  - x\nmetadata:\n  type: feedback\n  other: \"1\\nloose line\"\n---\nB",
		},
		{
			"lines that are no entries",
			"---\n- item\nname: a\nname: b\n# comment\ntype: user\n---\nB",
			memories.Content{Name: "c", Type: memories.User, Body: "B"},
			"---\nname: c\n# comment\n\ntype: user\nunread: \"- item\\nname: a\"\n---\nB",
		},
		{
			"a mapping in braces",
			"---\n{name: a, type: user, x: [1, 2]}\n---\nB",
			memories.Content{Name: "b", Type: memories.User, Description: "d, e", Body: "B"},
			"---\n{name: b, description: 'd, e', type: user, x: [1, 2]}\n---\nB",
		},
		{
			"what refers to a value that changes",
			"---\nname: &n a\ntitle: *n\ntype: user\n---\nB",
			memories.Content{Name: "b", Type: memories.User, Body: "B"},
			"---\nname: b\ntitle: a\ntype: user\n---\nB",
		},
		{
			"an unknown type that gets a known one",
			"---\nname: a\ntype: banana # hm\n---\nB",
			memories.Content{Name: "a", Type: memories.User, Body: "B"},
			"---\nname: a\ntype: user # hm\n---\nB",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(frontmatter.Rewrite([]byte(tt.raw), tt.content, now)); got != tt.want {
				t.Errorf("it became\n%q, not\n%q", got, tt.want)
			}
		})
	}
}

func TestRewrite_SameContent(t *testing.T) {
	t.Parallel()
	for _, raw := range oddFiles {
		file := frontmatter.Parse([]byte(raw), "stem")
		out := frontmatter.Rewrite([]byte(raw), file.Content(), now)
		named := len(codesOf(file.Problems)) == 0
		if named && string(out) != raw {
			t.Errorf("%q became\n%q", raw, out)
		}
	}
}

func TestRewrite_Unreadable(t *testing.T) {
	t.Parallel()
	content := memories.Content{Name: "a", Type: memories.User, Body: "B"}
	for _, raw := range []string{strings.Repeat("x", memories.MaxFileSize+1), "---\nname: &a [*a]\n---\n"} {
		if got := frontmatter.Rewrite([]byte(raw), content, now); !bytes.Equal(got, frontmatter.Encode(content)) {
			t.Errorf("%.40q became %.400q", raw, got)
		}
		if out, changed := frontmatter.Touch([]byte(raw), now); changed || string(out) != raw {
			t.Errorf("%.40q was touched", raw)
		}
	}
}

func TestTouch_OnlyTime(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"---\nname: a\nmetadata: \n  type: user\n  modified: 2026-01-01T00:00:00.000Z # seen\n  x:   1\n---\n\nB\n": "---\nname: a\nmetadata: \n  type: user\n  modified: 2026-03-05T12:30:00.420Z # seen\n  x:   1\n---\n\nB\n",
		"---\r\nname: a\r\nmetadata:\r\n  modified: '2026-01-01'\r\n---\r\nB\r\n":                                   "---\r\nname: a\r\nmetadata:\r\n  modified: 2026-03-05T12:30:00.420Z\r\n---\r\nB\r\n",
		"---\nname: a\ndescription: x: y\nmetadata:\n  modified: 2026-01-01\n---\nB":                                "---\nname: a\ndescription: x: y\nmetadata:\n  modified: 2026-03-05T12:30:00.420Z\n---\nB",
		"---\nname: a\nmodified: 2026-01-01\n---\nB":                                                                "---\nname: a\nmodified: 2026-03-05T12:30:00.420Z\n---\nB",
		"---\nname: a\nupdated: 1785330994 # s\nx:  1\n---\nB":                                                      "---\nname: a\nupdated: 2026-03-05T12:30:00.420Z # s\nx:  1\n---\nB",
		"---\nname: a\nmetadata:\n  type: user\n---\nB":                                                             "---\nname: a\nmetadata:\n  type: user\n---\nB",
		"no frontmatter": "no frontmatter",
		"---\nname: a\nmetadata:\n  modified: 2026-03-05T12:30:00.420Z\n---\nB": "---\nname: a\nmetadata:\n  modified: 2026-03-05T12:30:00.420Z\n---\nB",
	} {
		got, changed := frontmatter.Touch([]byte(raw), now)
		if string(got) != want || changed != (raw != want) {
			t.Errorf("%q became\n%q, not\n%q (changed: %v)", raw, got, want, changed)
		}
	}
}

func TestEncode_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawContent(t)
		raw := frontmatter.Encode(want)
		got := frontmatter.Parse(raw, "stem")
		if got.Content() != want {
			t.Fatalf("written as\n%q\nit reads\n%+v, not\n%+v", raw, got.Content(), want)
		}
		var frontmatter map[string]string
		between := strings.SplitN(strings.TrimPrefix(string(raw), "---\n"), "\n---\n", 2)[0]
		if err := yaml.Unmarshal([]byte(between), &frontmatter); err != nil {
			t.Fatalf("others cannot read the frontmatter: %v", err)
		}
		if frontmatter["name"] != want.Name || frontmatter["description"] != want.Description {
			t.Fatalf("others read %q", frontmatter)
		}
	})
}

func TestRewrite_UnknownKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.Permutation([]string{"name", "description", "type", "metadata", "zeta", "tags", "Über"}).Draw(t, "keys")
		keys = keys[:rapid.IntRange(0, len(keys)).Draw(t, "how many")]
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		raw := "---" + eol
		for _, key := range keys {
			raw += rapid.SampledFrom(entriesOf[key]).Draw(t, key)
		}
		raw = strings.ReplaceAll(raw+"---\n\nBody\n", "\n", eol)
		raw = strings.ReplaceAll(raw, "\r\r", "\r")

		want := drawContent(t)
		out := frontmatter.Rewrite([]byte(raw), want, now)
		if got := frontmatter.Parse(out, "stem"); got.Content() != want {
			t.Fatalf("%q became\n%q\nwhich reads\n%+v, not\n%+v", raw, out, got.Content(), want)
		}
		before, after := unknown(t, raw), unknown(t, string(out))
		if before != after {
			t.Fatalf("%q became\n%q\nunknown keys were %s and are %s", raw, out, before, after)
		}
		goes := want.Type == "" || want.Description == ""
		if !goes && strings.Count(string(out), "# note") != strings.Count(raw, "# note") {
			t.Fatalf("%q became\n%q\nwhich lost a comment", raw, out)
		}
	})
}

// entriesOf are spellings of the lines of each key.
var entriesOf = map[string][]string{
	"name":        {"name: a\n", "name: &n a # old\n", "'name': >-\n  a\n  b\n", "name: [x]\n", "name:\n"},
	"description": {"description: d\n", "description: |\n  # d\n\n  e\n", "# note\ndescription: \"d\"\n", "description: {a: 1}\n"},
	"type":        {"type: user\n", "type: banana\n", "type:\n  'User'\n", "\"type\": project # note\n"},
	"metadata": {"metadata: \n  node_type: memory\n  type: user\n  modified: 2026-01-01\n", "metadata: {type: user, a: 1}\n",
		"metadata: text\n", "metadata:\n    # note\n    type: user\n", "metadata:\n  x: |\n    # y\n\n    z\n  modified: 1\n"},
	"zeta": {"zeta: 012\n", "zeta: '2026-01-01'\n", "# note\nzeta: {a: [b, {c: d}]}\n\n"},
	"tags": {"tags:\n- x\n- y # note\n", "tags:\n    - x\n\n    - |\n      # t\n", "tags: &t [x]\n"},
	"Über": {"Über: é\n", "Über: \"\\u0007\"\n", "Über: >+\n  a\n\n\n"},
}

// unknown returns the keys of a file that Memoir does not know, in order, with their values.
func unknown(t *rapid.T, raw string) string {
	_, frontmatter, _ := strings.Cut(strings.ReplaceAll(raw, "\r\n", "\n"), "---\n")
	frontmatter, _, _ = strings.Cut("\n"+frontmatter, "\n---\n")
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(frontmatter+"\n"), &root); err != nil {
		t.Fatalf("%q is no YAML: %v", frontmatter, err)
	}
	if root.Kind == 0 {
		return ""
	}
	var list strings.Builder
	var write func(n *yaml.Node, known ...string)
	write = func(n *yaml.Node, known ...string) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			if strings.Contains(" "+strings.Join(known, " ")+" ", " "+key+" ") {
				continue
			}
			if key == "metadata" && value.Kind == yaml.MappingNode {
				write(value, "type", "modified")
				continue
			}
			var decoded any
			if err := value.Decode(&decoded); err != nil {
				t.Fatalf("decoding %s: %v", key, err)
			}
			fmt.Fprintf(&list, "%s=%#v;", key, decoded)
		}
	}
	write(root.Content[0], "name", "description", "type")
	return list.String()
}

// drawContent draws a canonical content with a name.
func drawContent(t *rapid.T) memories.Content {
	text := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "012", "true", "null", "~", "a: b", "- a", "# a", "'", "\"", "|", "---", "...", "*a", "&a", "!!str a",
			"%x", "@x", "`x`", "{", "[", "2026-01-01", "1e3", "0x1", "<<", "=", "a\nb", "  a", "\ta", "a\u2028b", "a\u0085b", "\uFEFFa", "\u00a0", "a #b", "a:", ":a", "\U0001F600", "\x7f", "\uFFFE"}),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(markup), 0, 12),
			func(s []string) string { return strings.Join(s, "") }),
	)
	content := memories.Content{
		Name:        text.Draw(t, "name"),
		Type:        rapid.SampledFrom(append(memories.Types(), "")).Draw(t, "type"),
		Description: text.Draw(t, "description"),
		Body:        text.Draw(t, "body"),
	}.Canonical()
	if !mayBeName(content.Name) {
		content.Name = "unnamed"
	}
	return content
}

// mayBeName reports whether a canonical name survives saving and parsing.
func mayBeName(name string) bool {
	return memories.Content{Name: name, Type: memories.User}.Check() == nil
}

func TestFileName_TypeAndName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind       memories.Type
		name, want string
	}{
		{memories.User, "Role & Stack", "user_role_stack.md"},
		{memories.Feedback, "  --Über--  ", "feedback_ber.md"},
		{memories.Project, strings.Repeat("long name ", 9), "project_long_name_long_name_long_name_long_name.md"},
		{memories.Project, strings.Repeat("x", 39) + "-y", "project_" + strings.Repeat("x", 39) + ".md"},
		{memories.Reference, "日本語", "reference_77710aed.md"},
		{"", "Just a note", "just_a_note.md"},
		{"", "Memory", "memory_c3963aed.md"},
	} {
		if got := memories.FileName(tt.kind, tt.name); got != tt.want {
			t.Errorf("%q is kept in %s, not %s", tt.name, got, tt.want)
		}
	}
	if memories.Slug("日本語") == memories.Slug("日本") {
		t.Errorf("two names have one slug")
	}
	if got := memories.NumberedFileName("a.b.md", 2); got != "a.b_2.md" {
		t.Errorf("the second a.b.md is %s", got)
	}
	if got := memories.NumberedFileName("a.md", 1); got != "a.md" {
		t.Errorf("the first a.md is %s", got)
	}
}

func TestAgeOf_WholeDays(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, tt := range []struct {
		since time.Duration
		want  string
		stale bool
	}{
		{-day, "today", false}, {0, "today", false}, {day - 1, "today", false},
		{day, "yesterday", false}, {2*day - 1, "yesterday", false},
		{2 * day, "2 days ago", true}, {40*day + time.Hour, "40 days ago", true},
	} {
		age := memories.AgeOf(now.Add(-tt.since), now)
		if age.String() != tt.want || age.Stale != tt.stale || (age.Warning() != "") != tt.stale {
			t.Errorf("%v ago is %q, stale %v, warning %q", tt.since, age, age.Stale, age.Warning())
		}
	}
	want := "This memory is 47 days old. Memories are point-in-time observations, not live state — claims about code behavior or file:line citations may be outdated. Verify against current code before asserting as fact."
	if got := memories.AgeOf(now.Add(-47*day), now).Warning(); got != want {
		t.Errorf("the warning is\n%s", got)
	}
}

func TestWithMetadata_KeepsRest(t *testing.T) {
	t.Parallel()
	entries := map[string]string{"originSessionId": "s-1", "source": "extraction"}
	for _, c := range []struct{ what, before, after string }{
		{"none yet", "---\nname: A\ntype: user\n---\n\nBody.\n", "---\nname: A\ntype: user\nmetadata:\n  originSessionId: s-1\n  source: extraction\n---\n\nBody.\n"},
		{"beside others", "---\nname: A # mine\nmetadata: \n    type: user\n    originSessionId: old\nzeta: [1, 2]\n---\nBody.\n", "---\nname: A # mine\nmetadata: \n    type: user\n    originSessionId: s-1\n    source: extraction\nzeta: [1, 2]\n---\nBody.\n"},
		{"with CRLF", "---\r\nname: A\r\nmetadata:\r\n  node_type: memory\r\n---\r\n\r\nBody.\r\n", "---\r\nname: A\r\nmetadata:\r\n  node_type: memory\r\n  originSessionId: s-1\r\n  source: extraction\r\n---\r\n\r\nBody.\r\n"},
		{"in braces", "---\nname: A\nmetadata: {type: user}\n---\nBody.\n", "---\nname: A\nmetadata: {type: user, originSessionId: s-1, source: extraction}\n---\nBody.\n"},
		{"something else", "---\nname: A\nmetadata: mine\n---\nBody.\n", "---\nname: A\nmetadata: mine\n---\nBody.\n"},
		{"no frontmatter", "Body.\n", "Body.\n"},
	} {
		if got := string(frontmatter.WithMetadata([]byte(c.before), entries)); got != c.after {
			t.Errorf("%s:\n%q, want\n%q", c.what, got, c.after)
		}
	}
}

// markup is text with a meaning in Markdown or YAML.
var markup = []string{
	"\n", "\n\n", " ", "    ", "\t", "#", "# ", "---", "- ", "* ", "1. ", "> ", "`", "```", "~~~", "<!--", "-->", "<div>", "[x]: ", "[x]",
	"\\", "|", "\r", "'", "\"", "\u00a0", "\f", "é", "文", "\x00", "\x1b", "a", "b c", ":", ": ", " #", "\u2028", "\u0085", "\x01",
}
