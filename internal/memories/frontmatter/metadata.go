package frontmatter

import (
	"maps"
	"slices"
	"strings"

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

// WithMetadata returns the file with entries set in its metadata and everything else unchanged. It
// adds a missing metadata mapping. It returns raw if it cannot set the entries without another
// change.
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
	c := contentOf(before.mapping)
	c.Body = memtext.CanonicalBody(p.body)
	fronts := []string{encodeMapping(after, p.eol)}
	if front, ok := patchMetadata(p, before.mapping, after, entries); ok {
		fronts = slices.Insert(fronts, 0, front)
	}
	for _, front := range fronts {
		out := []byte(encodePage(p, front, c))
		if sameValue(after, readFrontmatter(cutPage(string(out))).mapping) && strings.HasSuffix(string(out), p.body) {
			return out
		}
	}
	return raw
}

// patchMetadata returns p's frontmatter with entries set in its metadata; see patchLines.
func patchMetadata(p page, before, after *yaml.Node, entries map[string]string) (front string, ok bool) {
	patch := linePatch{lines: memtext.Lines(p.front), eol: p.eol}
	metadata := mappingAt(before, "metadata")
	if metadata == nil {
		patch.change(before, after, "metadata")
		return patch.apply()
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		patch.change(metadata, mappingAt(after, "metadata"), key)
	}
	return patch.apply()
}
