package frontmatter

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// The metadata that a memory has that was found in a conversation, as agents write it too.
const (
	// MetadataSession is the key of the session that the memory is from.
	MetadataSession = "originSessionId"
	// MetadataSource is the key of who has found it; SourceExtraction is what Memoir says there.
	MetadataSource   = "source"
	SourceExtraction = "extraction"
)

// WithMetadata returns a memory file with those entries in its metadata, which is made where there is none, and changed in nothing
// else. Of a file that it cannot put them into without a change to something else, the bytes come back as they are.
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
			return raw // it is something else
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

// patchMetadata returns the frontmatter of p with the entries in it, and all other lines as they are; see patchLines.
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
