package frontmatter

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Encode returns a new memory file with the content c in canonical form. Parse reads c.Canonical()
// from it if c passes Check, its type is one of Types, and the file is not larger than MaxFileSize.
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
	return encodePage(page{eol: "\n"}, encodeMapping(mapping, "\n"), c.Body)
}

// EncodeNested is like Encode, but has the type in the mapping metadata, with node_type, as Claude
// Code writes it.
func EncodeNested(c memories.Content) []byte {
	c = c.Canonical()
	mapping := newMapping()
	setText(mapping, "name", c.Name)
	if c.Description != "" {
		setText(mapping, "description", c.Description)
	}
	metadata := newMapping()
	setText(metadata, "node_type", "memory")
	if c.Type != "" {
		setText(metadata, "type", string(c.Type))
	}
	mapping.Content = append(mapping.Content, newText("metadata"), metadata)
	return encodePage(page{eol: "\n"}, encodeMapping(mapping, "\n"), c.Body)
}

// WithName returns raw, rewritten so that its name is name. If it is that already, it returns raw
// unchanged. stem is the stem of the file's path, which names a file that states no name.
func WithName(raw []byte, name, stem string, now time.Time) []byte {
	f := Parse(raw, stem)
	if f.Name == name {
		return raw
	}
	content := f.Content()
	content.Name = name
	return Rewrite(raw, content, now)
}

// Rewrite returns the file with the content c. Unknown keys, their order, comments, line ends and
// the byte order mark stay. The time of the last change becomes now, if the file states one.
// Rewrite returns raw if raw states c and has no problem that saving fixes. A misplaced or invalid
// frontmatter becomes valid YAML at the top; lines that are no entries are kept under the key
// "unread". A file that is unreadable or too large becomes Encode(c).
func Rewrite(raw []byte, c memories.Content, now time.Time) []byte {
	c = c.Canonical()
	if hasContent(raw, c) {
		return raw
	}
	return rewrite(raw, c, func(mapping *yaml.Node) {
		setContent(mapping, c)
		setModified(mapping, now)
	})
}

// rewrite returns the file with its frontmatter changed by change and with the body of c. change
// must make the frontmatter state c. If no result reads back as c with the other entries unchanged,
// the old frontmatter becomes the text of the key unread. A file that is unreadable or too large
// becomes Encode(c).
func rewrite(raw []byte, c memories.Content, change func(mapping *yaml.Node)) []byte {
	p := cutPage(string(raw))
	before := readFrontmatter(p)
	if len(raw) > memories.MaxFileSize || before.unreadable != "" {
		return Encode(c)
	}
	after := withoutAliases(before.mapping)
	change(after)
	// The smallest change is tried first. The others follow only if the result does not read back
	// as expected.
	if !before.lenient && p.hasFrontmatter() {
		if out := encodePage(p, patchLines(p, before.written, after), c.Body); readsBackAs(out, c, before.mapping) {
			return out
		}
	}
	dropRestored(after, before.restored)
	for _, simplify := range []func(*yaml.Node){func(*yaml.Node) {}, quoteBlocks, dropComments} {
		simplify(after)
		if out := encodePage(p, encodeMapping(after, p.eol), c.Body); readsBackAs(out, c, before.mapping) {
			return out
		}
	}
	mapping := newMapping()
	setContent(mapping, c)
	setText(mapping, unreadKey, memtext.Canonical(p.front))
	return encodePage(p, encodeMapping(mapping, p.eol), c.Body)
}

// Touch returns the file with its stated time of the last change set to now, in milliseconds. The
// content and all other entries stay. changed reports whether the bytes differ from raw. If the
// file states no such time, is unreadable or too large, or another entry would change, Touch
// returns raw and false.
func Touch(raw []byte, now time.Time) (out []byte, changed bool) {
	p := cutPage(string(raw))
	before := readFrontmatter(p)
	if len(raw) > memories.MaxFileSize || before.unreadable != "" {
		return raw, false
	}
	if in, _ := statedModified(before.mapping); in == nil {
		return raw, false
	}
	after, content, now := withoutAliases(before.mapping), Parse(raw, "").Content(), now.Truncate(time.Millisecond)
	setModified(after, now)
	for _, front := range []string{patchLines(p, before.mapping, after), encodeMapping(after, p.eol)} {
		out := encodePage(p, front, memtext.CanonicalBody(p.body))
		f := Parse(out, "")
		if f.Content() == content && f.Modified.Equal(now) && sameOthers(after, readFrontmatter(cutPage(string(out))).mapping) {
			return out, string(out) != string(raw)
		}
	}
	return raw, false
}

// encodePage returns the file of p with the frontmatter front and the text body below it. If the
// body of p equals body in canonical form, its bytes stay. If p has no frontmatter, encodePage adds
// the lines ---.
func encodePage(p page, front, body string) []byte {
	if !p.hasFrontmatter() {
		p.opener, p.closer = "---"+p.eol, "---"+p.eol
		if p.body != "" {
			p.body = p.eol + p.body
		}
	}
	if memtext.CanonicalBody(p.body) != body {
		p.body = ""
		if memtext.LineEnding(p.closer) == "" {
			p.closer += p.eol
		}
		if body != "" {
			p.body = p.eol + strings.ReplaceAll(body, "\n", p.eol) + p.eol
		}
	}
	return []byte(p.bom + p.opener + front + p.closer + p.body)
}

// fixedBySaving are the problems that saving a memory removes.
var fixedBySaving = []string{
	memories.CodeNameMissing, memories.CodeNameNotText, memories.CodeDescriptionNotText, memories.CodeNoFrontmatter, memories.CodeReadLeniently, memories.CodeOddFrontmatter,
	memories.CodeTypeConflict,
}

// hasContent reports whether a file is readable, states exactly the content c, and has none of the
// problems fixedBySaving.
func hasContent(raw []byte, c memories.Content) bool {
	f := Parse(raw, "")
	return !f.Unreadable && f.Content() == c && !slices.ContainsFunc(fixedBySaving, f.has)
}

// readsBackAs reports whether a rewritten file is valid YAML, states exactly c, and has the same
// other entries as the mapping before.
func readsBackAs(out []byte, c memories.Content, before *yaml.Node) bool {
	return hasContent(out, c) && sameOthers(before, readFrontmatter(cutPage(string(out))).mapping)
}

// sameOthers reports whether two mappings have equal entries, apart from those that withoutEdited
// omits.
func sameOthers(a, b *yaml.Node) bool { return sameValue(withoutEdited(a), withoutEdited(b)) }

// withoutEdited returns a copy of a mapping without the entries that an edit sets. These are name,
// description, type and the time of the last change, at the top level and in metadata. Empty
// metadata is omitted too.
func withoutEdited(mapping *yaml.Node) *yaml.Node {
	out := newMapping()
	modifiedIn, modifiedKey := statedModified(mapping)
	for i := 0; i < len(mapping.Content); i += 2 {
		name, value := target(mapping.Content[i]).Value, mapping.Content[i+1]
		switch {
		case slices.Contains([]string{"name", "description", "type"}, name):
			continue
		case mapping == modifiedIn && name == modifiedKey:
			continue
		case name == "metadata" && mappingAt(mapping, name) != nil:
			if value = withoutEdited(target(value)); len(value.Content) == 0 {
				continue
			}
		}
		out.Content = append(out.Content, mapping.Content[i], value)
	}
	return out
}

func (f File) has(code string) bool {
	return slices.ContainsFunc(f.Problems, func(p memories.Problem) bool { return p.Code == code })
}

// contentOf returns the name, type and description that a mapping states, in canonical form. A
// field is empty if the mapping does not state it, or states an unknown type. Body is always empty.
func contentOf(mapping *yaml.Node) memories.Content {
	f := File{}
	f.readType(mapping, false)
	return memories.Content{
		Name: memories.CanonicalName(statedText(mapping, "name")), Type: f.Type,
		Description: memtext.CanonicalDescription(statedText(mapping, "description")),
	}
}
