package recall

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/words"
)

const (
	// maxHead and maxTail are how many bytes at the start and end of a query are read. The question
	// of a prompt with a pasted log is before or after the log. Both are arbitrary.
	maxHead = 8 << 10
	maxTail = 4 << 10
	// maxTerms limits the terms of a query, to those of a long paragraph. It is arbitrary.
	maxTerms = 96
	// maxKoreanWord is the longest Korean word in syllables. A longer one was typed without spaces.
	maxKoreanWord = 8
	// minDigits is the shortest number that is a term, such as a port or a status.
	minDigits = 3
)

// A term is a searched word or run of characters. In scripts without spaces a run has two
// characters; in Hangul it is the text between two spaces.
type term struct {
	word string // folded
	stem string
	run  bool // characters that may be anywhere in a text
	// character means a single character, which has little weight.
	character bool
}

// functionCharacters are Chinese characters without a meaning for search.
const functionCharacters = "的了是在有和就不人都一上也很到说要去你会着没看好自己这那里么什吗呢吧之与及或但而且为所以因从对把被让给个们我他她它其再还又只可能该请问哪谁几多少前后时中下大小用来出过得地"

// termsOf returns the terms to search for a query, each once and at most maxTerms, and the
// language of its words. Words come first, then the parts in scripts without spaces: Korean words,
// pairs of characters, and single Chinese characters. It leaves out function words, short numbers,
// and parts that the query excludes.
func termsOf(query string) (terms []term, spoken words.Language) {
	query = exclusion.ReplaceAllString(ends(query), " ")
	var all []string
	for word := range words.All(query) {
		if !words.SetsNoSpaces(word) {
			all = append(all, word)
		}
	}
	spoken = words.LanguageOf(all)
	seen := map[string]bool{}
	add := func(t term) {
		if !seen[t.word] && len(terms) < maxTerms {
			seen[t.word] = true
			terms = append(terms, t)
		}
	}
	for _, word := range all {
		if saysSomething(word, spoken) {
			add(term{word: word, stem: words.Stem(word, spoken)})
		}
	}
	for _, run := range words.Runs(query) {
		for _, part := range hangulOrOther.FindAllString(run, -1) {
			if isKoreanWord(part) {
				add(term{word: part, stem: part, run: true})
				continue
			}
			characters := []rune(part)
			for i := range len(characters) - 1 {
				if pair := string(characters[i : i+2]); saysMore(pair) {
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

// ends returns the first maxHead and the last maxTail bytes of a query, separated by a line feed.
// It drops characters that it would cut. A shorter query is returned whole.
func ends(query string) string {
	if len(query) <= maxHead+maxTail {
		return query
	}
	return strings.ToValidUTF8(query[:maxHead], "") + "\n" + strings.ToValidUTF8(query[len(query)-maxTail:], "")
}

// saysSomething reports whether a word is worth a search. A function word of English or of the
// spoken language is not. A word with a letter needs two characters, another one minDigits bytes.
func saysSomething(word string, spoken words.Language) bool {
	if words.IsFunctionWord(word, "en") || words.IsFunctionWord(word, spoken) {
		return false
	}
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return len(word) >= minDigits
	}
	return utf8.RuneCountInString(word) > 1
}

// hangulOrOther matches the parts of a run: Hangul, or other characters.
var hangulOrOther = regexp.MustCompile(`\p{Hangul}+|\P{Hangul}+`)

// isKoreanWord reports whether a text starts with Hangul and has 2 to maxKoreanWord characters.
// Then it is taken for one Korean word, possibly with particles.
func isKoreanWord(part string) bool {
	first, _ := utf8.DecodeRuneInString(part)
	n := utf8.RuneCountInString(part)
	return unicode.Is(unicode.Hangul, first) && n > 1 && n <= maxKoreanWord
}

// saysMore reports whether one of the characters of pair is not Hiragana. Hiragana alone is mostly
// an inflection in Japanese.
func saysMore(pair string) bool {
	return strings.ContainsFunc(pair, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) && r != 'ー' })
}

// exclusion matches what a query excludes: the rest of a clause after such words. A plain "not"
// counts only at the start of a clause, because "why does it not start" is about starting.
var exclusion = regexp.MustCompile(`(?i)(?:\b(?:except|except for|apart from|other than|aside from|excluding|never mind|not (?:asking |talking )?about|ausser|außer|sauf|excepto|salvo)|[,;:.(—–-]\s*(?:but |and )?not)\s+[^,;:.!?()\n]{1,60}`)
