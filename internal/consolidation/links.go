package consolidation

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/words"
)

// A link to another memory, as [[name]].
var memoryLink = regexp.MustCompile(`\[\[([^\[\]\n]{1,256})\]\]`)

// linksIn returns the names that a body links, in order, those in code left out.
func linksIn(body string) []string {
	var names []string
	relinked(body, func(name string) (string, bool) {
		names = append(names, name)
		return "", false
	})
	return names
}

// relinked returns the body with what to makes of each link in place of it; false leaves it. Code stays as it is.
func relinked(body string, to func(name string) (text string, ok bool)) string {
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
			line = relinkedOutsideCode(line, to)
		}
		out.WriteString(line)
	}
	return out.String()
}

// relinkedOutsideCode leaves what stands between backticks.
func relinkedOutsideCode(line string, to func(string) (string, bool)) string {
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

// names are what a link may lead to.
type names struct {
	living    map[string]string   // by name, and by the stem of a file: the name of the memory
	bySlug    map[string][]string // the names of living memories that are written alike
	forgotten map[string]string   // what was there once, with the name that it was given instead
}

func (n names) add(name, file string) {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if _, taken := n.living[stem]; !taken {
		n.living[stem] = name
	}
	if n.living[name] == name {
		return // it has several files
	}
	n.living[name] = name
	slug := spelling(name)
	n.bySlug[slug] = append(n.bySlug[slug], name)
}

// mended returns what a link to a name should be instead, and why; false: it is as good as it is. A name under which there never was a
// memory may be one that is yet to be written, and stays.
func (n names) mended(name string) (text, why string, ok bool) {
	if _, lives := n.living[name]; lives {
		return "", "", false
	}
	if alike := n.bySlug[spelling(name)]; len(alike) == 1 {
		return "[[" + alike[0] + "]]", "“" + name + "” is written “" + alike[0] + "”", true
	}
	renamed, was := n.forgotten[name]
	for range 8 { // it may have been renamed again
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

// spelling is what is the same of names that are only written otherwise: use_tabs, Use Tabs, use-tabs.
func spelling(name string) string {
	return strings.Join(slices.Collect(words.All(strings.ReplaceAll(name, "_", " "))), " ")
}
