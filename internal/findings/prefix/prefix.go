// Package prefix finds the words of a long list with which a text may continue. Detectors look for
// hundreds of words at each byte, and the first two bytes exclude nearly all of them.
package prefix

// Index has words of at least two bytes, each with a value. Words with the same first two bytes keep
// their order. The zero Index has no words. It is safe for concurrent use after the last Add.
type Index[V any] struct {
	lists [][]V
	list  [1 << 16]uint16 // by the first two bytes: the index in lists, or 0 for none
}

// Add adds a word with its value.
func (x *Index[V]) Add(word string, value V) {
	at := &x.list[uint16(word[0])<<8|uint16(word[1])]
	if *at == 0 {
		x.lists = append(x.lists, nil)
		*at = uint16(len(x.lists))
	}
	x.lists[*at-1] = append(x.lists[*at-1], value)
}

// At returns the values of the words with the same first two bytes as text[at:].
func (x *Index[V]) At(text string, at int) []V {
	if at+1 >= len(text) {
		return nil
	}
	n := x.list[uint16(text[at])<<8|uint16(text[at+1])]
	if n == 0 {
		return nil
	}
	return x.lists[n-1]
}
