package hooksettings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// composite is an object or array whose entries can be added and removed. The library's own patches
// would also remove the comments above a removed entry.
type composite struct {
	object *hujson.Object // nil for an array
	array  *hujson.Array
}

func (c composite) len() int {
	if c.object != nil {
		return len(c.object.Members)
	}
	return len(c.array.Elements)
}

// before returns a pointer to the white space and comments before the entry i, so that they can be
// changed. If i is the number of entries, it points to those before the closing bracket.
func (c composite) before(i int) *hujson.Extra {
	switch {
	case c.object != nil && i < c.len():
		return &c.object.Members[i].Name.BeforeExtra
	case c.object != nil:
		return &c.object.AfterExtra
	case i < c.len():
		return &c.array.Elements[i].BeforeExtra
	}
	return &c.array.AfterExtra
}

// after returns a pointer to the white space and comments between the entry i and its comma. For
// the last entry, the Extra is nil if no comma follows.
func (c composite) after(i int) *hujson.Extra {
	if c.object != nil {
		return &c.object.Members[i].Value.AfterExtra
	}
	return &c.array.Elements[i].AfterExtra
}

const space = " \t\r\n"

// add appends a value to c on a line of its own, indented by depth levels. If the last entry has a
// comma, so has the new one. Comments before the closing bracket stay before the value. key is the
// name of a member of an object; for an array it is ignored.
func (s *settings) add(c composite, depth int, key string, value hujson.ValueTrimmed) {
	n := c.len()
	closing := c.before(n)
	comments := bytes.TrimRight(*closing, space)
	before := slices.Concat(comments, s.newLine(depth))
	if rest := (*closing)[len(comments):]; bytes.ContainsRune(rest, '\n') {
		*closing = rest
	} else {
		*closing = s.newLine(depth - 1)
	}
	if c.object != nil {
		c.object.Members = append(c.object.Members, hujson.ObjectMember{
			Name:  hujson.Value{BeforeExtra: before, Value: hujson.String(key)},
			Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
		})
	} else {
		c.array.Elements = append(c.array.Elements, hujson.Value{BeforeExtra: before, Value: value})
	}
	if n > 0 && *c.after(n - 1) != nil {
		*c.after(n) = hujson.Extra{}
	}
}

// take removes the entry i from c. It keeps the comments around it, and a comma after the last
// entry if there was one.
func (s *settings) take(c composite, i int) {
	comma := *c.after(c.len() - 1) != nil
	comments := bytes.TrimRight(slices.Concat(*c.before(i), *c.after(i)), space)
	if next := c.before(i + 1); len(comments) > 0 {
		if rest := bytes.TrimLeft(*next, " \t\r"); len(rest) == 0 || rest[0] != '\n' {
			comments = append(comments, s.eol...) // a comment may need a line end
		}
		*next = append(comments, *next...)
	}
	if c.object != nil {
		c.object.Members = slices.Delete(c.object.Members, i, i+1)
	} else {
		c.array.Elements = slices.Delete(c.array.Elements, i, i+1)
	}
	s.close(c, comma)
}

// close corrects the end of c after a removal. comma states whether the last entry must have a
// comma. If the first entry is on the line of the opening bracket, the closing bracket moves to the
// line of the last entry. Without entries, both brackets become adjacent. Comments before the
// closing bracket prevent both.
func (s *settings) close(c composite, comma bool) {
	n := c.len()
	closing := c.before(n)
	if n > 0 {
		switch last := c.after(n - 1); {
		case comma && *last == nil:
			*last = hujson.Extra{}
		case !comma && *last != nil:
			*closing = append(*last, *closing...)
			*last = nil
		}
	}
	// A value that starts on one line ends on that line.
	if first := *c.before(0); isSpace(*closing) && !bytes.ContainsRune(first, '\n') && isSpace(first) || n == 0 && isSpace(*closing) {
		*closing = nil
		if n > 0 {
			*closing = bytes.Clone(first)
		}
	}
}

func isSpace(extra hujson.Extra) bool { return len(bytes.Trim(extra, space)) == 0 }
