package frontmatter

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories/memtext"
)

// linePatch changes single entries of a frontmatter and leaves the bytes of all other lines alone. It trusts the line
// numbers that the YAML library reports, so its result has to be read again before it is believed.
type linePatch struct {
	lines  []string
	eol    string
	edits  []lineEdit
	failed bool
}

// lineEdit puts text in the place of the lines from up to, not including, to.
type lineEdit struct {
	from, to int
	text     string
}

// patchLines returns the frontmatter of p, which reads as before, with the entries changed in which after differs. ok is
// false where such an entry does not have lines of its own.
func patchLines(p page, before, after *yaml.Node) (front string, ok bool) {
	patch := linePatch{lines: memtext.Lines(p.front), eol: p.eol}
	for _, key := range editedKeys {
		patch.change(before, after, key)
	}
	if in, key := statedModified(before); in == before {
		patch.change(before, after, key)
	}
	if metadata := mappingAt(before, "metadata"); metadata != nil {
		if metadata.Style&yaml.FlowStyle != 0 {
			patch.change(before, after, "metadata")
		} else {
			for _, key := range slices.Concat(editedKeys, []string{"modified"}) {
				patch.change(metadata, mappingAt(after, "metadata"), key)
			}
		}
	}
	return patch.apply()
}

func (l *linePatch) change(before, after *yaml.Node, key string) {
	old, value := valueAt(before, key), valueAt(after, key)
	if old == value || old != nil && value != nil && sameValue(old, value) {
		return
	}
	l.set(before, key, value)
}

// set writes an entry in place of the one with its key, or where placeOf says; a nil value removes it.
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
	} else if at := placeOf(mapping, key); at > 0 {
		_, from = l.span(mapping, at-2)
		to = from
		if column := mapping.Content[at-2].Column; column > 0 { // in line with the entry above
			indent = strings.Repeat(" ", column-1)
		}
	}
	text := ""
	if value != nil {
		entry, bare := newMapping(), *value
		// A comment below the value is no part of the lines that are replaced.
		bare.FootComment = ""
		entry.Content = []*yaml.Node{newText(key), &bare}
		text = indent + encodeMapping(entry, l.eol)
	}
	l.edits = append(l.edits, lineEdit{from, to, text})
}

// span returns the lines of the i-th entry of a mapping, without the blank lines and comments below it.
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

// end returns the line at which the next entry starts, of this mapping or of one around it.
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

// apply returns the patched lines; ok is false where an entry could not be told from its neighbours.
func (l *linePatch) apply() (text string, ok bool) {
	if l.failed {
		return "", false
	}
	lines := slices.Clone(l.lines)
	slices.SortStableFunc(l.edits, func(a, b lineEdit) int { return a.from - b.from })
	for _, edit := range slices.Backward(l.edits) {
		lines = slices.Replace(lines, edit.from, edit.to, edit.text)
	}
	return strings.Join(lines, ""), true
}
