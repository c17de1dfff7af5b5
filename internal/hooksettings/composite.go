package hooksettings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// composite is an object or an array, of which entries can be added and taken out. The library's own patches drop comments above
// what they take out, which may be about anything.
type composite struct {
	object *hujson.Object // nil: it is the array
	array  *hujson.Array
}

func (c composite) len() int {
	if c.object != nil {
		return len(c.object.Members)
	}
	return len(c.array.Elements)
}

// before is what stands before the entry i, or, where i is their number, before the closing bracket.
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

// after is what stands between the entry i and the comma behind it. Where it is not nil, the last entry has a comma, too.
func (c composite) after(i int) *hujson.Extra {
	if c.object != nil {
		return &c.object.Members[i].Value.AfterExtra
	}
	return &c.array.Elements[i].AfterExtra
}

const space = " \t\r\n"

// add puts an entry behind the others; key is that of a member.
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

// take takes an entry out. The comments before it stay, and so does whether there is a comma behind the last.
func (s *settings) take(c composite, i int) {
	comma := *c.after(c.len() - 1) != nil
	comments := bytes.TrimRight(slices.Concat(*c.before(i), *c.after(i)), space)
	if next := c.before(i + 1); len(comments) > 0 {
		if rest := bytes.TrimLeft(*next, " \t\r"); len(rest) == 0 || rest[0] != '\n' {
			comments = append(comments, s.eol...) // one of them may end with its line
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

// close puts what stands before the closing bracket in order, after an entry was taken out.
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
	// What begins on one line ends on it.
	if first := *c.before(0); isSpace(*closing) && !bytes.ContainsRune(first, '\n') && isSpace(first) || n == 0 && isSpace(*closing) {
		*closing = nil
		if n > 0 {
			*closing = bytes.Clone(first)
		}
	}
}

func isSpace(extra hujson.Extra) bool { return len(bytes.Trim(extra, space)) == 0 }
