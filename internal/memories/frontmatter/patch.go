package frontmatter

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories/memtext"
)

// linePatch replaces single entries of a frontmatter and keeps the bytes of all other lines. It
// relies on line numbers from the YAML library, so the caller must parse and check the result.
type linePatch struct {
	lines  []string
	eol    string
	edits  []lineEdit
	failed bool
}

// lineEdit replaces the lines [from, to) by text.
type lineEdit struct {
	from, to int
	text     string
}

// patchLines returns p's frontmatter with the entries replaced that differ between before, its
// mapping, and after. It returns "" if an entry that differs does not have its own lines. The
// caller must parse the result and compare it with after.
func patchLines(p page, before, after *yaml.Node) string {
	patch := linePatch{lines: memtext.Lines(p.front), eol: p.eol}
	patch.change(before, after)
	if patch.failed {
		return ""
	}
	slices.SortStableFunc(patch.edits, func(a, b lineEdit) int {
		return cmp.Or(a.from-b.from, a.to-b.to) // an insertion precedes the change of the line below
	})
	for _, edit := range slices.Backward(patch.edits) {
		patch.lines = slices.Replace(patch.lines, edit.from, edit.to, edit.text)
	}
	return strings.Join(patch.lines, "")
}

// change adds to l an edit for each entry that differs between before and after. In metadata it
// adds one for each entry of its own, unless metadata is in braces.
func (l *linePatch) change(before, after *yaml.Node) {
	for i := 0; i < len(before.Content); i += 2 {
		if key := target(before.Content[i]).Value; indexOf(before, key) == i && indexOf(after, key) < 0 {
			l.set(before, key, nil)
		}
	}
	for i := 0; i < len(after.Content); i += 2 {
		key, value := target(after.Content[i]).Value, after.Content[i+1]
		old := valueAt(before, key)
		inner := mappingAt(before, key)
		switch {
		case indexOf(after, key) != i: // a list or a mapping as key
		case old != nil && sameValue(old, value):
		case key == "metadata" && inner != nil && inner.Style&yaml.FlowStyle == 0 && value.Kind == yaml.MappingNode:
			l.change(inner, value)
		default:
			l.set(before, key, value)
		}
	}
}

// set adds an edit that replaces the entry of key by value, or inserts it where insertIndex places
// it. A nil value removes the entry. A mapping in braces sets l.failed.
func (l *linePatch) set(mapping *yaml.Node, key string, value *yaml.Node) {
	if mapping.Style&yaml.FlowStyle != 0 {
		l.failed = true
		return
	}
	indent, from, to := "", 0, 0
	if i := indexOf(mapping, key); i >= 0 {
		from, to = l.span(mapping, i)
		if mapping.Content[i].Column > 0 {
			indent = strings.Repeat(" ", mapping.Content[i].Column-1)
		}
	} else if value == nil {
		return
	} else if at := insertIndex(mapping, key); at > 0 {
		_, from = l.span(mapping, at-2)
		to = from
		if column := mapping.Content[at-2].Column; column > 0 { // aligned with the entry above
			indent = strings.Repeat(" ", column-1)
		}
	}
	text := ""
	if value != nil {
		entry, bare := newMapping(), *value
		// The value's foot comment is below the replaced lines and stays there.
		bare.FootComment = ""
		entry.Content = []*yaml.Node{newText(key), &bare}
		text = indent + encodeMapping(entry, l.eol)
	}
	l.edits = append(l.edits, lineEdit{from, to, text})
}

// span returns the lines [from, to) of the i-th entry, without blank lines and comments after it.
// If the entry has no line of its own, span sets l.failed and returns 0, 0.
func (l *linePatch) span(mapping *yaml.Node, i int) (from, to int) {
	key := mapping.Content[i]
	from, to = key.Line-1, l.end(mapping, i)
	if from < 0 || to > len(l.lines) || from >= to {
		l.failed = true
		return 0, 0
	}
	for to > from+1 {
		line := strings.TrimRight(l.lines[to-1], "\r\n")
		text := strings.TrimLeft(line, " \t")
		comment := strings.HasPrefix(text, "#") && len(line)-len(text) < max(key.Column, 1)
		if text != "" && !comment {
			break
		}
		to--
	}
	return from, to
}

// end returns the index of the line at which the next entry of this or an outer mapping starts, or
// the number of lines.
func (l *linePatch) end(mapping *yaml.Node, i int) int {
	if i+2 < len(mapping.Content) {
		return mapping.Content[i+2].Line - 1
	}
	key := mapping.Content[i]
	for n := key.Line; n < len(l.lines); n++ {
		line := strings.TrimRight(l.lines[n], "\r\n")
		text := strings.TrimLeft(line, " \t")
		if text != "" && !strings.HasPrefix(text, "#") && len(line)-len(text) < key.Column && !strings.HasPrefix(text, "- ") {
			return n
		}
	}
	return len(l.lines)
}
