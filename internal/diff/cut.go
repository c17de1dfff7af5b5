package diff

import "unicode/utf8"

const (
	// maxLine is how many Unicode characters of a line are shown. It is arbitrary: about a
	// paragraph.
	maxLine = 600
	// edge is how many Unicode characters stay on each side of an omission. It is arbitrary.
	edge = 100
)

// cut returns line, shortened if it has more than maxLine characters. It first omits the middles
// of long pieces, then the end of the line.
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

// middleOut returns a piece of at most 3*edge characters unchanged. Of a longer one it returns the
// first and the last edge characters, and between them a piece that counts the omitted ones.
func middleOut(p Piece) []Piece {
	text := []rune(p.Text)
	if len(text) <= 3*edge {
		return []Piece{p}
	}
	return []Piece{
		{Text: string(text[:edge]), Changed: p.Changed},
		{LeftOut: len(text) - 2*edge, Changed: p.Changed},
		{Text: string(text[len(text)-edge:]), Changed: p.Changed},
	}
}

// endOff returns the first pieces of a line that together have at most maxLine characters. One
// more piece counts the characters of the omitted ones. A line without omitted pieces is returned
// unchanged.
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
