package diff

import "unicode/utf8"

const (
	// maxLine is how many Unicode characters of a line are shown. It is arbitrary: about a
	// paragraph.
	maxLine = 600
	// edge is how many Unicode characters stay on each side of an omission. It is arbitrary.
	edge = 100
)

// cut shortens a long line. It first omits the middles of long pieces, then the end of the line.
func cut(line []Piece) []Piece {
	total := 0
	for _, p := range line {
		total += utf8.RuneCountInString(p.Text)
	}
	if total <= maxLine {
		return line
	}
	var shortened []Piece
	for _, p := range line {
		shortened = append(shortened, middleOut(p)...)
	}
	return endOff(shortened)
}

// middleOut omits the middle of a long piece.
func middleOut(p Piece) []Piece {
	length := utf8.RuneCountInString(p.Text)
	if length <= 3*edge {
		return []Piece{p}
	}
	first, last := runesFromStart(p.Text, edge), runesFromEnd(p.Text, edge)
	return []Piece{
		{Text: p.Text[:first], Changed: p.Changed},
		{LeftOut: length - 2*edge, Changed: p.Changed},
		{Text: p.Text[last:], Changed: p.Changed},
	}
}

// endOff omits the end of a line that is too long.
func endOff(line []Piece) []Piece {
	room := maxLine
	for i, p := range line {
		length := utf8.RuneCountInString(p.Text)
		if length <= room {
			room -= length
			continue
		}
		rest := 0
		for _, q := range line[i:] {
			rest += utf8.RuneCountInString(q.Text) + q.LeftOut
		}
		return append(line[:i:i], Piece{LeftOut: rest})
	}
	return line
}

// runesFromStart returns the length in bytes of the first n characters.
func runesFromStart(s string, n int) int {
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// runesFromEnd returns the offset of the last n characters.
func runesFromEnd(s string, n int) int {
	at := len(s)
	for range n {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}
