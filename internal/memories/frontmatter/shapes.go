package frontmatter

import (
	"slices"
	"strings"
	"unicode"

	"memoir/internal/memories/memtext"
)

// shape is the place or format of a frontmatter.
type shape string

// The shapes of a frontmatter. All but inPlace are reported as a problem and can be fixed.
const (
	inPlace     shape = ""
	belowBlank  shape = "below blank lines or a comment"
	belowText   shape = "below other text"
	inCodeFence shape = "in a code fence"
	inComment   shape = "in a comment"
	oddFence    shape = "between lines that are not ---"
	dotsClose   shape = "closed with ... instead of ---"
	twoBlocks   shape = "in two blocks"
	otherKeys   shape = "written with other letters in its keys"
	inTOML      shape = "in TOML"
	inJSON      shape = "in JSON"
)

func (s shape) message() string {
	return "The frontmatter is " + string(s) + ". It was read, but other programs may not find it. " +
		s.fixLabel() + "."
}

// fixLabel returns the button text of the fix that moves a frontmatter of this shape to the top.
func (s shape) fixLabel() string {
	switch s {
	case inCodeFence:
		return "Remove code fence"
	case inComment:
		return "Remove comment marks"
	case oddFence, dotsClose:
		return "Use --- lines"
	case twoBlocks:
		return "Merge both blocks"
	case otherKeys:
		return "Correct the keys"
	case inTOML, inJSON:
		return "Write as YAML"
	default:
		return "Move to top"
	}
}

// knownKeys are the top-level keys that Memoir reads.
var knownKeys = []string{"name", "description", "type", "metadata"}

// knownMetadata are the keys of metadata that Memoir reads.
var knownMetadata = []string{"name", "description", "type", "modified", MetadataSession}

// foldKey returns a key in lower case, without quotes, emphasis, white space and braces around it.
func foldKey(key string) string {
	return strings.ToLower(strings.TrimFunc(key, func(r rune) bool {
		return isInvisible(r) || strings.ContainsRune("\"'`*{", r)
	}))
}

// isInvisible reports whether r is white space or has no width.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200B' || r == '\uFEFF'
}

func trimBlank(s string) string { return strings.TrimFunc(s, isInvisible) }

// isFrontmatter reports whether the text between two lines --- is a frontmatter and not prose
// between two rules. A frontmatter has a known key, or consists of entries whose keys are single
// words.
func isFrontmatter(front string) bool {
	keys, longest := keysIn(front)
	return len(keys) > 0 || longest <= 1
}

const (
	// maxKeyWords is how many words a key may have. It is arbitrary; people use "Date created".
	maxKeyWords = 3
	noKey       = maxKeyWords + 1
)

// keysIn returns the known keys that start a line of text, in lower case. longest is the number of
// words of the longest key, or noKey if a line is not part of an entry.
func keysIn(text string) (keys []string, longest int) {
	level := -1
	for rest := text; rest != ""; {
		var line string
		line, rest = memtext.CutLine(rest)
		bare := strings.TrimRight(line, "\r\n")
		trimmed := trimBlank(bare)
		if trimmed == "" || isComment(trimmed) {
			continue
		}
		isFirst := level < 0
		if isFirst {
			level = indentOf(bare)
		}
		key, _, ok := splitEntry(strings.TrimPrefix(trimmed, "- "))
		switch {
		case ok && indentOf(bare) <= level && slices.Contains(knownKeys, foldKey(key)):
			keys = append(keys, foldKey(key))
			longest = max(longest, 1)
		case !isFirst && (indentOf(bare) > level || isItem(trimmed)):
		case ok && !isItem(trimmed):
			longest = max(longest, len(strings.Fields(key)))
		case strings.Trim(trimmed, "{}[],") != "": // other lines are parts of a mapping in braces
			longest = noKey
		}
	}
	return keys, longest
}

// isMemory reports whether a text is probably the frontmatter of a memory. If strict, it must have
// a name, and a type or metadata, and only entries. If not, a name and one of these are enough, or
// one of the three if it has only entries.
func isMemory(front string, strict bool) bool {
	keys, longest := keysIn(front)
	name := slices.Contains(keys, "name")
	kind := slices.Contains(keys, "type") || slices.Contains(keys, "metadata")
	prose := longest > maxKeyWords
	if strict {
		return name && kind && !prose
	}
	return name && kind || (name || kind) && !prose
}

// isOddFence reports whether a line is an unusual fence: indented, with more hyphens, or with
// dashes that an editor put in their place.
func isOddFence(line string) bool {
	text := trimBlank(line)
	dashes := strings.Trim(text, "–—-")
	return dashes == "" && (len(text) >= len("---") && strings.Trim(text, "-") == "" || strings.ContainsAny(text, "–—"))
}
