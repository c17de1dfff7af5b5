// Package frontmatter parses and rewrites memory files: Markdown with YAML frontmatter. It also
// reads frontmatter in unusual places and formats, rewrites a file without changing other bytes,
// and offers fixes for the problems that it finds. It works on bytes and never touches the disk or
// the database. internal/sync calls it for each file, the pages and the API for edits.
package frontmatter

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// File is a parsed memory file.
type File struct {
	Name          string
	Type          memories.Type // empty if missing or unknown
	Description   string
	Body          string
	Modified      time.Time // from statedModified; zero without a valid date
	OriginSession string    // metadata.originSessionId, or empty
	Problems      []memories.Problem
	// Unreadable means that only Name (from the file name) and Problems are set.
	Unreadable bool
	// Plain means that the file has no frontmatter, and its format needs none.
	Plain bool
}

// Parse parses a memory file. stem is the file's name without extension, and replaces a missing or
// invisible name. Parse never fails: a file that it cannot read, or larger than MaxFileSize, has
// Unreadable set. All defects are in Problems. Without frontmatter, the whole text is the body.
func Parse(raw []byte, stem string) File {
	if len(raw) > memories.MaxFileSize {
		return UnreadableFile(stem, memories.ProblemOf(memories.CodeTooLarge))
	}
	p := cutPage(string(raw))
	r := readFrontmatter(p)
	if r.unreadable != "" {
		return UnreadableFile(stem, memories.ProblemOf(r.unreadable))
	}
	f := File{Body: memtext.CanonicalBody(p.body)}
	if _, nul, invalid := memtext.Sanitise(string(raw)); nul || invalid {
		f.flag(nul, memories.CodeNUL)
		f.flag(invalid, memories.CodeInvalidUTF8)
	}
	f.flag(!p.hasFrontmatter(), memories.CodeNoFrontmatter)
	f.flag(r.lenient, memories.CodeReadLeniently)
	if !r.lenient && len(r.restored) > 0 {
		f.Problems = append(f.Problems, memories.Problem{Code: memories.CodeReadLeniently, Message: memories.KeptWordsMessage})
	}
	if p.shape != inPlace {
		f.Problems = append(f.Problems, memories.Problem{Code: memories.CodeOddFrontmatter, Message: p.shape.message()})
	}
	f.readName(r, stem, p.hasFrontmatter())
	f.readType(r.mapping, p.hasFrontmatter())
	f.Description = memtext.CanonicalDescription(statedText(r.mapping, "description"))
	f.flag(r.isNotText("description"), memories.CodeDescriptionNotText)
	f.flag(f.Description == "" && p.hasFrontmatter(), memories.CodeNoDescription)
	f.readMetadata(r.mapping)
	f.flag(memories.HasMergeConflict(string(raw)), memories.CodeMergeConflict)
	return f
}

// UnreadableFile returns the File of a file that could not be read because of p. Only Name, which
// is from stem, Problems and Unreadable are set.
func UnreadableFile(stem string, p memories.Problem) File {
	return File{Name: stemName(stem), Problems: []memories.Problem{p}, Unreadable: true}
}

// Fingerprint returns the fingerprint of the file's type, description and body. For an unreadable
// file it is the fingerprint of raw, the bytes that were parsed. It never equals the fingerprint of
// a readable file.
func (f File) Fingerprint(raw []byte) memories.Fingerprint {
	if !f.Unreadable {
		return memories.FingerprintOf(f.Type, f.Description, f.Body)
	}
	h := sha256.New()
	// A readable content starts with the length of its type, which is never this large.
	h.Write([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
	h.Write(raw)
	var sum memories.Fingerprint
	h.Sum(sum[:0])
	return sum
}

// Content returns the file's name, type, description and body, in canonical form. For an unreadable
// file only the name is set.
func (f File) Content() memories.Content {
	return memories.Content{Name: f.Name, Type: f.Type, Description: f.Description, Body: f.Body}
}

func (f *File) flag(condition bool, code string) {
	if condition {
		f.Problems = append(f.Problems, memories.ProblemOf(code))
	}
}

// readName sets f.Name to the stated name, or to one from stem if that is empty or invisible. It
// adds problems of the name to f.Problems. A missing name is a problem only if expected.
func (f *File) readName(r reading, stem string, expected bool) {
	written := statedText(r.mapping, "name")
	f.Name = memories.CanonicalName(written)
	notText := r.isNotText("name")
	f.flag(notText, memories.CodeNameNotText)
	f.flag(!notText && f.Name == "" && expected, memories.CodeNameMissing)
	f.flag(utf8.RuneCountInString(f.Name) == memories.MaxNameLength && memories.NormalizeName(memtext.OneLine(memtext.Canonical(written))) != f.Name, memories.CodeNameTooLong)
	visible := f.Name == "" || memtext.IsVisible(f.Name)
	f.flag(!visible, memories.CodeNameInvisible)
	if f.Name == "" || !visible {
		f.Name = stemName(stem)
	}
}

// stemName returns a valid name for a file's stem: the stem in canonical form, or a hash of it if
// that is invisible.
func stemName(stem string) string {
	if name := memories.CanonicalName(stem); memtext.IsVisible(name) {
		return name
	}
	return memtext.ShortHash(stem)
}

// readType sets f.Type to the type stated at the top level, else in metadata, and adds problems of
// the type to f.Problems. f.Type is empty if the type is missing or unknown. A missing type is a
// problem only if expected.
func (f *File) readType(mapping *yaml.Node, expected bool) {
	top, topIsText := textAt(mapping, "type")
	nested, nestedIsText := "", true
	if metadata := mappingAt(mapping, "metadata"); metadata != nil {
		nested, nestedIsText = textAt(metadata, "type")
	}
	written, isText := top, topIsText
	if topIsText && strings.TrimSpace(top) == "" {
		written, isText = nested, nestedIsText
	}
	known := false
	f.Type, known = memories.ParseType(written)
	empty := isText && strings.TrimSpace(written) == ""
	f.flag(!isText, memories.CodeTypeNotText)
	f.flag(empty && expected, memories.CodeTypeMissing)
	f.flag(isText && !empty && !known, memories.CodeTypeUnknown)
	other, _ := memories.ParseType(nested)
	f.flag(written == top && nested != "" && other != f.Type, memories.CodeTypeConflict)
}

func (f *File) readMetadata(mapping *yaml.Node) {
	f.readModified(mapping)
	metadata := mappingAt(mapping, "metadata")
	if metadata == nil {
		return
	}
	session, _ := textAt(metadata, MetadataSession)
	f.OriginSession = memtext.OneLine(session)
}

// textAt returns the text of a key as written: 012 is "012" and true is "true". A key that a merge
// key (<<) adds counts too. Missing keys and null return "" and true. For a list or a mapping, it
// returns "" and false.
func textAt(mapping *yaml.Node, key string) (text string, isText bool) {
	value := target(valueAt(mapping, key))
	if value == nil {
		value = mergedAt(mapping, key, maxMerges)
	}
	if isNull(value) {
		return "", true
	}
	if value.Kind != yaml.ScalarNode {
		return "", false
	}
	return value.Value, true
}

// statedText returns the text of a key at the top level or, if that is blank, of the same key in
// metadata. It returns "" if neither has a text.
func statedText(mapping *yaml.Node, key string) string {
	text, _ := textAt(mapping, key)
	if metadata := mappingAt(mapping, "metadata"); metadata != nil && strings.TrimSpace(text) == "" {
		text, _ = textAt(metadata, key)
	}
	return text
}

const (
	// maxFrontmatter is the size in bytes above which a frontmatter is not read. It is arbitrary.
	maxFrontmatter = 64 << 10
	// maxKeys is the largest number of keys, including those of nested mappings. It is arbitrary.
	maxKeys = 1000
)

// reading is a frontmatter and how it was read.
type reading struct {
	mapping    *yaml.Node // empty without frontmatter
	written    *yaml.Node // mapping as YAML reads it, before literalReader restored words
	lenient    bool       // not valid YAML
	restored   []string   // see literalReader
	notText    []string   // see literalReader
	unreadable string     // problem code if the frontmatter is not read; then other fields are unset
}

// isNotText reports whether the effective value of key is a list or a mapping.
func (r reading) isNotText(key string) bool {
	if slices.Contains(r.notText, key) {
		return true
	}
	top, _ := textAt(r.mapping, key)
	return strings.TrimSpace(top) == "" && slices.Contains(r.notText, "metadata."+key)
}

// readFrontmatter parses the frontmatter of p: as YAML, or line by line if it is not valid YAML.
// Names and descriptions get back the words that YAML drops. If it is too large, has too many
// entries or is an alias bomb, unreadable has the problem's code and mapping is empty.
func readFrontmatter(p page) reading {
	r := reading{mapping: newMapping(), written: newMapping()}
	if len(p.front) > maxFrontmatter {
		r.unreadable = memories.CodeFrontmatterTooLarge
		return r
	}
	text := memtext.Canonical(p.front)
	// A line "..." ends a YAML document, and YAML would ignore the rest.
	ends := slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.TrimRight(line, " \t") == "..."
	})
	mapping := readYAML(text)
	r.lenient = mapping == nil || ends
	if r.lenient {
		mapping = readLeniently(text)
	}
	switch {
	case mapping == nil:
		r.unreadable = memories.CodeFrontmatterTooLarge
	case isAliasBomb(mapping):
		r.unreadable = memories.CodeAliasBomb
	case hasTooMany(mapping):
		r.unreadable = memories.CodeFrontmatterTooLarge
	default:
		keeper := literalReader{lines: strings.Split(text, "\n")}
		r.written, r.mapping = mapping, keeper.restore(mapping, "")
		r.restored, r.notText = keeper.restored, keeper.notText
	}
	return r
}

// FlawsOf returns the signs of an unfinished file: no stated name, no end of the frontmatter, no
// text, a merge conflict. A file of white space and NULs has no text. It returns 0 without such
// signs. raw are the file's bytes and f is the result of Parse for them.
func FlawsOf(raw []byte, f File) (flaws memories.Flaw) {
	text := strings.TrimPrefix(string(raw), memtext.ByteOrderMark)
	if f.has(memories.CodeNoFrontmatter) || f.has(memories.CodeNameMissing) || f.has(memories.CodeNameNotText) {
		flaws |= memories.FlawNameless
	}
	if opener, _ := memtext.CutLine(text); isFence(opener) && f.has(memories.CodeNoFrontmatter) {
		flaws |= memories.FlawUnclosed
	}
	if strings.Trim(text, " \t\r\n\x00") == "" { // after a crash, a file can consist of NUL bytes
		flaws |= memories.FlawEmpty
	}
	if f.has(memories.CodeMergeConflict) {
		flaws |= memories.FlawMergeConflict
	}
	return flaws
}
