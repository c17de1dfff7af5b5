package injections

import (
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
)

// minRun is how many invisible characters in a row are no accident. It is arbitrary.
const minRun = 3

// hidden finds characters in a source that people do not see: tags, overrides of the direction,
// runs of zero-width characters, and words with letters of two scripts that look alike. The joiners
// in emoji and in scripts that need them are no findings.
func hidden(source string) []Finding {
	ascii := true
	for i := range len(source) {
		if source[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return nil
	}
	var found []Finding
	var before rune // the last visible character
	runStart, run := -1, 0
	isolated := 0 // zero-width characters between ASCII letters
	var firstIsolated Finding
	mixed, firstMixed := 0, Finding{}
	flag := false
	for i, r := range source {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			size = 1
		}
		switch {
		case r == 0x1f3f4: // a flag goes on with tags
			flag = true
		case r >= 0xe0000 && r <= 0xe007f:
			if !flag {
				found = extend(found, i, i+size)
			}
			continue
		case r == 0x202d || r == 0x202e:
			found = append(found, Finding{Hidden, i, i + size})
			flag = false
			continue
		case normtext.IsInvisible(r) && !joins(r, before):
			if run == 0 {
				runStart = i
			}
			run++
			continue
		}
		flag = flag && r == 0x1f3f4
		if run >= minRun {
			found = append(found, Finding{Hidden, runStart, i})
		} else if run > 0 && isASCIILetter(before) && isASCIILetter(r) {
			if isolated++; isolated == 1 {
				firstIsolated = Finding{Hidden, runStart, i}
			}
		}
		run = 0
		if isLookalike(r) && isASCIILetter(before) && followedByASCII(source[i+size:]) {
			if mixed++; mixed == 1 {
				firstMixed = Finding{Hidden, i, i + size}
			}
		}
		before = r
	}
	if run >= minRun {
		found = append(found, Finding{Hidden, runStart, len(source)})
	}
	if isolated >= minRun {
		found = append(found, firstIsolated)
	}
	if mixed >= 2 {
		found = append(found, firstMixed)
	}
	return found
}

// extend adds a range to the last finding if that ends where the range starts.
func extend(found []Finding, start, end int) []Finding {
	if last := len(found) - 1; last >= 0 && found[last].End == start {
		found[last].End = end
		return found
	}
	return append(found, Finding{Hidden, start, end})
}

// joins reports whether an invisible character belongs to the character before it: in emoji, and in
// scripts with joiners and direction marks.
func joins(r, before rune) bool {
	switch r {
	case 0x200c, 0x200d:
		return before > 0x2000 || before >= 0x590 && before < 0x1100
	case 0xfe0e, 0xfe0f:
		return before >= 0x80 || before >= '0' && before <= '9' || before == '#' || before == '*'
	case 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x2066, 0x2067, 0x2068, 0x2069, 0x61c:
		return true
	}
	return r >= 0xe0100 && r <= 0xe01ef && unicode.Is(unicode.Han, before)
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isLookalike reports whether a Cyrillic or Greek letter looks like a Latin one.
func isLookalike(r rune) bool {
	switch r {
	case 'а', 'е', 'о', 'р', 'с', 'у', 'х', 'і', 'ј', 'ѕ', 'ԁ', 'һ', 'ո', 'ο', 'α', 'ν', 'ι', 'А', 'Е', 'О', 'Р', 'С', 'Х', 'І':
		return true
	}
	return false
}

func followedByASCII(rest string) bool { return rest != "" && isASCIILetter(rune(rest[0])) }
