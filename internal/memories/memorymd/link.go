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
	from, to int    // its bytes in the line, emphasis around it included
	target   string // a slash-separated path, cleaned
}

// references are the files that an index defines links to, as in “[label]: file.md”, by label.
type references map[string]string

// definitionShape is the definition of a reference link to a Markdown file. A footnote is none.
var definitionShape = regexp.MustCompile(
	`^ {0,3}\[((?:\\.|[^\[\]\\^])(?:\\.|[^\[\]\\])*)\]:[ \t]*(?:<([^<>]*\.(?i:md)(?:#[^<>]*)?)>|([^\s<]\S*\.(?i:md)(?:#\S*)?))` +
		`(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$`)

// referenceShape is [text][label], [label][] or [label].
var referenceShape = regexp.MustCompile(`\[((?:\\.|[^\[\]\\])*)\](?:\[((?:\\.|[^\[\]\\])*)\])?`)

// referencesIn returns the references that lines define. The first definition of a label counts.
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

// matchDefinition returns the match of definitionShape in the form of one of linkShapes.
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

// labelOf returns a label as labels are compared.
func labelOf(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// linkShapes are the ways in which indexes link: [title](target), the target also in angle brackets and with a title
// behind it, [file.md] alone, and [[stem]] or [[stem|title]].
var linkShapes = regexp.MustCompile(
	`\[((?:\\.|[^\[\]\\]|\[[^\[\]]*\])*)\]\(\s*(?:<([^<>]*)>|((?:\\.|[^\s()\\]|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)` +
		`|\[\[?([^\[\]|]+?\.(?i:md))\]?\]` +
		`|\[\[([\p{L}\p{N}_](?:[\p{L}\p{N}_./ -]*[\p{L}\p{N}_])?)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]`)

var schemeShape = regexp.MustCompile(`^(?i:[a-z][a-z0-9+.-]*:|//)`)

// hasScheme says whether a target leads to the web.
func hasScheme(target string) bool {
	return strings.ContainsAny(target, ":/") && schemeShape.MatchString(target)
}

// matchLinks returns the matches of linkShapes in a line. Nearly every line of an index is "- [title](file.md) — hook", which
// takes no expression to see: that makes reading an index of a thousand lines ten times as quick.
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

// isPlainTarget says whether all of a target is in characters that mean nothing in a link.
func isPlainTarget(target string) bool {
	for i := range len(target) {
		if c := target[i]; c <= ' ' || c == '(' || c == '<' || c == '>' || c == 0x7F {
			return false
		}
	}
	return true
}

// linksOf returns the links of a line that lead to files, the definition of a reference among them; those to the web do not count.
func linksOf(line string, refs references) []indexLink {
	if m := matchDefinition(line); m != nil {
		return []indexLink{{m[0], m[1], cleanTarget(writtenTarget(line, m))}}
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
			links = append(links, indexLink{from, to, target})
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

// linksIn returns the reference links in a part of a line.
func (refs references) linksIn(line string, from, to int) (links []indexLink) {
	for _, m := range referenceShape.FindAllStringSubmatchIndex(line[from:to], -1) {
		label := line[from+m[2] : from+m[3]]
		if m[4] >= 0 && m[4] < m[5] {
			label = line[from+m[4] : from+m[5]]
		}
		if target, known := refs[labelOf(label)]; known {
			start, end := withEmphasis(line, from+m[0], from+m[1])
			links = append(links, indexLink{start, end, target})
		}
	}
	return links
}

// leadsToWeb says whether a line has a link to somewhere else than a file.
func leadsToWeb(line string) bool {
	return slices.ContainsFunc(matchLinks(line), func(m []int) bool {
		return hasScheme(writtenTarget(line, m))
	})
}

// The groups of linkShapes of links that name a file in brackets. Before them are those of a title and of two forms of targets.
const (
	fileGroup = 4
	stemGroup = 5
)

// withExtension returns the file that a wiki link names.
func withExtension(stem string) string {
	if isMarkdownName(stem) {
		return stem
	}
	return stem + ".md"
}

// writtenTarget returns the target of a match of linkShapes, as it is written.
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

// cleanTarget returns the path that a link's target means; empty when it leads to no file.
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

// withEmphasis widens a link to the marks that stand in pairs around it, as in **[Title](file.md)**.
func withEmphasis(line string, from, to int) (int, int) {
	for from > 0 && to < len(line) && line[from-1] == line[to] && strings.IndexByte("*_`~", line[to]) >= 0 {
		from--
		to++
	}
	return from, to
}

var (
	separatorBehind = regexp.MustCompile(`^\s*(?:[,;|·/&+]|and\s)\s*`)
	separatorBefore = regexp.MustCompile(`\s*(?:[,;|·/&+]|\sand)\s*$`)
)

// withoutLinks returns a line without some of its links, and without what parted each from its neighbour.
func withoutLinks(line string, going []indexLink) string {
	for i := len(going) - 1; i >= 0; i-- {
		before, behind := line[:going[i].from], line[going[i].to:]
		switch {
		case separatorBehind.MatchString(behind):
			behind = separatorBehind.ReplaceAllString(behind, "")
		case separatorBefore.MatchString(before):
			before = separatorBefore.ReplaceAllString(before, "")
		case strings.HasSuffix(before, " ") && strings.HasPrefix(behind, " "):
			behind = behind[1:]
		}
		line = before + behind
	}
	return line
}

var listLead = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,9}[.)])\s+`)

// entryOf returns a line for some links of a line alone.
func entryOf(line string, going []indexLink) string {
	lead := listLead.FindString(line)
	if lead == "" {
		lead = "- "
	}
	var parts []string
	for _, link := range going {
		parts = append(parts, line[link.from:link.to])
	}
	return lead + strings.Join(parts, ", ")
}

func isMarkdownName(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }
