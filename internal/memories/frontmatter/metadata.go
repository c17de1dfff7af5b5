package frontmatter

import (
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Keys and values of metadata in memories that were found in a conversation.
const (
	// MetadataSession is the key of the session from which the memory comes.
	MetadataSession = "originSessionId"
	// MetadataSource is the key of the program that found the memory; Memoir writes
	// SourceExtraction.
	MetadataSource   = "source"
	SourceExtraction = "extraction"
)

// MetadataOf returns the text of an entry in the file's metadata, or "".
func MetadataOf(raw []byte, key string) string {
	front := readFrontmatter(cutPage(string(raw)))
	if front.unreadable != "" || front.mapping == nil {
		return ""
	}
	metadata := mappingAt(front.mapping, "metadata")
	if metadata == nil {
		return ""
	}
	if value := target(valueAt(metadata, key)); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// WithMetadata returns the file with the given entries set in its metadata; an empty value removes
// the key. It adds a missing metadata mapping. The content and all other entries stay. It returns
// raw if entries is empty, or if the frontmatter is missing, misplaced, unreadable or not valid
// YAML. It also returns raw if metadata is not a mapping, or another entry would change.
func WithMetadata(raw []byte, entries map[string]string) []byte {
	p := cutPage(string(raw))
	before := readFrontmatter(p)
	if len(entries) == 0 || len(raw) > memories.MaxFileSize || before.unreadable != "" || before.lenient || p.shape != inPlace || !p.hasFrontmatter() {
		return raw
	}
	after := withoutAliases(before.mapping)
	metadata := mappingAt(after, "metadata")
	if metadata == nil {
		if indexOf(after, "metadata") >= 0 {
			return raw // metadata is not a mapping
		}
		metadata = newMapping()
		after.Content = append(after.Content, newText("metadata"), metadata)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		setText(metadata, key, entries[key])
	}
	for _, front := range []string{patchLines(p, before.mapping, after), encodeMapping(after, p.eol)} {
		if out := encodePage(p, front, memtext.CanonicalBody(p.body)); sameValue(after, readFrontmatter(cutPage(string(out))).mapping) {
			return out
		}
	}
	return raw
}
