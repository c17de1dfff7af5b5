// Package links finds links in memories whose target is gone: relative Markdown links to a file that
// does not exist, and [[name]] links to a memory that was deleted. A [[name]] of a memory that never
// existed is no dead link: it says what is worth writing.
package links

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/memories/mdcode"
)

// Targets tells which targets exist. Paths are relative to the agent's directory.
type Targets struct {
	HasFile   func(path string) bool
	IsDeleted func(name string) bool // a memory had the name, and none has it now
}

var (
	inline    = regexp.MustCompile(`\[[^\[\]\n]*\]\((?:<([^<>\n]+)>|([^()<>\s]+))(?:\s+["'][^"'\n]*["'])?\)`)
	reference = regexp.MustCompile(`(?m)^ {0,3}\[[^\[\]\n]+\]:\s*(?:<([^<>\n]+)>|([^<>\s]+))`)
	anchor    = regexp.MustCompile(`(?i)<a\s[^<>\n]*?href=["']?([^"'<>\s]+)["']?[^<>\n]*>`)
	slug      = regexp.MustCompile(`^[\pL\pN]+(?:[-_][\pL\pN]+)+$`)
	wiki      = regexp.MustCompile(`\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]`)
)

// Match returns a match of kind Link with the dead links in a body. file is the memory's file,
// relative to the agent's directory. ok is false if there are none. Links in code, to other kinds of
// files and out of the memory's directory do not count.
func Match(t findings.Text, file string, targets Targets) (m findings.Match, ok bool) {
	if !strings.Contains(t.Body, "](") && !strings.Contains(t.Body, "]:") && !strings.Contains(t.Body, "[[") && !strings.Contains(t.Body, "<a ") {
		return m, false
	}
	code := mdcode.Code(mdcode.ParseCode(t.Body))
	add := func(start, end int) {
		if !slices.ContainsFunc(code, func(span [2]int) bool { return start < span[1] && end > span[0] }) {
			m.Spans = append(m.Spans, findings.Span{Field: findings.Body, Start: start, End: end})
		}
	}
	for _, form := range []*regexp.Regexp{inline, reference, anchor} {
		for _, at := range form.FindAllStringSubmatchIndex(t.Body, -1) {
			start, end := at[2], at[3]
			if start < 0 { // not in angle brackets
				start, end = at[4], at[5]
			}
			if target, isFile := fileOf(t.Body[start:end], path.Dir(file)); isFile && !targets.HasFile(target) {
				add(at[0], at[1])
			}
		}
	}
	for _, at := range wiki.FindAllStringSubmatchIndex(t.Body, -1) {
		if targets.IsDeleted(strings.TrimSpace(t.Body[at[2]:at[3]])) {
			add(at[0], at[1])
		}
	}
	if len(m.Spans) == 0 {
		return m, false
	}
	slices.SortFunc(m.Spans, func(a, b findings.Span) int { return a.Start - b.Start })
	m.Kind, m.Reason = findings.Link, "1 link without a target"
	if n := len(m.Spans); n > 1 {
		m.Reason = fmt.Sprintf("%d links without a target", n)
	}
	return m, true
}

// fileOf returns the path of the Markdown file to which a link in a file of dir leads. A link may
// leave dir only to come back, and may leave out .md after a name in kebab or snake case. isFile is
// false for other links.
func fileOf(link, dir string) (target string, isFile bool) {
	link, _, _ = strings.Cut(link, "#")
	link, _, _ = strings.Cut(link, "?")
	if strings.Contains(link, "://") || strings.HasPrefix(link, "/") || strings.HasPrefix(link, "mailto:") {
		return "", false
	}
	if unescaped, err := url.PathUnescape(link); err == nil {
		link = unescaped
	}
	if slug.MatchString(link) {
		link += ".md"
	}
	if !strings.EqualFold(path.Ext(link), ".md") {
		return "", false
	}
	target = path.Join(dir, link)
	return target, dir == "." && !strings.HasPrefix(target, "../") || strings.HasPrefix(target, dir+"/")
}
