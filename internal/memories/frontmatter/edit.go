package frontmatter

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// modifiedLayout is how agents write metadata.modified: RFC 3339 in UTC with milliseconds.
const modifiedLayout = "2006-01-02T15:04:05.000Z"

// Encode returns a new memory file that says c, with a flat frontmatter. Parse reads c.Canonical() back from it.
func Encode(c memories.Content) []byte {
	c = c.Canonical()
	mapping := newMapping()
	setText(mapping, "name", c.Name)
	if c.Description != "" {
		setText(mapping, "description", c.Description)
	}
	if c.Type != "" {
		setText(mapping, "type", string(c.Type))
	}
	return encodePage(page{eol: "\n"}, encodeMapping(mapping, "\n"), c)
}

// Rewrite returns raw changed to say c and nothing else: the keys that Memoir does not know stay with their order and
// comments, the type stays where it lives, byte order mark and line ends are kept, and the time of the last change
// becomes now where the file states one. A file that says c already, and in valid YAML, comes back unchanged. A frontmatter that was no
// valid YAML becomes valid; its lines that are no entries are kept under the key "unread". Of a file that Parse calls
// unreadable nothing is kept.
func Rewrite(raw []byte, c memories.Content, now time.Time) []byte {
	c = c.Canonical()
	if says(raw, c) {
		return raw
	}
	modified := now.UTC().Format(modifiedLayout)
	return rewrite(raw, c, func(mapping *yaml.Node) {
		setContent(mapping, c)
		setModified(mapping, modified)
	})
}

// rewrite returns raw with its frontmatter changed, which has to say c then, and with c's body.
func rewrite(raw []byte, c memories.Content, change func(mapping *yaml.Node)) []byte {
	p := cutPage(string(raw))
	before := readFrontmatter(p)
	if len(raw) > memories.MaxFileSize || before.unreadable != "" {
		return Encode(c)
	}
	after := withoutAliases(before.mapping)
	change(after)
	// The least change first. The next is tried only when the result would not read back as it should.
	if !before.lenient && p.hasFrontmatter() {
		if front, ok := patchLines(p, before.written, after); ok {
			if out := encodePage(p, front, c); holds(out, c, before.mapping) {
				return out
			}
		}
	}
	dropKept(after, before.kept)
	for _, simplify := range []func(*yaml.Node){func(*yaml.Node) {}, quoteBlocks, dropComments} {
		simplify(after)
		if out := encodePage(p, encodeMapping(after, p.eol), c); holds(out, c, before.mapping) {
			return out
		}
	}
	mapping := newMapping()
	setContent(mapping, c)
	setText(mapping, unreadKey, memtext.Canonical(p.front))
	return encodePage(p, encodeMapping(mapping, p.eol), c)
}

// Touch sets the time of the last change to now where the file states one and changes nothing else. Where it has none, the bytes
// come back as they are and changed is false.
func Touch(raw []byte, now time.Time) (out []byte, changed bool) {
	p := cutPage(string(raw))
	before := readFrontmatter(p)
	if len(raw) > memories.MaxFileSize || before.unreadable != "" {
		return raw, false
	}
	if in, _ := statedModified(before.mapping); in == nil {
		return raw, false
	}
	modified := now.UTC().Format(modifiedLayout)
	after := withoutAliases(before.mapping)
	setModified(after, modified)
	fronts := []string{encodeMapping(after, p.eol)}
	if front, ok := patchLines(p, before.mapping, after); ok {
		fronts = slices.Insert(fronts, 0, front)
	}
	for _, front := range fronts {
		out := encodePage(p, front, memories.Content{Body: memtext.CanonicalBody(p.body)})
		if sameButModified(before.mapping, readFrontmatter(cutPage(string(out))).mapping, modified) {
			return out, string(out) != string(raw)
		}
	}
	return raw, false
}

// encodePage joins the parts of a file around a frontmatter. The body keeps its bytes when it says c's body already.
func encodePage(p page, front string, c memories.Content) []byte {
	if !p.hasFrontmatter() {
		p.opener, p.closer = "---"+p.eol, "---"+p.eol
		if p.body != "" {
			p.body = p.eol + p.body
		}
	}
	if memtext.CanonicalBody(p.body) != c.Body {
		p.body = ""
		if memtext.LineEnding(p.closer) == "" {
			p.closer += p.eol
		}
		if c.Body != "" {
			p.body = p.eol + strings.ReplaceAll(c.Body, "\n", p.eol) + p.eol
		}
	}
	return []byte(p.bom + p.opener + front + p.closer + p.body)
}

// unsettled are the problems that saving a memory settles, whatever it says.
var unsettled = []string{
	memories.CodeNameMissing, memories.CodeNameNotText, memories.CodeDescriptionNotText, memories.CodeNoFrontmatter, memories.CodeReadLeniently, memories.CodeOddFrontmatter,
	memories.CodeTypeConflict,
}

// says tells whether a file states exactly the content c, its name included.
func says(raw []byte, c memories.Content) bool {
	f := Parse(raw, "")
	return !f.Unreadable && f.Content() == c && !slices.ContainsFunc(unsettled, f.has)
}

// holds tells whether a file that was written reads back as valid YAML that says c and still holds what the mapping
// held besides.
func holds(out []byte, c memories.Content, before *yaml.Node) bool {
	after := readFrontmatter(cutPage(string(out)))
	return says(out, c) && sameValue(besides(before, true), besides(after.mapping, true))
}

func sameButModified(before, after *yaml.Node, modified string) bool {
	in, key := statedModified(after)
	if in == nil {
		return false
	}
	text, _ := textAt(in, key)
	return text == modified && sameValue(besides(before, false), besides(after, false))
}

// editedKeys are the keys that an edit sets, at the top level or in metadata.
var editedKeys = []string{"name", "description", "type"}

// besides returns a copy of a mapping without the keys that an edit sets.
func besides(mapping *yaml.Node, edited bool) *yaml.Node {
	out := newMapping()
	modifiedIn, modifiedKey := statedModified(mapping)
	for i := 0; i < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		name := target(key).Value
		if mapping == modifiedIn && name == modifiedKey {
			continue
		}
		if edited && slices.Contains(editedKeys, name) {
			continue
		}
		if metadata := mappingAt(mapping, "metadata"); name == "metadata" && metadata != nil {
			value = newMapping()
			for j := 0; j < len(metadata.Content); j += 2 {
				if inner := target(metadata.Content[j]).Value; inner == "modified" || edited && slices.Contains(editedKeys, inner) {
					continue
				}
				value.Content = append(value.Content, metadata.Content[j:j+2]...)
			}
			if len(value.Content) == 0 {
				continue
			}
		}
		out.Content = append(out.Content, key, value)
	}
	return out
}

func (f File) has(code string) bool {
	return slices.ContainsFunc(f.Problems, func(p memories.Problem) bool { return p.Code == code })
}

// typePlaces tells where a file keeps its type: at the top level, in metadata, or in both. A file without one gets it
// at the top level.
func typePlaces(mapping *yaml.Node) (top, nested bool) {
	metadata := mappingAt(mapping, "metadata")
	nested = metadata != nil && indexOf(metadata, "type") >= 0
	return indexOf(mapping, "type") >= 0 || !nested, nested
}

// contentOf returns what a mapping says of a memory's content; the body is not its part.
func contentOf(mapping *yaml.Node) memories.Content {
	f := File{}
	f.readType(mapping, false)
	return memories.Content{
		Name: memories.CanonicalName(statedText(mapping, "name")), Type: f.Type,
		Description: memtext.CanonicalDescription(statedText(mapping, "description")),
	}
}
