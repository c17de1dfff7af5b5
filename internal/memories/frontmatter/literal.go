package frontmatter

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// literalKeys are the keys whose unquoted text is read exactly as written.
var literalKeys = []string{"name", "description"}

// literalReader reads name and description with the words that YAML would drop, such as a comment.
type literalReader struct {
	lines    []string // the frontmatter's lines
	restored []string // texts with restored words
	notText  []string // keys whose values are lists or mappings, as KEY or metadata.KEY
}

// restore returns a copy of the mapping with unquoted names and descriptions exactly as the file
// has them. YAML would drop comments, tags and anchors. A list or a mapping becomes one text. It
// adds to k.restored and k.notText. prefix is the path of the mapping's keys. The mapping must have
// passed isAliasBomb.
func (k *literalReader) restore(mapping *yaml.Node, prefix string) *yaml.Node {
	out := *mapping
	out.Content = slices.Clone(mapping.Content)
	for i := 0; i+1 < len(out.Content); i += 2 {
		key, value := target(out.Content[i]), out.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
		case slices.Contains(literalKeys, key.Value):
			text := k.textOf(key, value, mapping.Style&yaml.FlowStyle != 0)
			if target(value).Kind != yaml.ScalarNode {
				k.notText = append(k.notText, prefix+key.Value)
			}
			out.Content[i+1] = text
		case key.Value == "metadata" && value.Kind == yaml.MappingNode && prefix == "":
			out.Content[i+1] = k.restore(value, "metadata.")
		}
	}
	return &out
}

// textOf returns the node to use as the value of a key. It is value, unless YAML dropped a part of
// the text or value is a list or mapping; then it is a new text node. textOf adds a text with
// dropped words to k.restored. inFlow means that the key's mapping is in braces.
func (k *literalReader) textOf(key, value *yaml.Node, inFlow bool) *yaml.Node {
	rest, under, found := k.written(key)
	found = found && !inFlow
	if target(value).Kind != yaml.ScalarNode {
		if found && rest != "" && (len(under) == 0 || value.Kind == yaml.AliasNode) {
			return newText(joinText(rest, under))
		}
		return newText(strings.Join(textsIn(withoutAliases(value)), ", "))
	}
	text := joinText(rest, under)
	switch {
	case !found || strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'"):
		return value
	case blockHeader.MatchString(rest):
		if len(under) > 0 || !strings.ContainsAny(rest, "#123456789") {
			return value
		}
	case len(under) > 0 && value.Kind == yaml.ScalarNode && value.Style&^yaml.TaggedStyle != 0:
		if !isComment(rest) {
			return value // a quoted or block text, possibly with a tag or anchor
		}
		text = rest + "\n" + value.Value
	}
	if value.Kind == yaml.ScalarNode && slices.Equal(strings.Fields(text), strings.Fields(value.Value)) {
		return value
	}
	k.restored = append(k.restored, text)
	return newText(text)
}

// joinText returns rest, the text after a key, with the lines below it. From each line it removes
// the indentation of the first line that is neither blank nor a comment. It trims white space at
// both ends. Without lines, it returns rest unchanged.
func joinText(rest string, under []string) string {
	if len(under) == 0 {
		return rest
	}
	return strings.TrimSpace(rest + "\n" + strings.TrimRight(dedent(under, levelOf(under)), "\n"))
}

// blockHeader matches the text after a key that starts a block scalar.
var blockHeader = regexp.MustCompile(`^[|>]([-+]?[1-9]?|[1-9][-+])([ \t]+#.*)?$`)

// written returns the text after a key's colon in the file, and the lines below it that belong to
// the value. found is false if no line starts with the key.
func (k *literalReader) written(key *yaml.Node) (rest string, under []string, found bool) {
	lines := k.lines
	isKey := func(line string) bool {
		name, _, ok := splitEntry(line)
		return ok && unquote(name) == key.Value
	}
	at := key.Line - 1
	if at < 0 || at >= len(lines) || !isKey(lines[at]) {
		// YAML recognises more line ends than memtext does, so line numbers can differ.
		at = slices.IndexFunc(lines, func(line string) bool {
			return isKey(line) && indentOf(line) == key.Column-1
		})
		if at < 0 {
			return "", nil, false
		}
	}
	_, rest, _ = splitEntry(lines[at])
	level := indentOf(lines[at])
	end := at + 1
	for next := end; next < len(lines); next++ {
		text := strings.TrimSpace(lines[next])
		if text == "" || isComment(text) {
			continue
		}
		if indentOf(lines[next]) <= level && !(isItem(text) && indentOf(lines[next]) == level) {
			break
		}
		end = next + 1
	}
	return rest, lines[at+1 : end], true
}

// splitEntry splits a line at its first colon and trims both parts. After a key that Memoir knows,
// a full-width colon counts too. ok is false if there is no colon, or no key before it.
func splitEntry(line string) (key, rest string, ok bool) {
	key, rest, ok = strings.Cut(line, "\uFF1A")
	if !ok || !slices.Contains(knownKeys, foldKey(key)) {
		key, rest, ok = strings.Cut(line, ":")
	}
	key = strings.TrimSpace(key)
	return key, strings.Trim(rest, " \t"), ok && key != ""
}

func isItem(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// dropRestored removes lines from the comments of a node and of everything in it. It removes each
// line with which one of the texts restored ends, because the line is part of a value now.
func dropRestored(n *yaml.Node, restored []string) {
	if len(restored) == 0 {
		return
	}
	drop := func(comment string) string {
		lines := strings.Split(comment, "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return slices.ContainsFunc(restored, func(text string) bool {
				return strings.HasSuffix(text, strings.TrimSpace(line))
			})
		})
		return strings.Join(lines, "\n")
	}
	n.HeadComment, n.LineComment, n.FootComment = drop(n.HeadComment), drop(n.LineComment), drop(n.FootComment)
	for _, child := range n.Content {
		dropRestored(child, restored)
	}
}
