package frontmatter

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
)

// setContent makes a mapping say c. Its keys keep their order; new ones come where readers expect them.
func setContent(mapping *yaml.Node, c memories.Content) {
	is := contentOf(mapping)
	if is.Name != c.Name {
		setStated(mapping, "name", c.Name)
	}
	if is.Description != c.Description {
		setStated(mapping, "description", c.Description)
	}
	var stated File
	if stated.readType(mapping, false); stated.Type != c.Type || stated.has(memories.CodeTypeConflict) {
		setType(mapping, c.Type)
	}
}

// setStated sets a text where statedText reads it. An empty one is removed from both places.
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

// setType states a type in every place where the mapping keeps one.
func setType(mapping *yaml.Node, t memories.Type) {
	top, nested := typePlaces(mapping)
	if top {
		setText(mapping, "type", string(t))
	}
	if nested {
		setText(mappingAt(mapping, "metadata"), "type", string(t))
	}
}

// setModified sets the time of the last change where the mapping states one.
func setModified(mapping *yaml.Node, modified string) {
	if in, key := statedModified(mapping); in != nil {
		replaceValue(in, indexOf(in, key), newTime(modified))
	}
}

func newTime(rfc3339 string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: rfc3339}
}

// setText sets a key to a text. A key that has to say nothing goes.
func setText(mapping *yaml.Node, key, text string) {
	i := indexOf(mapping, key)
	switch {
	case i < 0 && text == "":
	case i < 0:
		at := placeOf(mapping, key)
		mapping.Content = slices.Insert(mapping.Content, at, newText(key), newText(text))
	case text == "":
		mapping.Content = slices.Delete(mapping.Content, i, i+2)
	default:
		replaceValue(mapping, i, newText(text))
	}
	if merged := mergedAt(mapping, key, maxMerges); text == "" && !isNull(merged) {
		at := placeOf(mapping, key)
		mapping.Content = slices.Insert(mapping.Content, at, newText(key), newText(text))
	}
}

// placeOf returns where in a mapping's Content a new key belongs: name first, then description, then type, all other
// keys last.
func placeOf(mapping *yaml.Node, key string) int {
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

// replaceValue puts a value in the place of the i-th, and keeps the comments of the old one.
func replaceValue(mapping *yaml.Node, i int, value *yaml.Node) {
	old := mapping.Content[i+1]
	value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
	mapping.Content[i+1] = value
}

// withoutAliases returns a copy of a mapping in which every alias is the value that it stands for, so that one value
// can be changed without changing others. The mapping must have passed isAliasBomb.
func withoutAliases(n *yaml.Node) *yaml.Node {
	out := *target(n)
	out.HeadComment, out.LineComment, out.FootComment = n.HeadComment, n.LineComment, n.FootComment
	out.Anchor = ""
	out.Content = nil
	for _, child := range target(n).Content {
		child = withoutAliases(child)
		if out.Style&yaml.FlowStyle != 0 && isNull(child) && child.Value == "" {
			child.Value = "null" // between braces the library would write the empty text
		}
		out.Content = append(out.Content, child)
	}
	return &out
}

// quoteBlocks turns block scalars into quoted ones: the library loses white space at their ends.
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

// encodeMapping returns a mapping as YAML, or nothing where the library cannot write it.
func encodeMapping(mapping *yaml.Node, eol string) (text string) {
	if len(mapping.Content) == 0 {
		return ""
	}
	defer func() {
		// As with reading, the library is known to panic, here on nodes that it read itself.
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
