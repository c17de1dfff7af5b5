package examples

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

// flawed maps the intentionally odd memory files to their problem codes.
var flawed = map[string][]string{
	"code-reviewer/memory/ci_cache.md":                           {memories.CodeTypeUnknown},
	"code-reviewer/memory/feedback_error_wrapping.md":            {memories.CodeReadLeniently},
	"code-reviewer/memory/retry-policy-of-the-payment-client.md": {memories.CodeNoFrontmatter},
	"data-analyst/memory/export-2026-09-12.md":                   {memories.CodeNUL},
	"data-analyst/memory/holidays.md":                            {memories.CodeTypeUnknown},
	"on-call/memory/handover_2026-10-30.md":                      {memories.CodeNoFrontmatter},
	"on-call/memory/harbour-names-in-old-exports.md":             {memories.CodeInvalidUTF8},
	"on-call/memory/pager_rotation.md":                           {memories.CodeTypeMissing},
}

// memoriesOf returns every memory file of the examples, by path.
func memoriesOf(t *testing.T) map[string]frontmatter.File {
	t.Helper()
	read := map[string]frontmatter.File{}
	for name, content := range setup(t) {
		base := path.Base(name)
		if base != "CLAUDE.md" && base != "MEMORY.md" && !strings.Contains(name, "/logs/") {
			read[name] = frontmatter.Parse(content, strings.TrimSuffix(base, ".md"))
		}
	}
	return read
}

func TestFiles_Problems(t *testing.T) {
	t.Parallel()
	for name, file := range memoriesOf(t) {
		var codes []string
		for _, problem := range file.Problems {
			codes = append(codes, problem.Code)
		}
		if !slices.Equal(codes, flawed[name]) {
			t.Errorf("%s is flagged %q, want %q", name, codes, flawed[name])
		}
	}
}

func TestFiles_EveryType(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"code-reviewer", "data-analyst", "on-call"} {
		count := map[memories.Type]int{}
		for name, file := range memoriesOf(t) {
			if strings.HasPrefix(name, agent+"/") {
				count[file.Type]++
			}
		}
		for _, kind := range []memories.Type{"feedback", "user", "project", "reference"} {
			if count[kind] < 2 {
				t.Errorf("%s has %d %s memories", agent, count[kind], kind)
			}
		}
	}
}

func TestFiles_WhyAndHow(t *testing.T) {
	t.Parallel()
	for name, file := range memoriesOf(t) {
		kind := file.Type
		if kind != "feedback" && kind != "project" || name == "data-analyst/memory/occupancy_old.md" {
			continue
		}
		why, how := strings.Index(file.Body, "**Why:**"), strings.Index(file.Body, "**How to apply:**")
		if why <= 0 || how <= why {
			t.Errorf("%s does not give the rule, then why, then how to apply it", name)
		}
	}
}

func TestFiles_Links(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\[\[([^\]]+)\]\]`)
	read := memoriesOf(t)
	named := map[string]bool{}
	for name, file := range read {
		agent, _, _ := strings.Cut(name, "/")
		named[agent+"/"+file.Name] = true
	}
	found := 0
	for name, file := range read {
		agent, _, _ := strings.Cut(name, "/")
		for _, match := range link.FindAllStringSubmatch(file.Body, -1) {
			found++
			if !named[agent+"/"+match[1]] {
				t.Errorf("%s links to %q, which %s does not know", name, match[1], agent)
			}
		}
	}
	if found < 10 {
		t.Errorf("there are only %d links", found)
	}
}

func TestFiles_IndexEntries(t *testing.T) {
	t.Parallel()
	target := regexp.MustCompile(`\]\(([^)]+)\)`)
	files := setup(t)
	for name, content := range files {
		if path.Base(name) != "MEMORY.md" {
			continue
		}
		for _, match := range target.FindAllStringSubmatch(string(content), -1) {
			if _, there := files[path.Join(path.Dir(name), match[1])]; !there {
				t.Errorf("%s names %s, which does not exist", name, match[1])
			}
		}
	}
}
