package memorymd

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// resolver finds the files to which links lead.
type resolver struct {
	leads LinkResolver
	named map[string]string // paths of memory files by the name of their memory, for wiki links
}

func newResolver(files []IndexedFile, leads LinkResolver) resolver {
	named := make(map[string]string, len(files))
	for _, f := range files {
		named[f.Name] = f.Path
	}
	return resolver{leads, named}
}

// resolve returns the path of the link's target relative to the index's directory, and whether it
// exists. A wiki link may state the name of a memory instead of its file.
func (r resolver) resolve(l indexLink) (file string, exists bool) {
	file, exists = r.leads(l.target)
	if !exists && l.isWiki {
		if named, ok := r.named[Link{l.target, l.isWiki}.Name()]; ok {
			return named, true
		}
	}
	return file, exists
}

func (r resolver) isDead(l indexLink) bool {
	_, exists := r.resolve(l)
	return !exists
}

// filesIn returns the paths of the files to which links in lines lead. Link definitions are
// omitted; the links that use them count.
func (r resolver) filesIn(lines []string, refs references) map[string]bool {
	found := map[string]bool{}
	for _, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		if matchDefinition(text) != nil {
			continue
		}
		for _, link := range linksOf(text, refs) {
			file, _ := r.resolve(link)
			found[file] = true
		}
	}
	return found
}

// ListedLink is a link of an index to a file.
type ListedLink struct {
	Link
	Loaded bool // an agent loads the line of the link
}

// ListedLinks returns the links of an index to files, in order. Links in frontmatter and comments
// are not loaded. Link definitions are omitted; the links that use them count.
func ListedLinks(index Loaded) (links []ListedLink) {
	texts := make([]string, len(index.Lines))
	for i, line := range index.Lines {
		texts[i] = line.Text
	}
	refs := referencesIn(texts)
	for i := 0; i < len(index.Lines); {
		// A line that is cut in the middle has two parts. A link in the first part is loaded.
		number, seen, text := index.Lines[i].Number, "", ""
		for ; i < len(index.Lines) && index.Lines[i].Number == number; i++ {
			text += index.Lines[i].Text
			if index.Lines[i].Fate == LineSeen {
				seen = text
			}
		}
		if matchDefinition(text) != nil {
			continue
		}
		for _, link := range linksOf(text, refs) {
			links = append(links, ListedLink{Link{link.target, link.isWiki}, link.to <= len(seen)})
		}
	}
	return links
}

// Relist returns the index after a change of a memory or its file. In entries for before.Path it
// replaces the link's path by after.Path, and the title where it was before.Name or a name with that
// slug. It replaces the text after the link where that was before.Description. All else stays. If
// the index lists after.Path in another line, it removes the links to before.Path instead, as Remove
// does. Paths are relative to the directory of the index.
func Relist(index []byte, before, after IndexedFile, leads LinkResolver) []byte {
	bom, lines := cutIndex(index)
	refs := referencesIn(lines)
	to := newResolver([]IndexedFile{before}, leads)
	leadsTo := func(path string) func(indexLink) bool {
		return func(l indexLink) bool { file, _ := to.resolve(l); return file == path }
	}
	if before.Path != after.Path && to.filesIn(lines, refs)[after.Path] {
		out, _ := removeLinks(index, leadsTo(before.Path))
		return out
	}
	for i, line := range lines {
		text, end := strings.TrimRight(line, "\r\n"), memtext.LineEnding(line)
		links := linksOf(text, refs)
		affected, others := partition(links, leadsTo(before.Path))
		if len(affected) == 0 {
			continue
		}
		length := len(text)
		for j := len(affected) - 1; j >= 0; j-- { // from the end, so that earlier ranges stay valid
			text = relinked(text, affected[j], before, after)
		}
		if len(affected) == 1 && len(others) == 0 {
			text = withHook(text, affected[0].to+len(text)-length, before, after)
		}
		lines[i] = text + end
	}
	return []byte(bom + strings.Join(lines, ""))
}

// relinked returns the line with the link's path and title changed as Relist describes.
func relinked(line string, l indexLink, before, after IndexedFile) string {
	written := line[l.written[0]:l.written[1]]
	if before.Path != after.Path && written != "" {
		as := writtenAs(line, l, after.Path)
		if l.isWiki && !wikiStem.MatchString(as) {
			return line[:l.from] + "[" + escapeTitle(after.Name) + "](" + escapeTarget(after.Path) + ")" + line[l.to:]
		}
		line = line[:l.written[0]] + as + line[l.written[1]:]
	}
	if title := line[l.title[0]:l.title[1]]; title != "" && before.Name != after.Name && isTitleOf(title, before.Name) {
		line = line[:l.title[0]] + escapeTitle(after.Name) + line[l.title[1]:]
	}
	return line
}

// isTitleOf reports whether an entry with the title is for the memory of the name. In the files of
// Claude Code, the name is the slug of the title.
func isTitleOf(title, name string) bool {
	return title == name || title == escapeTitle(name) || memories.IsSlugOf(name, title)
}

// wikiStem matches the texts that can stand in a wiki link.
var wikiStem = regexp.MustCompile(`^` + wikiStemPattern + `$`)

// writtenAs returns path in the form in which the link of the line has its target. It keeps the
// target's fragment.
func writtenAs(line string, l indexLink, path string) string {
	written := line[l.written[0]:l.written[1]]
	switch {
	case l.isWiki && !isMarkdownName(written):
		return strings.TrimSuffix(path, ".md")
	case l.isWiki || line[l.written[0]-1] == '[':
		return path
	}
	_, fragment, found := strings.Cut(written, "#")
	if found {
		fragment = "#" + fragment
	}
	return escapeTarget(path) + fragment
}

// hookShape matches the text after the link of an entry: a type in brackets, a separator, and the
// hook, which may all be missing.
var hookShape = regexp.MustCompile(`^((?:\s*\([^()]*\))?)(?:(\s*(?:—|–|--|-|:)\s+)(\S.*?))?(\s*)$`)

// withHook returns the line with the text from the byte at replaced by after.Description, if that
// text was before.Description, also if cut to the length of an entry. It returns line if it was
// another text.
func withHook(line string, at int, before, after IndexedFile) string {
	m := hookShape.FindStringSubmatch(line[at:])
	if m == nil || before.Description == after.Description || !isHook(m[3], before.Description) {
		return line
	}
	return withHookOf(line[:at]+m[1], cmp.Or(m[2], " — "), after.Description) + m[4]
}

// isHook reports whether an entry for a memory with the description may have the hook.
func isHook(hook, description string) bool {
	whole := memtext.OneLine(memtext.Canonical(description))
	if hook == whole || hook == escapeTitle(whole) {
		return true
	}
	cut, found := strings.CutSuffix(hook, "…")
	return found && cut != "" && (strings.HasPrefix(whole, cut) || strings.HasPrefix(escapeTitle(whole), cut))
}

// withHookOf returns lead, a separator and the description on one line, cut so that the line has at
// most memories.MaxEntryLength characters. It returns lead if the description is empty or too
// little room is left.
func withHookOf(lead, separator, description string) string {
	hook := memtext.OneLine(memtext.Canonical(description))
	room := memories.MaxEntryLength - utf8.RuneCountInString(lead+separator)
	if hook == "" || room < minTitle {
		return lead
	}
	escape := func(s string) string { return s }
	if len(linksOf(hook, nil)) > 0 {
		escape = escapeTitle // the hook's own text may look like a link
	}
	return lead + separator + atMost(escape, hook, room)
}
