package frontmatter

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Fix is one way to fix a problem of a memory file. It changes nothing else: unknown keys, the
// body, and the stated time of the last change stay.
type Fix struct {
	ID          string // unique among the fixes of a file, such as "type:feedback"
	Code        string // code of the fixed problem
	Label       string // text of a button
	Explanation string // effect, in whole sentences
	Guessed     bool   // the one of several choices that the file's own words suggest
	After       []byte // the whole fixed file
	NewPath     string // the fixed file's path, or empty if it does not change
}

// Fixes returns the fixes of a file, ordered so that fixes which others depend on are first; it
// changes nothing. file is its slash-separated path; a type may be guessed from its words. After a
// fix, Parse does not report the fix's problem. Unreadable files and problems without a safe fix
// have no fixes.
func Fixes(raw []byte, file string) []Fix {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	m := fixer{raw: raw, path: file, stem: stem, file: Parse(raw, stem)}
	if m.file.Unreadable {
		return nil
	}
	m.fixText()
	m.fixUnclosed()
	m.fixPlace()
	m.fixQuotes()
	m.fixType()
	m.fixName()
	m.fixDescription()
	return m.fixes
}

// fixer collects the fixes of one file.
type fixer struct {
	raw   []byte
	path  string
	stem  string
	file  File
	fixes []Fix
}

// offer adds a fix to m.fixes. It drops the fix if the result is unreadable, still has the problem,
// or equals the file.
func (m *fixer) offer(fix Fix) {
	after := Parse(fix.After, m.stem)
	if after.Unreadable || after.has(fix.Code) || bytes.Equal(fix.After, m.raw) {
		return
	}
	m.fixes = append(m.fixes, fix)
}

func (m *fixer) hasFixFor(code string) bool {
	return slices.ContainsFunc(m.fixes, func(f Fix) bool { return f.Code == code })
}

// firstOf returns the first of the codes among the file's problems, or "".
func (m *fixer) firstOf(codes ...string) string {
	for _, code := range codes {
		if m.file.has(code) {
			return code
		}
	}
	return ""
}

// fixPlace offers to move a frontmatter from an unusual place or format to the top of the file. It
// offers nothing for other files.
func (m *fixer) fixPlace() {
	if !m.file.has(memories.CodeOddFrontmatter) {
		return
	}
	p := cutPage(string(m.raw))
	m.offer(Fix{
		ID: "move", Code: memories.CodeOddFrontmatter, Label: p.shape.fixLabel(),
		Explanation: "Writes the frontmatter at the start of the file. Other text stays.",
		After:       []byte(p.bom + p.opener + p.front + p.closer + p.body),
	})
}

// fixQuotes offers to rewrite a frontmatter that is not valid YAML, or a name or description that
// YAML would cut, with quotes. It offers nothing for other files.
func (m *fixer) fixQuotes() {
	if !m.file.has(memories.CodeReadLeniently) {
		return
	}
	fix := Fix{
		ID: "yaml", Code: memories.CodeReadLeniently, Label: "Write valid YAML",
		Explanation: "Adds quotes. Lines without a key move under the key “unread”.",
		After:       rewrite(m.raw, m.file.Content(), func(mapping *yaml.Node) { setContent(mapping, m.file.Content()) }),
	}
	if !readFrontmatter(cutPage(string(m.raw))).lenient {
		fix.ID, fix.Label = "quotes", "Add quotes"
		fix.Explanation = "Puts quotes around the name or the description, so that every program reads all of its words."
	}
	m.offer(fix)
}

// maxLabelLength is how many Unicode characters of a name a button shows. It is arbitrary.
const maxLabelLength = 40

// fixName offers to write the name under which the memory is known into the frontmatter. It offers
// nothing unless the stated name is missing, too long, invisible or not a text.
func (m *fixer) fixName() {
	code := m.firstOf(memories.CodeNameNotText, memories.CodeNameTooLong, memories.CodeNameInvisible, memories.CodeNameMissing)
	if code == "" {
		return
	}
	content := m.file.Content()
	label := memtext.CutRunes(content.Name, maxLabelLength)
	if label != content.Name {
		label += "…"
	}
	explanation := "Writes the name of the file into the frontmatter."
	switch code {
	case memories.CodeNameNotText:
		explanation = "Writes the words of the name as one text."
	case memories.CodeNameTooLong:
		explanation = "Writes the name as shown, cut at its end."
	}
	m.offer(Fix{
		ID: "name", Code: code, Label: "Name it “" + label + "”", Explanation: explanation,
		After: rewrite(m.raw, content, func(mapping *yaml.Node) {
			setContent(mapping, content)
			setStated(mapping, "name", content.Name)
		}),
	})
}

// fixDescription offers to turn a description that is a list or a mapping into one text with
// commas. It offers nothing for other descriptions.
func (m *fixer) fixDescription() {
	if !m.file.has(memories.CodeDescriptionNotText) {
		return
	}
	content := m.file.Content()
	if words := strings.Join(m.descriptionTexts(), ", "); hasWords(words, content.Description) {
		content.Description = words
	}
	content = content.Canonical()
	m.offer(Fix{
		ID: "description", Code: memories.CodeDescriptionNotText, Label: "Write as text",
		Explanation: "Writes the list in one line, with commas.",
		After: rewrite(m.raw, content, func(mapping *yaml.Node) {
			setContent(mapping, content)
			setStated(mapping, "description", content.Description)
		}),
	})
}

// descriptionTexts returns the texts of a description that is a list or a mapping, from the top
// level or else from metadata. It returns nil without a description.
func (m *fixer) descriptionTexts() []string {
	mapping := withoutAliases(readFrontmatter(cutPage(string(m.raw))).written)
	written := valueAt(mapping, "description")
	if metadata := mappingAt(mapping, "metadata"); metadata != nil && isNull(written) {
		written = valueAt(metadata, "description")
	}
	if isNull(written) {
		return nil
	}
	return textsIn(written)
}

// hasWords reports whether text contains all words of other.
func hasWords(text, other string) bool {
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, isSeparator) {
		words[word] = true
	}
	for word := range strings.FieldsFuncSeq(other, isSeparator) {
		if !words[word] {
			return false
		}
	}
	return true
}

// textsIn returns the texts of a node and of everything in it, in order. A mapping yields "key:
// value" for each entry.
func textsIn(n *yaml.Node) []string {
	var texts []string
	switch n.Kind {
	case yaml.ScalarNode:
		texts = []string{n.Value}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := textsIn(n.Content[i]), textsIn(n.Content[i+1])
			texts = append(texts, strings.Join(key, ", ")+": "+strings.Join(value, ", "))
		}
	default:
		for _, child := range n.Content {
			texts = append(texts, textsIn(child)...)
		}
	}
	return texts
}

// Renamed returns the file with the name set to name in canonical form. The rest of the content and
// all other entries stay, the time of the last change too. Invalid YAML becomes valid, and lines
// that are no entries are kept under the key "unread". A file that is unreadable or too large
// becomes a file with only the name. file is the file's path.
func Renamed(raw []byte, file, name string) []byte {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	content := Parse(raw, stem).Content()
	content.Name = name
	content = content.Canonical()
	return rewrite(raw, content, func(mapping *yaml.Node) { setContent(mapping, content) })
}
