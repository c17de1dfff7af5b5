package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/words"
)

const (
	// readHead and readTail are how much of a query is read, in bytes from its beginning and from its end: whoever pastes a log
	// says before it or after it what it is about.
	readHead = 8 << 10
	readTail = 4 << 10
	// mostTerms bounds how many words a query is taken apart into: those of a long paragraph.
	mostTerms = 96
	// longestKorean is the longest Korean word, in syllables, that is looked for as one. What is longer was typed without spaces.
	longestKorean = 8
	// shortestNumber is the shortest number that says something: a port, a status, an issue. Shorter ones are lines and counts.
	shortestNumber = 3
)

// A term is one thing that a query speaks of: a word, or characters side by side: in a script without spaces two, in Hangul what
// stands between two spaces.
type term struct {
	word string // folded
	stem string
	run  bool // characters side by side, which may stand anywhere
	// character says that it is a single one, which tells little by itself.
	character bool
}

// functionCharacters hold Chinese sentences together.
const functionCharacters = "的了是在有和就不人都一上也很到说要去你会着没看好自己这那里么什吗呢吧之与及或但而且为所以因从对把被让给个们我他她它其再还又只可能该请问哪谁几多少前后时中下大小用来出过得地"

// termsOf returns what a query speaks of, each term once, in their order, and the language of its words.
func termsOf(query string) (terms []term, spoken language) {
	query = withoutExclusions(ends(query))
	var all []string
	for word := range words.All(query) {
		if !words.SetsNoSpaces(word) {
			all = append(all, word)
		}
	}
	spoken = languageOf(all)
	seen := map[string]bool{}
	add := func(t term) {
		if !seen[t.word] && len(terms) < mostTerms {
			seen[t.word] = true
			terms = append(terms, t)
		}
	}
	for _, word := range all {
		if saysSomething(word, spoken) {
			add(term{word: word, stem: stem(word, spoken)})
		}
	}
	for _, run := range words.Runs(query) {
		for part := range byHangul(run) {
			if isKoreanWord(part) {
				add(term{word: part, stem: part, run: true})
				continue
			}
			for pair := range pairs(part) {
				if saysMore(pair) {
					add(term{word: pair, stem: pair, run: true})
				}
			}
		}
		for _, r := range run {
			if unicode.Is(unicode.Han, r) && !strings.ContainsRune(functionCharacters, r) {
				add(term{word: string(r), stem: string(r), character: true})
			}
		}
	}
	return terms, spoken
}

// ends returns the parts of a query that are read.
func ends(query string) string {
	if len(query) <= readHead+readTail {
		return query
	}
	return strings.ToValidUTF8(query[:readHead], "") + "\n" + strings.ToValidUTF8(query[len(query)-readTail:], "")
}

func saysSomething(word string, spoken language) bool {
	if functionWords["en"][word] || functionWords[spoken][word] {
		return false
	}
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return len(word) >= shortestNumber
	}
	return utf8.RuneCountInString(word) > 1
}

// byHangul yields the parts of a run that are Hangul, and those that are not.
func byHangul(run string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin, before := 0, false
		for i, r := range run {
			is := unicode.Is(unicode.Hangul, r)
			if i > 0 && is != before {
				if !yield(run[begin:i]) {
					return
				}
				begin = i
			}
			before = is
		}
		yield(run[begin:])
	}
}

// isKoreanWord reports whether a part of a run is one word, with whatever hangs on to it, as far as spaces tell.
func isKoreanWord(part string) bool {
	first, _ := utf8.DecodeRuneInString(part)
	n := utf8.RuneCountInString(part)
	return unicode.Is(unicode.Hangul, first) && n > 1 && n <= longestKorean
}

// pairs yields the characters of a run two by two, each but the ends in two pairs.
func pairs(run string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		before := -1
		for i, r := range run {
			if before >= 0 && !yield(run[before:i+utf8.RuneLen(r)]) {
				return
			}
			before = i
		}
	}
}

// saysMore reports whether two characters are more than an ending: Japanese writes those in Hiragana.
func saysMore(pair string) bool {
	return strings.ContainsFunc(pair, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) && r != 'ー' })
}
