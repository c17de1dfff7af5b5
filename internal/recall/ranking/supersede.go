package ranking

import (
	"path"
	"regexp"
	"strings"
)

// replaces matches how a memory says that it replaces another one, and replacedBy the reverse. The
// other one's name follows within the same sentence.
var (
	replaces   = regexp.MustCompile(`(?i)(?:\b(?:replaces|supersedes|obsoletes|instead of|ersetzt|remplace|sustituye|reemplaza|substitui|sostituisce)\b|取代|替代|代替|заменяет)[^.!?。\n]{0,100}(?:\.md)?`)
	replacedBy = regexp.MustCompile(`(?i)\b(?:(?:replaced|superseded|obsoleted) by|ersetzt durch|remplacée? par|(?:sustituid|reemplazad)[oa] por)\b[^.!?。\n]{0,100}(?:\.md)?`)
)

// superseded returns the documents that others replace, each with the document that replaces it.
func superseded(all []scoredDocument) map[*scoredDocument]*scoredDocument {
	by := map[*scoredDocument]*scoredDocument{}
	names := make([][]string, len(all))
	for i, d := range all {
		for _, name := range []string{d.Name, strings.TrimSuffix(path.Base(d.Path), ".md")} {
			if name = plainName(name); len(name) > 3 {
				names[i] = append(names[i], name)
			}
		}
	}
	named := func(text string, of int) bool {
		for _, name := range names[of] {
			if strings.Contains(plainName(text), name) {
				return true
			}
		}
		return false
	}
	for i := range all {
		text := all[i].Description + "\n" + all[i].Body
		passive := replacedBy.FindAllString(text, -1)
		active := replaces.FindAllString(replacedBy.ReplaceAllString(text, ""), -1)
		for j := range all {
			switch {
			case i == j:
			case named(strings.Join(active, "\n"), j):
				by[&all[j]] = &all[i]
			case named(strings.Join(passive, "\n"), j):
				by[&all[i]] = &all[j]
			}
		}
	}
	return by
}

// plainName returns a text in lower case with hyphens for spaces and underscores.
func plainName(text string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(text))
}
