package frontmatter

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

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

// guessType returns the type that the file's own words suggest, or "". It tries the words of the
// stated type, then the first word of the file name. It then tries the first word of each directory
// from the innermost, and of the memory's name.
func (m *fixer) guessType() memories.Type {
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
	names := []string{m.stem}
	for dir := path.Dir(m.path); dir != "." && dir != "/"; dir = path.Dir(dir) {
		names = append(names, path.Base(dir))
	}
	for _, name := range append(names, m.file.Name) {
		if words := wordsOf(name); len(words) > 0 {
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

// fixType offers the types that the file may have. These are all types if it has none or an unknown
// one, or the two that it states in conflict. It offers nothing for other files, or if another fix
// adds the frontmatter.
func (m *fixer) fixType() {
	code := m.firstOf(memories.CodeTypeUnknown, memories.CodeTypeNotText, memories.CodeTypeMissing)
	switch {
	case code != "":
		m.offerTypes(code, memories.Types())
	case m.file.has(memories.CodeTypeConflict):
		m.offerTypes(memories.CodeTypeConflict, m.statedTypes())
	case m.file.has(memories.CodeNoFrontmatter) && !m.hasFixFor(memories.CodeNoFrontmatter):
		m.offerTypes(memories.CodeNoFrontmatter, memories.Types())
	}
}

func (m *fixer) offerTypes(code string, types []memories.Type) {
	guess := m.guessType()
	if code == memories.CodeTypeConflict {
		guess = "" // the file's own words are in conflict
	}
	for _, t := range types {
		content := m.file.Content()
		content.Type = t
		explanation := fmt.Sprintf("Writes the type %s into the frontmatter. Other text stays.", t)
		switch {
		case code == memories.CodeNoFrontmatter:
			explanation = fmt.Sprintf("Adds a frontmatter with the name “%s” and the type %s. The text stays.", content.Name, t)
		case code == memories.CodeTypeConflict:
			explanation = fmt.Sprintf("Writes the type %s in both places.", t)
		}
		if t == guess {
			explanation += " A guess from the words of the file."
		}
		m.offer(Fix{
			ID: "type:" + string(t), Code: code, Label: t.Title(), Explanation: explanation, Guessed: t == guess,
			After: rewrite(m.raw, content, func(mapping *yaml.Node) {
				setContent(mapping, content)
				setType(mapping, t)
			}),
		})
	}
}

// statedTypes returns the file's type and, if metadata states a known type too, that one second.
func (m *fixer) statedTypes() []memories.Type {
	stated := []memories.Type{m.file.Type}
	metadata := mappingAt(readFrontmatter(cutPage(string(m.raw))).mapping, "metadata")
	if metadata == nil {
		return stated
	}
	nested, _ := textAt(metadata, "type")
	if t, ok := memories.ParseType(nested); ok {
		stated = append(stated, t)
	}
	return stated
}
