package frontmatter

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// unreadKey is the key under which a rewritten frontmatter keeps lines that belong to no key.
const unreadKey = "unread"

// readLeniently parses a frontmatter that is not valid YAML. Each line at the outer indentation is
// split at its first colon; the lines below belong to it. An entry that is valid YAML alone is read
// as YAML. The last of several equal keys wins. The earlier ones and lines without a key become the
// value of unreadKey. readLeniently returns nil if there are more than maxKeys entries.
func readLeniently(text string) *yaml.Node {
	r := &lenientReader{}
	mapping := r.entries(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), 1)
	if r.count > maxKeys {
		return nil
	}
	if len(r.unread) > 0 {
		if i := indexOf(mapping, unreadKey); i >= 0 && mapping.Content[i+1].Kind == yaml.ScalarNode {
			r.unread = append([]string{mapping.Content[i+1].Value}, r.unread...)
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
		}
		mapping.Content = append(mapping.Content, newText(unreadKey), newText(strings.Join(r.unread, "\n")))
	}
	return mapping
}

type lenientReader struct {
	unread []string // lines that belong to no entry
	count  int      // number of entries so far
}

// entries returns the entries that lines state as a mapping, and stops above maxKeys entries. first
// is the line number of lines[0] in the frontmatter. Lines that belong to no entry are added to
// r.unread, comments to the entry below.
func (r *lenientReader) entries(lines []string, first int) *yaml.Node {
	mapping := newMapping()
	level := levelOf(lines)
	var comments []string
	for i := 0; i < len(lines) && r.count <= maxKeys; {
		end := i + 1
		for end < len(lines) && !startsEntry(lines[end], level) {
			end++
		}
		if startsEntry(lines[i], level) {
			r.count++
			key, value := r.entry(lines[i:end], level, first+i)
			if len(comments) > 0 {
				key.HeadComment = strings.TrimSpace(strings.Join(append(comments, key.HeadComment), "\n"))
				comments = nil
			}
			r.put(mapping, key, value)
		} else {
			comments = append(comments, r.setAside(lines[i:end])...)
		}
		i = end
	}
	r.unread = append(r.unread, comments...)
	return mapping
}

// setAside returns the comments among lines. It appends the other lines to r.unread, except blank
// ones.
func (r *lenientReader) setAside(lines []string) (comments []string) {
	for _, line := range lines {
		switch {
		case isComment(line):
			comments = append(comments, strings.TrimSpace(line))
		case strings.TrimSpace(line) != "":
			r.unread = append(r.unread, line)
		}
	}
	return comments
}

// put sets a key of a mapping to a value. An earlier entry of the same key is replaced, and added
// to r.unread as YAML.
func (r *lenientReader) put(mapping, key, value *yaml.Node) {
	i := indexOf(mapping, key.Value)
	if i < 0 {
		mapping.Content = append(mapping.Content, key, value)
		return
	}
	old := newMapping()
	old.Content = mapping.Content[i : i+2]
	if text := encodeMapping(old, "\n"); text != "" {
		r.unread = append(r.unread, strings.TrimRight(text, "\n"))
	}
	mapping.Content[i], mapping.Content[i+1] = key, value
}

func (r *lenientReader) entry(lines []string, level, first int) (key, value *yaml.Node) {
	if key, value, ok := r.entryAsYAML(lines, level, first); ok {
		return key, value
	}
	name, rest, _ := splitEntry(lines[0])
	key = newText(unquote(name))
	key.Line = first
	under := lines[1:]
	if key.Value == "metadata" && strings.TrimSpace(rest) == "" {
		value = r.entries(under, first+1)
		value.Line = first + 1
		return key, value
	}
	for len(under) > 0 && isComment(under[len(under)-1]) {
		key.FootComment = strings.TrimSpace(under[len(under)-1]) + "\n" + key.FootComment
		under = under[:len(under)-1]
	}
	value = newText(lenientText(strings.TrimSpace(rest), under))
	value.Line = first
	return key, value
}

func (r *lenientReader) entryAsYAML(lines []string, level, first int) (key, value *yaml.Node, ok bool) {
	alone := readYAML(dedent(lines, level))
	if alone == nil || len(alone.Content) != 2 || alone.Content[0].Kind != yaml.ScalarNode {
		return nil, nil, false
	}
	moveDown(alone, first-1)
	return alone.Content[0], alone.Content[1], true
}

// lenientText returns the text of a value: rest is the text after the colon, under are the lines
// below. It drops the header of a block scalar and quotes around the whole text.
func lenientText(rest string, under []string) string {
	text := strings.TrimRight(dedent(under, levelOf(under)), "\n")
	if rest == "" || blockHeader.MatchString(rest) && text != "" {
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

// startsEntry reports whether a line has a key and a colon and is indented by at most level. Lines
// that start like a list, a comment or another YAML construct do not count.
func startsEntry(line string, level int) bool {
	text := strings.TrimLeft(line, " \t")
	if len(line)-len(text) > level || strings.TrimSpace(text) == "" || strings.ContainsAny(text[:1], "#-?{}[]|>,%") {
		return false
	}
	_, _, ok := splitEntry(text)
	return ok
}

// levelOf returns the indentation of the first line that has text and is not a comment, or 0.
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

// moveDown adds an offset to the line numbers of a node and of everything in it. The node was
// parsed from a part of the text.
func moveDown(n *yaml.Node, lines int) {
	n.Line += lines
	for _, child := range n.Content {
		moveDown(child, lines)
	}
}
