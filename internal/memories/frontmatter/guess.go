package frontmatter

import (
	"path"
	"strings"
	"unicode"

	"memoir/internal/memories"
)

// typeWords maps words that people and agents use for a type to the type.
var typeWords = map[string]memories.Type{
	"feedback": memories.Feedback, "correction": memories.Feedback, "corrections": memories.Feedback, "rule": memories.Feedback, "rules": memories.Feedback,
	"user": memories.User, "users": memories.User, "person": memories.User, "people": memories.User, "preference": memories.User, "preferences": memories.User, "profile": memories.User,
	"project": memories.Project, "projects": memories.Project, "decision": memories.Project, "decisions": memories.Project, "incident": memories.Project,
	"reference": memories.Reference, "references": memories.Reference, "ref": memories.Reference, "link": memories.Reference, "links": memories.Reference,
	"resource": memories.Reference, "resources": memories.Reference, "lookup": memories.Reference,
}

// guessType returns the type that the file's own words suggest, or "". It tries the stated type,
// then the first word of the file name, of its directories, and of the memory's name.
func (m *mender) guessType() memories.Type {
	mapping := readFrontmatter(cutPage(string(m.raw))).mapping
	stated, _ := textAt(mapping, "type")
	if strings.TrimSpace(stated) == "" {
		if metadata := mappingAt(mapping, "metadata"); metadata != nil {
			stated, _ = textAt(metadata, "type")
		}
	}
	for _, word := range wordsOf(stated) {
		if t, ok := typeWords[word]; ok {
			return t
		}
	}
	places := []string{m.stem}
	for dir := path.Dir(m.path); dir != "." && dir != "/"; dir = path.Dir(dir) {
		places = append(places, path.Base(dir))
	}
	for _, place := range append(places, m.file.Name) {
		if words := wordsOf(place); len(words) > 0 {
			if t, ok := typeWords[words[0]]; ok {
				return t
			}
		}
	}
	return ""
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
}
