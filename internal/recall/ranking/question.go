package ranking

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/words"
)

const (
	// maxHead and maxTail are how many bytes at the start and end of a question are read. The question
	// of a prompt with a pasted log is before or after the log. Both are arbitrary.
	maxHead = 8 << 10
	maxTail = 4 << 10
	// maxTerms limits the terms of a question, to those of a long paragraph. It is arbitrary.
	maxTerms = 96
	// maxKoreanWord is the longest Korean word in syllables. A longer one was typed without spaces.
	maxKoreanWord = 8
	// minDigits is the shortest number that is a term, such as a day or a version.
	minDigits = 2
)

// characterWeight is the weight of a single Chinese character, which is part of many words.
const characterWeight = 0.3

// earlierWeight is the weight of a term of the question before.
const earlierWeight = 0.4

// Question is what is asked, as terms to search for.
type Question struct {
	Terms    []Term
	language words.Language
	items    int // number of things that the question lists, or 0
}

// A Term is a searched word or run of characters. In scripts without spaces a run has two
// characters; in Hangul it is the text between two spaces.
type Term struct {
	Word string // folded
	// Variants are the words that count as the term, the term itself first.
	Variants []Variant
	// Run means characters that may be anywhere in a text.
	Run bool
	// Character means a single Chinese character.
	Character bool
	// Earlier means that it is from the question before.
	Earlier bool
	// Excluded means that the question is not about it: “not the staging one”.
	Excluded bool

	stem   string
	item   int     // the listed thing that it is part of, from 1, or 0
	weight float64 // idf times the weight of its kind
	count  int     // number of memories that have it
}

// IsUnknown reports whether no memory has the term. It is false before Weigh.
func (t Term) IsUnknown() bool { return t.count == 0 }

// functionCharacters are Chinese characters without a meaning for search.
const functionCharacters = "的了是在有和就不人都一上也很到说要去你会着没看好自己这那里么什吗呢吧之与及或但而且为所以因从对把被让给个们我他她它其再还又只可能该请问哪谁几多少前后时中下大小用来出过得地"

// Parse returns the terms of a question, each once and at most maxTerms. Words come first, then the
// parts in scripts without spaces: Korean words, pairs of characters, and single Chinese characters.
// It leaves out function words and short numbers. Each term has only itself as variant. The terms
// of before follow with less weight: the question before one that RefersBack, or empty.
func Parse(text, before string) Question {
	text = Ends(text)
	asked, excluded := withoutExclusions(text)
	q := Question{language: languageOf(asked)}
	for at, part := range listed(asked) {
		q.add(part, Term{item: at})
		q.items = at
	}
	q.add(excluded, Term{Excluded: true})
	if before != "" {
		about, _ := withoutExclusions(Ends(before))
		q.add(about, Term{Earlier: true})
	}
	return q
}

// back matches the beginning of a question that continues an earlier one.
var back = regexp.MustCompile(`(?i)^\W*(?:and|or|what about|how about|same for|the other|und|oder|was ist mit|y|et|e|ou|o)\b`)

// RefersBack reports whether a question needs the one before it: it is short and continues it, or has
// at most one term.
func RefersBack(text string) bool {
	const short = 120 // bytes; arbitrary
	if len(text) > short {
		return false
	}
	q := Question{language: languageOf(text)}
	q.add(text, Term{})
	return back.MatchString(text) || len(q.Terms) <= 1
}

// spaceless is the language of texts in scripts without spaces.
const spaceless words.Language = "zh"

// languageOf returns the language of the first words of a text.
func languageOf(text string) words.Language {
	const enough = 60
	var first []string
	isSpaceless, isCyrillic := 0, 0
	for word := range words.All(text) {
		if words.SetsNoSpaces(word) {
			isSpaceless++
		}
		if r, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Cyrillic, r) {
			isCyrillic++
		}
		if first = append(first, word); len(first) == enough {
			break
		}
	}
	if 2*isSpaceless > len(first) {
		return spaceless
	}
	if 2*isCyrillic > len(first) {
		return "ru" // as words.Stem reads Cyrillic letters
	}
	return words.LanguageOf(first)
}

// add adds the terms of a part of the question. Item, Excluded and Earlier are those of like.
func (q *Question) add(part string, like Term) {
	add := func(word, stem string, run, character bool) {
		isNew := !slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Word == word })
		if isNew && len(q.Terms) < maxTerms {
			like.Word, like.stem, like.Run, like.Character = word, stem, run, character
			like.Variants = []Variant{{Word: word, Run: run, degree: 1}}
			q.Terms = append(q.Terms, like)
		}
	}
	for word := range words.All(part) {
		if !words.SetsNoSpaces(word) && saysSomething(word, q.language) {
			add(word, words.Stem(word, q.language), false, false)
		}
	}
	// Without other characters, hiragana is not only inflections.
	isHiragana := !strings.ContainsFunc(part, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Katakana, unicode.Latin) })
	for _, run := range words.Runs(part) {
		for _, part := range hangulOrOther.FindAllString(run, -1) {
			if isKoreanWord(part) {
				add(part, part, true, false)
				continue
			}
			characters := []rune(part)
			for i := range len(characters) - 1 {
				if pair := string(characters[i : i+2]); isHiragana || saysMore(pair) {
					add(pair, pair, true, false)
				}
			}
		}
		for _, r := range run {
			if unicode.Is(unicode.Han, r) && !strings.ContainsRune(functionCharacters, r) {
				add(string(r), string(r), false, true)
			}
		}
	}
}

// Ends returns the first maxHead and the last maxTail bytes of a question, separated by a line feed.
// It drops characters that it would cut. A shorter question is returned whole.
func Ends(text string) string {
	if len(text) <= maxHead+maxTail {
		return text
	}
	return strings.ToValidUTF8(text[:maxHead], "") + "\n" + strings.ToValidUTF8(text[len(text)-maxTail:], "")
}

// saysSomething reports whether a word is worth a search. A function word of English or of the
// spoken language is not. A word with a letter needs two characters, another one minDigits bytes.
func saysSomething(word string, spoken words.Language) bool {
	if isFunctionWord(word, spoken) {
		return false
	}
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return len(word) >= minDigits
	}
	return utf8.RuneCountInString(word) > 1
}

// isFunctionWord reports whether a word is a function word of English or of the spoken language.
func isFunctionWord(word string, spoken words.Language) bool {
	return words.IsFunctionWord(word, "en") || words.IsFunctionWord(word, spoken)
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

// exclusion matches what a question excludes: the rest of a clause after such words. A plain "not"
// counts only at the start of a clause, because "why does it not start" is about starting.
var exclusion = regexp.MustCompile(`(?i)(?:\b(?:except|except for|apart from|other than|aside from|besides|excluding|but without|never mind|forget(?: about)?|not (?:asking |talking )?about|i (?:don't|do not) mean|ausser|außer|abgesehen von|sauf|hormis|excepto|salvo|sin contar)\b|` +
	`(?:^|[,;:.!?(—–-]\s*)(?:but |and |aber |und |mais |pero )?(?:not|nicht|pas)\b)\s+[^,;:.!?()\n]{1,60}`)

// correction matches the words after which a question says what it is about instead.
var correction = regexp.MustCompile(`(?i)\s(?:but|sondern|sino|mais)\s`)

// withoutExclusions returns the text without what it excludes, and what it excludes.
func withoutExclusions(text string) (asked, excluded string) {
	asked = exclusion.ReplaceAllStringFunc(text, func(clause string) string {
		at := correction.FindStringIndex(clause)
		if at == nil {
			at = []int{len(clause), len(clause)}
		}
		excluded += clause[:at[0]] + "\n"
		return " " + clause[at[1]:]
	})
	return asked, excluded
}

// separators match what is between two listed things.
var separators = regexp.MustCompile(`(?i)(?:[,;、，]| /|\n)\s*(?:(?:and|or|und|oder|et|ou|y|o|e)\s)?|\s(?:and|or|und|oder|et|ou|y|o|e|sowie)\s`)

const (
	// minItems is how many things a list has at least.
	minItems = 3
	// maxItemWords is how many words a listed thing has at most.
	maxItemWords = 3
	// maxListing is the length of the longest question that lists things, in bytes. Pasted text has many
	// commas.
	maxListing = 300
)

// listed returns the listed things of a question from index 1, and the rest of it at index 0. Only
// minItems short parts one after the other are a list; without one, it returns only the text.
func listed(text string) []string {
	if len(text) > maxListing {
		return []string{text}
	}
	parts := separators.Split(text, -1)
	from, to := 0, 0 // the longest sequence of items
	for i := 0; i < len(parts); i++ {
		j := i
		for j < len(parts) && isItem(parts[j]) {
			j++
		}
		if j-i > to-from {
			from, to = i, j
		}
		i = j
	}
	items := slices.Clone(parts[from:to])
	if from > 0 && len(items) > 0 { // the first thing ends the text before the first separator
		before := strings.Fields(parts[from-1])
		for n := min(2, len(before)); n > 0; n-- {
			if first := strings.Join(before[len(before)-n:], " "); isItem(first) {
				items = append([]string{first}, items...)
				break
			}
		}
	}
	if to < len(parts) && len(items) > 0 { // the last thing begins the text after the last separator
		if after := strings.Fields(parts[to]); len(after) > 0 && isItem(after[0]) {
			items = append(items, after[0])
		}
	}
	if len(items) < minItems {
		return []string{text}
	}
	return append([]string{strings.Join(slices.Concat(parts[:from], parts[to:]), "\n")}, items...)
}

// between are the function words that may be within a listed thing.
const between = " of to for in on at de del des von der "

// isItem reports whether a text may be a listed thing: few words, without function words but at its
// ends and prepositions.
func isItem(text string) bool {
	all := slices.Collect(words.All(text))
	spoken := words.LanguageOf(all)
	isFunction := func(word string) bool { return isFunctionWord(word, spoken) }
	for len(all) > 0 && isFunction(all[0]) {
		all = all[1:]
	}
	for len(all) > 0 && isFunction(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	isInner := func(word string) bool { return isFunction(word) && !strings.Contains(between, " "+word+" ") }
	return len(all) > 0 && len(all) <= maxItemWords && !slices.ContainsFunc(all, isInner)
}
