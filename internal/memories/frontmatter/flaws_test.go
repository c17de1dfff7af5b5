package frontmatter_test

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

func TestFlawsOf_Files(t *testing.T) {
	t.Parallel()
	const conflict = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
	for name, c := range map[string]struct {
		text string
		want memories.Flaw
	}{
		"good":                   {"---\nname: A\n---\nbody\n", 0},
		"no body":                {"---\nname: A\n---\n", 0},
		"empty":                  {"", memories.FlawEmpty | memories.FlawNameless},
		"blank":                  {"\ufeff\r\n \n", memories.FlawEmpty | memories.FlawNameless},
		"NUL alone":              {"\x00\x00\x00", memories.FlawEmpty | memories.FlawNameless},
		"unclosed":               {"---\nname: A\ntype: us", memories.FlawUnclosed | memories.FlawNameless},
		"opened":                 {"---", memories.FlawUnclosed | memories.FlawNameless},
		"no frontmatter":         {"body\n", memories.FlawNameless},
		"empty name":             {"---\nname: \"\"\n---\nbody\n", memories.FlawNameless},
		"name is a list":         {"---\nname: [a]\n---\nbody\n", memories.FlawNameless},
		"conflict in body":       {"---\nname: A\n---\n" + conflict, memories.FlawMergeConflict},
		"conflict with CRLF":     {"---\r\nname: A\r\n---\r\n" + strings.ReplaceAll(conflict, "\n", "\r\n"), memories.FlawMergeConflict},
		"conflict with base":     {"---\nname: A\n---\n<<<<<<<\na\n||||||| b\nc\n=======\nd\n>>>>>>>\n", memories.FlawMergeConflict},
		"conflict around all":    {"<<<<<<< HEAD\n---\nname: A\n---\n=======\n>>>>>>> b\n", memories.FlawMergeConflict | memories.FlawNameless},
		"heading":                {"---\nname: A\n---\nTitle\n=======\n", 0},
		"markers in fenced code": {"---\nname: A\n---\n```\n" + conflict + "```\n", 0},
		"markers after code":     {"---\nname: A\n---\n```\ncode\n```\n" + conflict, memories.FlawMergeConflict},
		"other order":            {"---\nname: A\n---\n>>>>>>> b\n=======\n<<<<<<< HEAD\n", 0},
		"one marker":             {"---\nname: A\n---\n<<<<<<< HEAD\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := frontmatter.Parse([]byte(c.text), "stem")
			if got := frontmatter.FlawsOf([]byte(c.text), f); got != c.want {
				t.Errorf("FlawsOf() = %s, want %s", got, c.want)
			}
			if back := memories.ParseFlaw(c.want.String()); back != c.want {
				t.Errorf("ParseFlaw(%q) = %s", c.want, back)
			}
		})
	}
}

func TestParse_MergeConflictInFrontmatter(t *testing.T) {
	t.Parallel()
	f := frontmatter.Parse([]byte("---\nname: A\n<<<<<<< HEAD\ntype: user\n=======\ntype: project\n>>>>>>> b\n---\nbody\n"), "stem")
	if !slices.ContainsFunc(f.Problems, func(p memories.Problem) bool { return p.Code == memories.CodeMergeConflict }) {
		t.Errorf("problems are %+v", f.Problems)
	}
}
