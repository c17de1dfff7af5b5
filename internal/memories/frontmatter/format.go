package frontmatter

import (
	"time"

	"memoir/internal/memories"
)

// Format is the form of the memory files that a client writes.
type Format int

const (
	// Flat has all keys at the top level, as Encode writes them.
	Flat Format = iota
	// Nested has the type in metadata, as EncodeNested writes it.
	Nested
)

// Encode returns a new memory file with the content c. If base is not nil, it returns the file base
// with that content instead, as Rewrite does.
func (f Format) Encode(base []byte, c memories.Content, now time.Time) []byte {
	switch {
	case base != nil:
		return Rewrite(base, c, now)
	case f == Nested:
		return EncodeNested(c)
	}
	return Encode(c)
}
