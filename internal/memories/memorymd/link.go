package memorymd

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// indexLink is a link to a file in a line of an index.
type indexLink struct {
	from, to int    // byte range in the line, including emphasis around the link
	target   string // cleaned slash-separated path
	// title and written are the byte ranges of the title and of the target as written. They are empty
	// for a part that the line does not have, such as the target of a link with a label.
	title, written [2]int
	isWiki         bool // [[stem]]; written is the stem, and target ends in .md
}

// references are the targets of link definitions, as in “[label]: file.md”, by label.
type references map[string]string

// definitionShape matches the definition of a reference link to a Markdown file, but no footnote.
var definitionShape = regexp.MustCompile(
	`^ {0,3}\[((?:\\.|[^\[\]\\^])(?:\\.|[^\[\]\\])*)\]:[ \t]*(?:<([^<>]*\.(?i:md)(?:#[^<>]*)?)>|([^\s<]\S*\.(?i:md)(?:#\S*)?))` +
		`(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$`)

// referenceShape matches [text][label], [label][] and [label].
var referenceShape = regexp.MustCompile(`\[((?:\\.|[^\[\]\\])*)\](?:\[((?:\\.|[^\[\]\\])*)\])?`)

// referencesIn returns the cleaned targets of the link definitions in lines, by label. The first
// definition of a label counts. It returns nil without definitions.
func referencesIn(lines []string) references {
	var found references
	for _, line := range lines {
		if m := matchDefinition(strings.TrimRight(line, "\r\n")); m != nil {
			if found == nil {
				found = references{}
			}
			label := labelOf(line[m[2]:m[3]])
			if _, known := found[label]; !known {
				found[label] = cleanTarget(writtenTarget(line, m))
			}
		}
	}
	return found
}

// matchDefinition matches a definition of a reference link to a Markdown file. It returns the
// groups in the form of linkShapes. It returns nil for another line, and for one that leads to a
// web address.
func matchDefinition(line string) []int {
	if !strings.Contains(line, "]:") {
		return nil
	}
	m := definitionShape.FindStringSubmatchIndex(line)
	if m == nil {
		return nil
	}
	written := strings.Trim(writtenTarget(line, append(m, -1, -1, -1, -1)), " \t")
	if hasScheme(written) || cleanTarget(written) == "" {
		return nil
	}
	return append(m, -1, -1, -1, -1)
}

// labelOf returns a label of a reference link in lower case and with single spaces, because
// Markdown compares labels like that.
func labelOf(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// wikiStemPattern matches a stem in a wiki link.
const wikiStemPattern = `[\p{L}\p{N}_](?:[\p{L}\p{N}_./ -]*[\p{L}\p{N}_])?`

// linkShapes matches links in an index: [title](target), also with <target> or a link title,
// [file.md], [[stem]] and [[stem|title]].
var linkShapes = regexp.MustCompile(
	`\[((?:\\.|[^\[\]\\]|\[[^\[\]]*\])*)\]\(\s*(?:<([^<>]*)>|((?:\\.|[^\s()\\]|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)` +
		`|\[\[?([^\[\]|]+?\.(?i:md))\]?\]` +
		`|\[\[(` + wikiStemPattern + `)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]`)

var schemeShape = regexp.MustCompile(`^(?i:[a-z][a-z0-9+.-]*:|//)`)

// hasScheme reports whether a target starts with a scheme, such as https:, or with //.
func hasScheme(target string) bool {
	return strings.ContainsAny(target, ":/") && schemeShape.MatchString(target)
}

// matchLinks returns the matches of linkShapes in a line, or nil. It recognises a line with one
// usual link without a regular expression: an index of 1,000 lines is then read ten times faster.
func matchLinks(line string) [][]int {
	title := strings.IndexByte(line, '[')
	if title < 0 {
		return nil
	}
	between := strings.Index(line[title:], "](")
	if between < 0 || strings.IndexByte(line, '\\') >= 0 || strings.LastIndexByte(line, '[') != title {
		return linkShapes.FindAllStringSubmatchIndex(line, -1)
	}
	title, between = title+1, title+between
	target := between + len("](")
	end := strings.IndexByte(line[target:], ')')
	if end < 0 || !isPlainTarget(line[target:target+end]) || strings.IndexByte(line[title:between], ']') >= 0 {
		return linkShapes.FindAllStringSubmatchIndex(line, -1)
	}
	end += target
	return [][]int{{title - 1, end + 1, title, between, -1, -1, target, end, -1, -1, -1, -1}}
}

// isPlainTarget reports whether a target has only characters without a meaning in links.
func isPlainTarget(target string) bool {
	for i := range len(target) {
		if c := target[i]; c <= ' ' || c == '(' || c == '<' || c == '>' || c == 0x7F {
			return false
		}
	}
	return true
}

// linksOf returns the links of a line to files, in order. A link definition counts as a link; web
// addresses do not.
func linksOf(line string, refs references) []indexLink {
	if m := matchDefinition(line); m != nil {
		link := newLink(m[0], m[1], cleanTarget(writtenTarget(line, m)), m)
		link.title = [2]int{} // it is the label
		return []indexLink{link}
	}
	matches := matchLinks(line)
	var links []indexLink
	for _, m := range matches {
		written := writtenTarget(line, m)
		if hasScheme(written) {
			continue
		}
		if target := cleanTarget(written); target != "" {
			from, to := withEmphasis(line, m[0], m[1])
			links = append(links, newLink(from, to, target, m))
		}
	}
	if len(refs) > 0 {
		at := 0
		for _, m := range append(matches, []int{len(line), len(line)}) {
			links = append(links, refs.linksIn(line, at, m[0])...)
			at = m[1]
		}
		slices.SortFunc(links, func(a, b indexLink) int { return a.from - b.from })
	}
	return links
}

// linksIn returns the links in line[from:to] that use a label of refs.
func (refs references) linksIn(line string, from, to int) (links []indexLink) {
	for _, m := range referenceShape.FindAllStringSubmatchIndex(line[from:to], -1) {
		label := line[from+m[2] : from+m[3]]
		if m[4] >= 0 && m[4] < m[5] {
			label = line[from+m[4] : from+m[5]]
		}
		if target, known := refs[labelOf(label)]; known {
			start, end := withEmphasis(line, from+m[0], from+m[1])
			links = append(links, indexLink{from: start, to: end, target: target})
		}
	}
	return links
}

// newLink returns the link of a match of linkShapes.
func newLink(from, to int, target string, m []int) indexLink {
	link := indexLink{from: from, to: to, target: target}
	if m[2] >= 0 {
		link.title = [2]int{m[2], m[3]}
	}
	for group := stemGroup; group >= 2; group-- {
		if m[2*group] >= 0 {
			link.written, link.isWiki = [2]int{m[2*group], m[2*group+1]}, group == stemGroup
			break
		}
	}
	return link
}

// leadsToWeb reports whether a line has a link to a web address.
func leadsToWeb(line string) bool {
	return slices.ContainsFunc(matchLinks(line), func(m []int) bool {
		return hasScheme(writtenTarget(line, m))
	})
}

// Groups of linkShapes for links in brackets. Group 1 is a title, groups 2 and 3 are targets.
const (
	fileGroup = 4
	stemGroup = 5
)

// withExtension returns a name with .md appended, unless it ends in .md in any letter case.
func withExtension(stem string) string {
	if isMarkdownName(stem) {
		return stem
	}
	return stem + ".md"
}

// writtenTarget returns the target of a match of linkShapes as written, or for [[stem]] the stem
// with .md.
func writtenTarget(line string, m []int) string {
	if from := m[2*stemGroup]; from >= 0 {
		return withExtension(line[from:m[2*stemGroup+1]])
	}
	for group := fileGroup; group >= 2; group-- {
		if from := m[2*group]; from >= 0 {
			return line[from:m[2*group+1]]
		}
	}
	return ""
}

var backslashEscape = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// cleanTarget returns the path of a link's target: unescaped, decoded, without fragment, cleaned.
// It returns "" if that is empty.
func cleanTarget(written string) string {
	if strings.IndexByte(written, '\\') >= 0 {
		written = backslashEscape.ReplaceAllString(written, "$1")
	}
	written, _, _ = strings.Cut(written, "#")
	if written = strings.Trim(written, " \t"); written == "" {
		return ""
	}
	if decoded, err := url.PathUnescape(written); err == nil {
		written = decoded
	}
	return path.Clean(written)
}

// withEmphasis returns a link's range extended to paired marks around it, as in
// **[Title](file.md)**.
func withEmphasis(line string, from, to int) (int, int) {
	for from > 0 && to < len(line) && line[from-1] == line[to] && strings.IndexByte("*_`~", line[to]) >= 0 {
		from--
		to++
	}
	return from, to
}

var (
	separatorAfter  = regexp.MustCompile(`^\s*(?:[,;|·/&+]|and\s)\s*`)
	separatorBefore = regexp.MustCompile(`\s*(?:[,;|·/&+]|\sand)\s*$`)
)

// withoutLinks returns a line without the given links, which must be in order, and without the
// separators next to them.
func withoutLinks(line string, removed []indexLink) string {
	for i := len(removed) - 1; i >= 0; i-- {
		before, after := line[:removed[i].from], line[removed[i].to:]
		switch {
		case separatorAfter.MatchString(after):
			after = separatorAfter.ReplaceAllString(after, "")
		case separatorBefore.MatchString(before):
			before = separatorBefore.ReplaceAllString(before, "")
		case strings.HasSuffix(before, " ") && strings.HasPrefix(after, " "):
			after = after[1:]
		}
		line = before + after
	}
	return line
}

var listLead = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,9}[.)])\s+`)

// entryOf returns a list item with only the given links of a line. It has the line's list mark, or
// a hyphen.
func entryOf(line string, removed []indexLink) string {
	lead := listLead.FindString(line)
	if lead == "" {
		lead = "- "
	}
	var parts []string
	for _, link := range removed {
		parts = append(parts, line[link.from:link.to])
	}
	return lead + strings.Join(parts, ", ")
}

func isMarkdownName(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }
