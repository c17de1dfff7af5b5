package frontmatter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

func TestOddFrontmatter_IsReadAndMoved(t *testing.T) {
	t.Parallel()
	const plain = "---\nname: a\nzeta: 1 # z\ntype: user\n---\nB\n"
	for _, tt := range []struct{ name, raw, want string }{
		{"blank lines", "\n \n---\nname: a\nzeta: 1 # z\ntype: user\n---\nB\n", plain},
		{"blank lines with CRLF", "\r\n---\r\nname: a\r\ntype: user\r\n---\r\nB\r\n", "---\r\nname: a\r\ntype: user\r\n---\r\nB\r\n"},
		{"characters without width", "\uFEFF\u200B\n\uFEFF---\nname: a\nzeta: 1 # z\ntype: user\n---\nB\n", "\uFEFF" + plain},
		{"a comment", "<!-- by\nx -->\n\n---\nname: a\ntype: user\n---\nB\n", "---\n# <!-- by\n# x -->\nname: a\ntype: user\n---\nB\n"},
		{"a heading", "# A note\n\n---\nname: a\nzeta: 1\ntype: user\n---\nB\n", "---\nname: a\nzeta: 1\ntype: user\n---\n# A note\n\nB\n"},
		{"an indent", "  ---\n  name: a\n  type: user\n  ---\nB\n", "---\n  name: a\n  type: user\n---\nB\n"},
		{"a slip below blank lines", "\n---\nname: a\ndescription: use: it\nloose\ntype: user\n---\nB\n",
			"---\nname: a\ndescription: use: it\nloose\ntype: user\n---\nB\n"},

		{"a code fence around everything", "```markdown\n---\nname: a\nzeta: 1 # z\ntype: user\n---\nB\n```\n", plain},
		{"a code fence around another", "```md\n---\nname: a\ntype: user\n---\nB\n```sh\nx\n```\nC\n```\n", "---\nname: a\ntype: user\n---\nB\n```sh\nx\n```\nC\n"},
		{"a code fence around the frontmatter", "~~~yaml\n---\nname: a\nzeta: 1 # z\ntype: user\n---\n~~~\nB\n", plain},
		{"a code fence for the lines", "```yaml\nname: a\nzeta: 1 # z\ntype: user\n```\nB\n", plain},
		{"a code fence and text", "```\n---\nname: a\ntype: user\n---\nB\n```\nC\n", "---\nname: a\ntype: user\n---\nB\nC\n"},

		{"in a comment", "<!--\n---\nname: a\nzeta: 1 # z\ntype: user\n---\n-->\nB\n", plain},
		{"in a comment without lines", "<!--\nname: a\nzeta: 1 # z\ntype: user\n-->\nB\n", plain},

		{"long lines", "-----\nname: a\nzeta: 1 # z\ntype: user\n-----\nB\n", plain},
		{"dashes", "—\nname: a\nzeta: 1 # z\ntype: user\n—\nB\n", plain},
		{"a comment on the first line", "--- # x y\nname: a\ntype: user\n---\nB\n", "---\n# x y\nname: a\ntype: user\n---\nB\n"},
		{"a language on the first line", "---yaml\nname: a\nzeta: 1 # z\ntype: user\n---\nB\n", plain},
		{"dots", "---\nname: a\nzeta: 1 # z\ntype: user\n...\nB\n", plain},
		{"dots and a rule", "---\nname: a\ntype: user\n...\nB\n\n---\nC\n", "---\nname: a\ntype: user\n---\nB\n\n---\nC\n"},

		{"two blocks", "---\nzeta: 1 # z\n---\n\n---\nname: a\ntype: user\n---\nB\n", "---\nzeta: 1 # z\nname: a\ntype: user\n---\nB\n"},
		{"three blocks", "---\nzeta: 1\n---\n---\nname: a\n---\n---\ntype: user\n---\nB\n", "---\nzeta: 1\nname: a\ntype: user\n---\nB\n"},
		{"two blocks with one key", "---\nzeta: 1\nname: a\n---\n---\nName: b\ntype: user\nzeta: 1\n---\nB\n",
			"---\nzeta: 1\nname: a\ntype: user\nunread: 'name: b'\n---\nB\n"},
		{"two blocks with metadata", "---\nname: a\nmetadata:\n  x: 1\n---\n---\nmetadata:\n  type: user\n---\nB\n",
			"---\nname: a\nmetadata:\n  x: 1\n  type: user\n---\nB\n"},

		{"capital letters", "---\nName: a\nZeta: 1 # z\nTYPE: user\n---\nB\n", "---\nname: a\nZeta: 1 # z\ntype: user\n---\nB\n"},
		{"capital letters in metadata", "---\nName: a\nMetadata:\n  Type: user\n  X: 1\n---\nB\n", "---\nname: a\nmetadata:\n  type: user\n  X: 1\n---\nB\n"},
		{"emphasis", "---\n**name**: a\n**Type**: user\n---\nB\n", ""},
		{"other spaces", "---\nname: a\n\u00a0type: user\n---\nB\n", "---\nname: a\ntype: user\n---\nB\n"},

		{"TOML", "+++\nname = \"a\"\nzeta = [1, 2]\ntype = 'user'\n[metadata]\nx = 2026-01-02\n+++\nB\n",
			"---\nname: a\nzeta:\n  - 1\n  - 2\ntype: user\nmetadata:\n  x: \"2026-01-02\"\n---\nB\n"},
		{"TOML with a slip", "+++\nname = a b\ntype = user\n+++\nB\n", "---\nname: a b\ntype: user\n---\nB\n"},
		{"JSON", "{\n \"name\": \"a #1\",\n \"zeta\": [1, {\"x\": null}],\n \"type\": \"user\"\n}\n\nB\n",
			"---\nname: 'a #1'\nzeta:\n  - 1\n  - x: null\ntype: user\n---\n\nB\n"},
		{"JSON with capital letters", "{\"Name\": \"a\", \"Type\": \"user\"}\nB\n", "---\nname: a\ntype: user\n---\nB\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := frontmatter.Parse([]byte(tt.raw), "stem")
			if !hasProblem(before.Problems, memories.CodeOddFrontmatter) || before.Type != memories.User || before.Body == "" {
				t.Fatalf("read as %+v", before)
			}
			if tt.want != "" {
				if got := fixed(t, tt.raw, "memory/stem.md", "move"); got != tt.want {
					t.Errorf("moved to\n%q, want\n%q", got, tt.want)
				}
			}
			fixed := fixAll(t, tt.raw, "memory/stem.md")
			after := frontmatter.Parse([]byte(fixed), "stem")
			if after.Content() != before.Content() || len(codesOf(after.Problems)) > 0 {
				t.Errorf("fixed to\n%q\nit reads %+v, want %+v", fixed, after, before)
			}
			if strings.Count(fixed, "\nname:")+strings.Count(fixed, "\n  name:") != 1 {
				t.Errorf("it has not one name:\n%q", fixed)
			}
		})
	}
}

func TestText_IsNoFrontmatter(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"---\nThe runner needs 16 GB of memory\n---\nand two cores.",
		"---\n\nA note that begins with a rule: this is prose.\n\n---\n\nMore",
		"---\n- buy milk\n- call\n---\nMore",
		"----\nA rule.\n----",
		"\n---\n\nText\n\n---",
		"```yaml\nname: an example\n```\n\nText",
		"```\ncode\n```",
		"{\"a\": 1}\n",
		"{not JSON",
		"{\"name\": \"a\", \"type\": \"user\"",
		"{\"name\": \"a\", \"type\": \"user\", \"tags\": [1, 2\n\nText",
		"+++\nx\n+++",
		"# How to write one\n\n```\n---\nname: x\ntype: user\n---\n```",
		"Text\n\n---\nname: x\n---\nText",
		"<!-- name: x -->\nText",
		"name: a\ntype: user\n\nText",
	} {
		got := frontmatter.Parse([]byte(raw), "stem")
		if got.Name != "stem" || got.Body != strings.TrimSpace(raw) || !slices.Equal(codesOf(got.Problems), []string{memories.CodeNoFrontmatter}) {
			t.Errorf("%q is read as %+v", raw, got)
		}
	}
}

func TestSecondBlock_OfACompleteMemoryIsText(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"---\nname: a\ntype: user\n---\n---\nname: b\ntype: project\n---\nC",
		"---\nname: a\nmetadata:\n  type: user\n---\n\n---\ntype: b\n---\nC",
	} {
		got := frontmatter.Parse([]byte(raw), "stem")
		if got.Name != "a" || !strings.HasPrefix(got.Body, "---\n") || len(codesOf(got.Problems)) > 0 {
			t.Errorf("%q is read as %+v", raw, got)
		}
	}
}

func TestMetadata_HoldsNameAndDescription(t *testing.T) {
	t.Parallel()
	const raw = "---\nmetadata:\n  name: a\n  x: 1 # kept\n  description: d\n  type: user\n---\nB\n"
	got := frontmatter.Parse([]byte(raw), "stem")
	if want := (memories.Content{Name: "a", Type: memories.User, Description: "d", Body: "B"}); got.Content() != want || len(codesOf(got.Problems)) > 0 {
		t.Errorf("read as %+v", got)
	}
	out := string(frontmatter.Rewrite([]byte(raw), memories.Content{Name: "b", Type: memories.Project, Body: "B"}, now))
	if want := "---\nmetadata:\n  name: b\n  x: 1 # kept\n  type: project\n---\nB\n"; out != want {
		t.Errorf("rewritten to\n%q, want\n%q", out, want)
	}
}

func TestMergeKeys_AreRead(t *testing.T) {
	t.Parallel()
	const raw = "---\nbase: &b\n  type: user\n  description: d\n<<: *b\nname: a\n---\nB\n"
	got := frontmatter.Parse([]byte(raw), "stem")
	if want := (memories.Content{Name: "a", Type: memories.User, Description: "d", Body: "B"}); got.Content() != want || len(codesOf(got.Problems)) > 0 {
		t.Errorf("read as %+v", got)
	}
	want := memories.Content{Name: "a", Type: memories.Project, Body: "B"}
	out := frontmatter.Rewrite([]byte(raw), want, now)
	if got := frontmatter.Parse(out, "stem"); got.Content() != want || !strings.Contains(string(out), "<<: *b\n") {
		t.Errorf("rewritten to\n%q\nit reads %+v", out, got)
	}
}

// TestOddFrontmatter_KeepsEveryKey draws a frontmatter and its place.
func TestOddFrontmatter_KeepsEveryKey(t *testing.T) {
	t.Parallel()
	places := []string{"\n\n---\n%---\n@", "<!-- x -->\n---\n%---\n@", "```markdown\n---\n%---\n@\n```\n", "```yaml\n%```\n@", "----\n%----\n@", "---\n%...\n@",
		"---\nzz: 1\n---\n\n---\n%---\n@", "Text.\n\n---\n%---\n@", " ---\n%---\n@", "<!--\n---\n%---\n-->\n@", "JSON"}
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.Permutation([]string{"name", "description", "type", "zeta", "tags", "Über"}).Draw(t, "keys")
		values := map[string]string{}
		var front strings.Builder
		object := []string{}
		for _, key := range keys {
			values[key] = rapid.SampledFrom([]string{"one", "a #b", "c: d", "é 日本", "[e", "\"f"}).Draw(t, key)
			if key == "type" {
				values[key] = "user"
			}
			front.WriteString(key + ": '" + values[key] + "'\n")
			quoted, _ := json.Marshal(values[key])
			object = append(object, "\""+key+"\": "+string(quoted))
		}
		place := rapid.SampledFrom(places).Draw(t, "place")
		raw := strings.Replace(strings.Replace(place, "%", front.String(), 1), "@", "Body\n\n- b\n", 1)
		if place == "JSON" {
			raw = "{" + strings.Join(object, ", ") + "}\nBody\n\n- b\n"
		}
		before := frontmatter.Parse([]byte(raw), "stem")
		body := "Body\n\n- b"
		if strings.HasPrefix(raw, "Text") {
			body = "Text.\n\n" + body
		}
		want := memories.Content{Name: values["name"], Type: memories.User, Description: values["description"], Body: body}
		if before.Content() != want || !slices.Equal(codesOf(before.Problems), []string{memories.CodeOddFrontmatter}) {
			t.Fatalf("%q reads\n%+v, want\n%+v", raw, before, want)
		}
		fixed := fixAll(t, raw, "memory/stem.md")
		after := frontmatter.Parse([]byte(fixed), "stem")
		if after.Content() != want || len(codesOf(after.Problems)) > 0 {
			t.Fatalf("%q became\n%q\nwhich reads\n%+v, want\n%+v", raw, fixed, after, want)
		}
		at := 0
		for _, key := range keys {
			next := strings.Index(fixed[at:], "\n"+key+": ")
			if next < 0 {
				t.Fatalf("%q became\n%q\nwhich lost %s or its place", raw, fixed, key)
			}
			at += next + 1
		}
	})
}
