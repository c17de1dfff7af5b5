package ranking

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// replaces matches how a memory says that it replaces another one, and replacedBy the reverse, in the
// form of plainName. The other one's name follows within the same sentence.
var (
	replaces   = regexp.MustCompile(`(?:\b(?:replaces|supersedes|obsoletes|instead-of|ersetzt|remplace|sustituye|reemplaza|substitui|sostituisce)\b|取代|替代|代替|заменяет)[^.!?。\n]{0,100}`)
	replacedBy = regexp.MustCompile(`\b(?:(?:replaced|superseded|obsoleted)-by|ersetzt-durch|remplacée?-par|(?:sustituid|reemplazad)[oa]-por)\b[^.!?。\n]{0,100}`)
)

// maxReplaced is how many of the best documents are looked up as replaced. Arbitrary.
const maxReplaced = 10

// markReplaced marks those of the best documents that others replace, and gives each of the others the
// score of the one that it replaces. all is ordered best first, and is not sorted again.
func markReplaced(all []scoredDocument) {
	texts, names := make([]string, len(all)), make([][]string, len(all))
	for i, d := range all {
		if text := d.beginning(); mayReplace(text) {
			texts[i] = plainName(text)
		}
		for _, name := range []string{d.Name, strings.TrimSuffix(path.Base(d.Path), ".md")} {
			if name = plainName(name); len(name) > 3 {
				names[i] = append(names[i], name)
			}
		}
	}
	for i := range min(len(all), maxReplaced) {
		old := &all[i]
		var by *scoredDocument
		for j := range all {
			if j != i && (says(texts[j], names[i], replaces, replacedBy) || says(texts[i], names[j], replacedBy, nil)) {
				by = &all[j]
			}
		}
		if by != nil {
			by.score, by.replaces, old.isReplaced = max(by.score, old.score), old.Name, true
		}
	}
}

// cues are parts of the words in replaces and replacedBy, without the first letter, which may be a
// capital one.
var cues = []string{"eplace", "upersede", "bsolete", "nstead of", "rsetzt", "emplac", "emplaz", "ustitu", "ubstitu", "ostitu", "取代", "替代", "代替", "аменя"}

// mayReplace reports whether a text has one of the cues. Most texts have none, and the expressions are
// slow.
func mayReplace(text string) bool {
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(text, cue) })
}

// says reports whether a text has one of the names in a match of the expression, and not in one of
// besides, if that is not nil.
func says(text string, names []string, expression, besides *regexp.Regexp) bool {
	for _, name := range names {
		if !strings.Contains(text, name) {
			continue
		}
		if besides != nil {
			text = besides.ReplaceAllString(text, "")
		}
		for _, match := range expression.FindAllString(text, -1) {
			if strings.Contains(match, name) {
				return true
			}
		}
	}
	return false
}

var hyphens = strings.NewReplacer(" ", "-", "_", "-")

// plainName returns a text in lower case with hyphens for spaces and underscores.
func plainName(text string) string { return hyphens.Replace(strings.ToLower(text)) }
