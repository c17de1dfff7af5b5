package memories

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// unreadKey keeps, in a frontmatter that is written anew, the lines that belong to no key.
const unreadKey = "unread"

// readLeniently reads a frontmatter that YAML refuses: each line that starts an entry is split at its first colon, and
// the lines under it belong to it. An entry that is good YAML by itself is read as YAML. Of two entries with one key
// the last counts. Nothing is dropped: what belongs to no entry becomes the value of unreadKey.
func readLeniently(text string) *yaml.Node {
	mapping := newMapping()
	unread := lenientEntries(mapping, strings.Split(strings.TrimSuffix(text, "\n"), "\n"), 1)
	if len(unread) > 0 {
		setLast(mapping, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: unreadKey},
			newText(strings.Join(unread, "\n")), nil)
	}
	return mapping
}

// lenientEntries adds the entries found in lines, the first of which is line number first of the frontmatter, and
// returns the lines that belong to none.
func lenientEntries(mapping *yaml.Node, lines []string, first int) (unread []string) {
	level := levelOf(lines)
	var comments []string
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && !startsEntry(lines[end], level) {
			end++
		}
		if !startsEntry(lines[i], level) {
			for _, line := range lines[i:end] {
				if isComment(line) {
					comments = append(comments, strings.TrimSpace(line))
				} else if strings.TrimSpace(line) != "" {
					unread = append(unread, line)
				}
			}
			i = end
			continue
		}
		key, value, left := lenientEntry(lines[i:end], level, first+i)
		if len(comments) > 0 {
			key.HeadComment = strings.Join(append(comments, key.HeadComment), "\n")
			comments = nil
		}
		unread = append(unread, left...)
		unread = setLast(mapping, key, value, unread)
		i = end
	}
	return append(unread, comments...)
}

// setLast sets a key to a value at the place of the entry, and keeps what an earlier entry of that key said.
func setLast(mapping, key, value *yaml.Node, unread []string) []string {
	i := indexOf(mapping, key.Value)
	if i < 0 {
		mapping.Content = append(mapping.Content, key, value)
		return unread
	}
	old, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: mapping.Content[i : i+2]})
	if err == nil {
		unread = append(unread, strings.TrimRight(string(old), "\n"))
	}
	mapping.Content[i], mapping.Content[i+1] = key, value
	return unread
}

func lenientEntry(lines []string, level, first int) (key, value *yaml.Node, unread []string) {
	if alone, err := readYAML(dedent(lines, level)); err == nil && len(alone.Content) == 2 &&
		alone.Content[0].Kind == yaml.ScalarNode {
		moveDown(alone, first-1, map[*yaml.Node]bool{})
		return alone.Content[0], alone.Content[1], nil
	}
	name, rest, _ := strings.Cut(lines[0], ":")
	key = newText(unquote(strings.TrimSpace(name)))
	key.Line = first
	under := lines[1:]
	if key.Value == "metadata" && strings.TrimSpace(rest) == "" {
		value = newMapping()
		value.Line = first + 1
		unread = lenientEntries(value, under, first+1)
		return key, value, unread
	}
	for len(under) > 0 && isComment(under[len(under)-1]) {
		key.FootComment = strings.TrimSpace(under[len(under)-1]) + "\n" + key.FootComment
		under = under[:len(under)-1]
	}
	value = newText(lenientText(strings.TrimSpace(rest), under))
	value.Line = first
	return key, value, nil
}

// lenientText joins what stands behind a colon with the lines under it.
func lenientText(rest string, under []string) string {
	text := strings.TrimRight(dedent(under, levelOf(under)), "\n")
	if rest == "" || strings.Trim(rest, "|>+-0123456789") == "" && strings.ContainsAny(rest[:1], "|>") {
		return text
	}
	if text != "" {
		rest += "\n" + text
	}
	return unquote(rest)
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

func isComment(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#")
}

// startsEntry tells whether a line begins an entry of the mapping whose entries are indented by level.
func startsEntry(line string, level int) bool {
	text := strings.TrimLeft(line, " \t")
	if len(line)-len(text) > level || strings.TrimSpace(text) == "" || strings.ContainsAny(text[:1], "#-?{}[]|>,%") {
		return false
	}
	return strings.IndexByte(text, ':') > 0
}

// levelOf returns the indent of the first line that has text.
func levelOf(lines []string) int {
	for _, line := range lines {
		if text := strings.TrimLeft(line, " \t"); text != "" && !isComment(line) {
			return len(line) - len(text)
		}
	}
	return 0
}

func dedent(lines []string, level int) string {
	var out strings.Builder
	for _, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		out.WriteString(line[min(indent, level):])
		out.WriteByte('\n')
	}
	return out.String()
}

// moveDown gives the nodes of an entry that was read by itself their lines in the whole frontmatter.
func moveDown(n *yaml.Node, lines int, done map[*yaml.Node]bool) {
	if done[n] {
		return
	}
	done[n] = true
	n.Line += lines
	for _, child := range n.Content {
		moveDown(child, lines, done)
	}
}
