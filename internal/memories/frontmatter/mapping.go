package frontmatter

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
)

// setContent makes a mapping state the name, description and type of c; it ignores the body. It
// leaves a key unchanged if it states that value already. Existing keys keep their place;
// insertIndex places new ones. An empty field removes its key.
func setContent(mapping *yaml.Node, c memories.Content) {
	current := contentOf(mapping)
	if current.Name != c.Name {
		setStated(mapping, "name", c.Name)
	}
	if current.Description != c.Description {
		setStated(mapping, "description", c.Description)
	}
	var stated File
	if stated.readType(mapping, false); stated.Type != c.Type || stated.has(memories.CodeTypeConflict) {
		setType(mapping, c.Type)
	}
}

// setStated sets a key where statedText reads it. That is metadata if it has the key and the top
// level has no text there, else the top level. An empty text removes the key from both.
func setStated(mapping *yaml.Node, key, text string) {
	metadata := mappingAt(mapping, "metadata")
	if metadata == nil || indexOf(metadata, key) < 0 {
		setText(mapping, key, text)
		return
	}
	if top, _ := textAt(mapping, key); text == "" || strings.TrimSpace(top) != "" {
		setText(mapping, key, text)
	}
	if top, _ := textAt(mapping, key); strings.TrimSpace(top) == "" {
		setText(metadata, key, text)
	}
}

// setType sets the type wherever the mapping has one, at the top level and in metadata. If it has
// none, setType adds it at the top level. An empty type removes the key.
func setType(mapping *yaml.Node, t memories.Type) {
	metadata := mappingAt(mapping, "metadata")
	nested := metadata != nil && indexOf(metadata, "type") >= 0
	if nested {
		setText(metadata, "type", string(t))
	}
	if !nested || indexOf(mapping, "type") >= 0 {
		setText(mapping, "type", string(t))
	}
}

// modifiedLayout is the time layout that agents write: RFC 3339, UTC, milliseconds.
const modifiedLayout = "2006-01-02T15:04:05.000Z"

// setModified sets the time of the last change where the mapping states one. It does nothing if the
// mapping states none.
func setModified(mapping *yaml.Node, now time.Time) {
	if in, key := statedModified(mapping); in != nil {
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: now.UTC().Format(modifiedLayout)}
		replaceValue(in, indexOf(in, key), value)
	}
}

// setText sets a key of a mapping to a text. An empty text removes the key; if a merge key would
// then provide a value, it sets the key to an empty text.
func setText(mapping *yaml.Node, key, text string) {
	i := indexOf(mapping, key)
	switch {
	case i < 0 && text == "":
	case i < 0:
		at := insertIndex(mapping, key)
		mapping.Content = slices.Insert(mapping.Content, at, newText(key), newText(text))
	case text == "":
		mapping.Content = slices.Delete(mapping.Content, i, i+2)
	default:
		replaceValue(mapping, i, newText(text))
	}
	if merged := mergedAt(mapping, key, maxMerges); text == "" && !isNull(merged) {
		at := insertIndex(mapping, key)
		mapping.Content = slices.Insert(mapping.Content, at, newText(key), newText(text))
	}
}

// insertIndex returns the index in a mapping's Content at which a new key is inserted. Of name,
// description and type, each is inserted after the nearest of them that precedes it in this order.
// Without one, name and description are first and type is last. Other keys are last.
func insertIndex(mapping *yaml.Node, key string) int {
	order := []string{"name", "description", "type"}
	rank := slices.Index(order, key)
	if rank < 0 {
		return len(mapping.Content)
	}
	for rank--; rank >= 0; rank-- {
		if i := indexOf(mapping, order[rank]); i >= 0 {
			return i + 2
		}
	}
	if key == "type" {
		return len(mapping.Content)
	}
	return 0
}

// replaceValue replaces the value of the key at index i and keeps the old value's comments.
func replaceValue(mapping *yaml.Node, i int, value *yaml.Node) {
	old := mapping.Content[i+1]
	value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
	mapping.Content[i+1] = value
}

// withoutAliases returns a copy of a node with each alias replaced by a copy of its value.
// Values can then be changed independently. The node must have passed isAliasBomb.
func withoutAliases(n *yaml.Node) *yaml.Node {
	out := *target(n)
	out.HeadComment, out.LineComment, out.FootComment = n.HeadComment, n.LineComment, n.FootComment
	out.Anchor = ""
	out.Content = nil
	for _, child := range target(n).Content {
		child = withoutAliases(child)
		if out.Style&yaml.FlowStyle != 0 && isNull(child) && child.Value == "" {
			child.Value = "null" // in braces the library would write the empty text
		}
		out.Content = append(out.Content, child)
	}
	return &out
}

// quoteBlocks turns block scalars in a node into quoted ones, because the library loses white space
// at the ends of block scalars.
func quoteBlocks(n *yaml.Node) {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		quoteBlocks(child)
	}
}

func dropComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		dropComments(child)
	}
}

// encodeMapping returns a mapping as YAML, or "" if it is empty or the library cannot write it.
func encodeMapping(mapping *yaml.Node, eol string) (text string) {
	if len(mapping.Content) == 0 {
		return ""
	}
	defer func() {
		// The library panics on some nodes that it parsed itself.
		if recover() != nil {
			text = ""
		}
	}()
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if encoder.Encode(mapping) != nil || encoder.Close() != nil {
		return ""
	}
	return strings.ReplaceAll(out.String(), "\n", eol)
}
