package frontmatter

import (
	"errors"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxDepth is how deep lists and mappings may be nested. It is arbitrary; people use three levels.
// The library takes quadratic time to write deeper ones.
const maxDepth = 50

// maxBrackets is how many brackets may be open at once in a text for the library. It is arbitrary.
const maxBrackets = 500

// openBrackets returns the largest number of brackets and braces that are open at once in a text.
// Quoted ones count too.
func openBrackets(text string) (deepest int) {
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			open++
			deepest = max(deepest, open)
		case ']', '}':
			open = max(open-1, 0)
		}
	}
	return deepest
}

// depthOf returns how deep values are nested in a node: 1 for a node without children. It does not
// follow aliases.
func depthOf(n *yaml.Node) int {
	depth := 0
	for _, child := range n.Content {
		depth = max(depth, depthOf(child))
	}
	return depth + 1
}

// readYAML parses a frontmatter as YAML. An empty text is an empty mapping. It returns nil for
// invalid YAML, for several documents, and for anything but a mapping. It also returns nil for
// repeated keys, at the top level or in metadata, and for text that exceeds maxBrackets or
// maxDepth.
func readYAML(text string) (mapping *yaml.Node) {
	defer func() {
		// The library panics on some malformed input.
		if recover() != nil {
			mapping = nil
		}
	}()
	if openBrackets(text) > maxBrackets {
		return nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return newMapping()
	case err != nil:
		return nil
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil
	}
	root := document.Content[0]
	if isNull(root) {
		return newMapping()
	}
	if root.Kind != yaml.MappingNode || depthOf(root) > maxDepth || repeatsKey(root) {
		return nil
	}
	if metadata := mappingAt(root, "metadata"); metadata != nil && repeatsKey(metadata) {
		return nil
	}
	return root
}

func newMapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func newText(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsAny(s, "\n\t\u0085\u2028\u2029\uFEFF") {
		// A quoted scalar keeps every character; block scalars lose white space at their ends.
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// target returns the node to which an alias refers, or n itself if it is not an alias. It may
// return nil for a nil n.
func target(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = target(n)
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// indexOf returns the index of the first such key in a mapping's Content, or -1. The value is at
// the next index.
func indexOf(mapping *yaml.Node, key string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if k := target(mapping.Content[i]); k.Kind == yaml.ScalarNode && k.Value == key {
			return i
		}
	}
	return -1
}

func valueAt(mapping *yaml.Node, key string) *yaml.Node {
	if i := indexOf(mapping, key); i >= 0 {
		return mapping.Content[i+1]
	}
	return nil
}

// mappingAt returns the mapping that is the value of key, with aliases followed, or nil.
func mappingAt(mapping *yaml.Node, key string) *yaml.Node {
	if n := target(valueAt(mapping, key)); n != nil && n.Kind == yaml.MappingNode {
		return n
	}
	return nil
}

// maxMerges is how deep merge keys may be nested. It is arbitrary; people use one level.
const maxMerges = 8

// mergedAt returns the value that a merge key (<<) of a mapping adds for key, or nil. It follows
// merge keys up to depth levels.
func mergedAt(mapping *yaml.Node, key string, depth int) *yaml.Node {
	from := target(valueAt(mapping, "<<"))
	if from == nil || depth == 0 {
		return nil
	}
	sources := []*yaml.Node{from}
	if from.Kind == yaml.SequenceNode {
		sources = from.Content
	}
	for _, source := range sources {
		if source = target(source); source.Kind != yaml.MappingNode {
			continue
		}
		if value := valueAt(source, key); value != nil {
			return target(value)
		}
		if value := mergedAt(source, key, depth-1); value != nil {
			return value
		}
	}
	return nil
}

// hasTooMany reports whether a mapping and everything in it have more than maxKeys keys or 10 ×
// maxKeys values. It does not follow aliases.
func hasTooMany(mapping *yaml.Node) bool {
	keys, values := 0, 0
	var count func(n *yaml.Node)
	count = func(n *yaml.Node) {
		values++
		if n.Kind == yaml.MappingNode {
			keys += len(n.Content) / 2
		}
		for _, child := range n.Content {
			count(child)
		}
	}
	count(mapping)
	return keys > maxKeys || values > 10*maxKeys
}

func repeatsKey(mapping *yaml.Node) bool {
	seen := map[string]bool{}
	for i := 0; i < len(mapping.Content); i += 2 {
		if key := target(mapping.Content[i]); key.Kind == yaml.ScalarNode {
			if seen[key.Value] {
				return true
			}
			seen[key.Value] = true
		}
	}
	return false
}

const (
	// maxAliasedNodes is how many values aliases may add. It is arbitrary: people's aliases add a
	// few, but nested aliases can add millions.
	maxAliasedNodes = 10_000
	// maxAliasedBytes is how many bytes of text aliases may add.
	maxAliasedBytes = maxFrontmatter
)

// isAliasBomb reports whether following all aliases adds more than maxAliasedNodes values or
// maxAliasedBytes bytes, or never ends.
func isAliasBomb(root *yaml.Node) bool {
	added, size := 0, 0
	var follow func(n *yaml.Node, aliased bool, path []*yaml.Node) bool
	follow = func(n *yaml.Node, aliased bool, path []*yaml.Node) bool {
		if aliased {
			added++
			size += len(n.Value)
		}
		if added > maxAliasedNodes || size > maxAliasedBytes {
			return false
		}
		if n.Kind == yaml.AliasNode {
			if slices.Contains(path, n.Alias) {
				return false
			}
			return follow(n.Alias, true, append(path, n.Alias))
		}
		for _, child := range n.Content {
			if !follow(child, aliased, path) {
				return false
			}
		}
		return true
	}
	return !follow(root, false, nil)
}

// sameValue reports whether two values are equal, with aliases followed. Keys must have the same
// order. All spellings of null are equal. Both must have passed isAliasBomb.
func sameValue(a, b *yaml.Node) bool {
	a, b = target(a), target(b)
	if isNull(a) && isNull(b) {
		return true // in any spelling of null
	}
	if a.Kind != b.Kind || a.Value != b.Value || a.ShortTag() != b.ShortTag() {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, sameValue)
}
