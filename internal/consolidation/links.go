package consolidation

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/words"
)

// memoryLink matches a link to another memory: [[name]].
var memoryLink = regexp.MustCompile(`\[\[([^\[\]\n]{1,256})\]\]`)

// linksIn returns the names in the [[name]] links of a body, in order and with repetitions. It
// skips links in fenced code blocks and between backticks.
func linksIn(body string) []string {
	var names []string
	replaceLinks(body, func(name string) (string, bool) {
		names = append(names, name)
		return "", false
	})
	return names
}

// replaceLinks returns body with each [[name]] link, brackets included, replaced by the text that
// to returns for its name. If to returns false, the link stays. Links in fenced code blocks and
// between backticks stay too, and to is not called for them.
func replaceLinks(body string, to func(name string) (text string, ok bool)) string {
	if !strings.Contains(body, "[[") {
		return body
	}
	fence := ""
	var out strings.Builder
	for line := range strings.Lines(body) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:3]
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		default:
			line = replaceLinksInLine(line, to)
		}
		out.WriteString(line)
	}
	return out.String()
}

// replaceLinksInLine returns line with each [[name]] link replaced by the text that to returns for
// its name. If to returns false, the link stays. Text between backticks stays.
func replaceLinksInLine(line string, to func(string) (string, bool)) string {
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = memoryLink.ReplaceAllStringFunc(parts[i], func(link string) string {
			if text, ok := to(strings.TrimSpace(link[2 : len(link)-2])); ok {
				return text
			}
			return link
		})
	}
	return strings.Join(parts, "`")
}

// names are the possible targets of links.
type names struct {
	living    map[string]string   // memory name by name and by file name without extension
	bySlug    map[string][]string // names of living memories by folded name (see foldedName)
	forgotten map[string]string   // names without a memory: the new name, or empty if it was deleted
}

// add adds a living memory with its name and a path of one of its files. The file's name without
// extension also leads to the memory, unless it leads to another one already.
func (n names) add(name, file string) {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if _, taken := n.living[stem]; !taken {
		n.living[stem] = name
	}
	if n.living[name] == name {
		return // another file of the memory
	}
	n.living[name] = name
	slug := foldedName(name)
	n.bySlug[slug] = append(n.bySlug[slug], name)
}

// fixedLink returns the text that replaces a dead link to name, and the reason for users. The text
// is a link if exactly one memory's name has the same foldedName, or the memory was renamed. It is
// the plain name if the memory was deleted. ok is false if a memory or file has the name, or no
// memory ever had it: it may be written later.
func (n names) fixedLink(name string) (text, why string, ok bool) {
	if _, lives := n.living[name]; lives {
		return "", "", false
	}
	if similar := n.bySlug[foldedName(name)]; len(similar) == 1 {
		return "[[" + similar[0] + "]]", "“" + name + "” is written “" + similar[0] + "”", true
	}
	renamed, was := n.forgotten[name]
	for range 8 { // repeated renames
		if _, lives := n.living[renamed]; lives || renamed == "" {
			break
		}
		renamed = n.forgotten[renamed]
	}
	switch {
	case !was:
		return "", "", false
	case n.living[renamed] == renamed && renamed != "":
		return "[[" + renamed + "]]", "“" + name + "” is called “" + renamed + "” now", true
	}
	return name, "“" + name + "” was deleted", true
}

// foldedName returns the words of name, without differences in case and accents, separated by
// single spaces. use_tabs, Use Tabs and use-tabs have the same result.
func foldedName(name string) string {
	return strings.Join(slices.Collect(words.All(strings.ReplaceAll(name, "_", " "))), " ")
}
