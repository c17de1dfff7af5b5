package frontmatter

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Format is the form of the memory files of a client: how it writes a new file, and which files are
// memories without a flaw.
type Format int

const (
	// Flat has all keys at the top level, as Encode writes them.
	Flat Format = iota
	// Nested has the type in metadata, as EncodeNested writes it.
	Nested
	// FlatOrPlain is Flat for new files. A file without frontmatter is a memory too: the whole text
	// is its body.
	FlatOrPlain
	// Plain has no frontmatter: the file's path states the name, and a heading of level 1 at the
	// top the description. A file with frontmatter is read and kept as it is.
	Plain
	// Block has frontmatter with a description at most; the file's path states the name.
	Block
	// Section is a part of a file, from its heading on. Its path states the name. The heading is the
	// description, or a line "scope:" below it.
	Section
)

// plainType is the type of a memory whose format has no place for one.
const plainType = memories.Project

// Parse is the function Parse for a file of this format. label is the name that the file's path
// states.
func (f Format) Parse(raw []byte, label string) File {
	if f == Section {
		return parseSection(raw, label)
	}
	file := Parse(raw, label)
	switch {
	case file.Unreadable:
	case f == Block:
		file.drop(memories.CodeNoFrontmatter, memories.CodeNameMissing, memories.CodeTypeMissing)
		if file.Type == "" && !file.has(memories.CodeTypeUnknown) {
			file.Type = plainType
		}
	case f.allowsPlain() && file.has(memories.CodeNoFrontmatter) && isPlain(raw):
		file.drop(memories.CodeNoFrontmatter)
		file.Plain, file.Type = true, plainType
		if f == Plain {
			file.Description, file.Body = cutHeading(file.Body)
		}
	}
	return file
}

func (f Format) allowsPlain() bool { return f == Plain || f == FlatOrPlain }

// Encode returns the file with the content c. If base is not nil, it changes the file base as
// Rewrite does, or returns a new file. label is the name that the file's path states.
func (f Format) Encode(base []byte, label string, c memories.Content, now time.Time) []byte {
	if f == Plain && (base == nil || f.Parse(base, label).Plain) {
		if out, ok := encodePlain(base, label, c); ok {
			return out
		}
	}
	switch {
	case base != nil:
		return Rewrite(base, c, now)
	case f == Nested:
		return EncodeNested(c)
	}
	return Encode(c)
}

// WithName is the function WithName for a file of this format.
func (f Format) WithName(raw []byte, name, label string, now time.Time) []byte {
	file := f.Parse(raw, label)
	if file.Name == name {
		return raw
	}
	content := file.Content()
	content.Name = name
	return f.Encode(raw, label, content, now)
}

// parseSection parses a file, or a part of one, in the format Section.
func parseSection(raw []byte, label string) File {
	if len(raw) > memories.MaxFileSize {
		return UnreadableFile(label, memories.ProblemOf(memories.CodeTooLarge))
	}
	text, nul, invalid := memtext.Sanitise(string(raw))
	file := File{Name: stemName(label), Type: plainType, Plain: true, Body: memtext.CanonicalBody(text)}
	file.flag(nul, memories.CodeNUL)
	file.flag(invalid, memories.CodeInvalidUTF8)
	file.flag(memories.HasMergeConflict(text), memories.CodeMergeConflict)
	heading, rest, _ := strings.Cut(file.Body, "\n")
	title := strings.TrimLeft(heading, "#")
	if title == heading || !strings.HasPrefix(title, " ") {
		return file
	}
	file.Description, file.Body = memtext.CanonicalDescription(strings.TrimPrefix(title, " Task Group:")), memtext.CanonicalBody(rest)
	if scope, found := strings.CutPrefix(file.Body, "scope:"); found {
		line, _ := memtext.CutLine(scope)
		file.Description = cmp.Or(memtext.CanonicalDescription(line), file.Description)
	}
	return file
}

// CanCopy reports whether a file of another format can be copied as it is: it has frontmatter, or
// this format has none.
func (f Format) CanCopy(raw []byte) bool { return f == Plain == Plain.Parse(raw, "").Plain }

// drop removes the problems with these codes.
func (f *File) drop(codes ...string) {
	f.Problems = slices.DeleteFunc(f.Problems, func(p memories.Problem) bool { return slices.Contains(codes, p.Code) })
}

// isPlain reports whether a file has text and no beginning of a frontmatter.
func isPlain(raw []byte) bool {
	text := strings.Trim(strings.TrimPrefix(string(raw), memtext.ByteOrderMark), " \t\r\n\x00")
	first, _ := memtext.CutLine(text)
	return text != "" && !isFence(first)
}

// cutHeading returns the text of a heading of level 1 in the first line of a canonical body, and
// the rest. Without such a heading, it returns "" and body.
func cutHeading(body string) (heading, rest string) {
	first, rest, _ := strings.Cut(body, "\n")
	text, found := strings.CutPrefix(first, "# ")
	if heading = memtext.CanonicalDescription(text); !found || heading == "" {
		return "", body
	}
	return heading, memtext.CanonicalBody(rest)
}

// encodePlain returns the content without frontmatter, with the line ends and the byte order mark
// of base. If base has that content, it returns base. A content without any text gets its name as
// heading. ok is false if the result does not read back as the name and the text of c. The type has
// no place in it.
func encodePlain(base []byte, label string, c memories.Content) (out []byte, ok bool) {
	c = c.Canonical()
	if plainText(c) == "" {
		c.Description = c.Name
	}
	isContent := func(raw []byte) bool {
		read := Plain.Parse(raw, label)
		return read.Plain && read.Name == c.Name && plainText(read.Content()) == plainText(c)
	}
	if base != nil && isContent(base) {
		return base, true
	}
	p := cutTop(string(base))
	text := p.bom + strings.ReplaceAll(plainText(c)+"\n", "\n", p.eol)
	return []byte(text), isContent([]byte(text))
}

// plainText returns the description as a heading of level 1, if there is one, and the body.
func plainText(c memories.Content) string {
	if c.Description == "" {
		return c.Body
	}
	return strings.TrimRight("# "+memtext.OneLine(c.Description)+"\n\n"+c.Body, "\n")
}
