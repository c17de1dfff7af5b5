package postgres

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// partSize is how many memories are in one part of a concordance. While one is made, the words of a part are in memory.
const partSize = 10_000

// numbers is a set of the memories of one part, by their places in it.
type numbers [(partSize + 63) / 64]uint64

// numbersSize is what a set takes that is written bit by bit, in bytes.
const numbersSize = len(numbers{}) * 8

var errNumbers = errors.New("postgres: a concordance holds what is no set of numbers")

// packed writes ascending numbers: two bytes each, or, where that is shorter, bit by bit.
func packed(ascending []uint16) []byte {
	if 2*len(ascending) < numbersSize {
		all := make([]byte, 0, 2*len(ascending))
		for _, n := range ascending {
			all = binary.LittleEndian.AppendUint16(all, n)
		}
		return all
	}
	var set numbers
	for _, n := range ascending {
		set[n/64] |= 1 << (n % 64)
	}
	all := make([]byte, 0, numbersSize)
	for _, word := range set {
		all = binary.LittleEndian.AppendUint64(all, word)
	}
	return all
}

// addPacked adds what packed has written.
func (s *numbers) addPacked(all []byte) error {
	if len(all) == numbersSize {
		for i := range s {
			s[i] |= binary.LittleEndian.Uint64(all[8*i:])
		}
		return nil
	}
	for ; len(all) >= 2; all = all[2:] {
		n := binary.LittleEndian.Uint16(all)
		if n >= partSize {
			return errNumbers
		}
		s[n/64] |= 1 << (n % 64)
	}
	return nil
}

func (s *numbers) add(others *numbers) {
	for i := range s {
		s[i] |= others[i]
	}
}

func (s *numbers) keep(others *numbers) {
	for i := range s {
		s[i] &= others[i]
	}
}

func (s *numbers) remove(n int) { s[n/64] &^= 1 << (n % 64) }

func (s *numbers) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// descending yields the numbers, the highest first.
func (s *numbers) descending(yield func(int) bool) {
	for i := len(s) - 1; i >= 0; i-- {
		for word := s[i]; word != 0; {
			bit := 63 - bits.LeadingZeros64(word)
			word &^= 1 << bit
			if !yield(64*i + bit) {
				return
			}
		}
	}
}

// ascending yields the numbers, the lowest first.
func (s *numbers) ascending(yield func(int) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(64*i + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
