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

// linksIn returns the names of the links in a body, in order, without those in code.
func linksIn(body string) []string {
	var names []string
	replaceLinks(body, func(name string) (string, bool) {
		names = append(names, name)
		return "", false
	})
	return names
}

// replaceLinks returns body with each link replaced by the text that to returns. to returns false
// to keep a link. Code is not changed.
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

// replaceLinksInLine is replaceLinks for one line. It keeps text between backticks.
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
	bySlug    map[string][]string // names of living memories by their spelling
	forgotten map[string]string   // names without a memory: the new name, or empty if it was deleted
}

func (n names) add(name, file string) {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if _, taken := n.living[stem]; !taken {
		n.living[stem] = name
	}
	if n.living[name] == name {
		return // another file of the memory
	}
	n.living[name] = name
	slug := spelling(name)
	n.bySlug[slug] = append(n.bySlug[slug], name)
}

// fixedLink returns the replacement of a link to name, and the reason. ok is false if the link
// needs no change. A name that was never used stays, because its memory may be written later.
func (n names) fixedLink(name string) (text, why string, ok bool) {
	if _, lives := n.living[name]; lives {
		return "", "", false
	}
	if similar := n.bySlug[spelling(name)]; len(similar) == 1 {
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

// spelling returns the common form of names that differ in case and separators: use_tabs, Use Tabs,
// use-tabs.
func spelling(name string) string {
	return strings.Join(slices.Collect(words.All(strings.ReplaceAll(name, "_", " "))), " ")
}
