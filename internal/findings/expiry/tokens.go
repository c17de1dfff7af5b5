package expiry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	wordToken  tokenKind = iota // letters of a script with spaces
	cjkToken                    // a run of Han, Kana or Hangul
	digitToken                  // digits
	markToken                   // one punctuation mark
	breakToken                  // the end of a block: a blank line, or a line before a list item
)

// token is a part of a text. text is in lower case and without accents.
type token struct {
	kind       tokenKind
	capital    bool // a word that starts with a capital letter
	preterite  bool // a word with the ending of the Spanish preterite, which folding removes
	text       string
	start, end int // byte offsets
	value      int // of a digitToken
	cues       cue // the classes of the phrase that ends here
	length     int // the number of tokens of that phrase
}

// is reports whether the token is the given mark.
func (t token) is(mark string) bool { return t.kind == markToken && t.text == mark }

// tokenise splits a text. Emphasis, code marks and quotation marks become no tokens.
func tokenise(text string) []token {
	tokens := make([]token, 0, len(text)/4+8)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == '\n':
			if isBreak(text[i+1:]) {
				tokens = append(tokens, token{kind: breakToken, start: i, end: i + 1})
			}
			i++
		case isDigit(r):
			t := token{kind: digitToken, start: i}
			for i < len(text) && isDigit(rune(text[i])) {
				if t.value < 1e8 {
					t.value = 10*t.value + int(text[i]-'0')
				}
				i++
			}
			t.end, t.text = i, text[t.start:i]
			tokens = append(tokens, t)
		case isCJK(r):
			previous := token{}
			if n := len(tokens); n > 0 {
				previous = tokens[n-1]
			}
			end := i + cjkPiece(text[i:], previous)
			tokens = append(tokens, token{kind: cjkToken, start: i, end: end, text: text[i:end]})
			i = end
		case isLetter(r):
			t := token{kind: wordToken, start: i, capital: unicode.IsUpper(r)}
			for i += size; i < len(text); i += size {
				r, size = rune(text[i]), 1
				if r >= utf8.RuneSelf {
					r, size = utf8.DecodeRuneInString(text[i:])
				}
				if !isLetter(r) && !unicode.Is(unicode.Mn, r) || isCJK(r) {
					break
				}
			}
			t.end, t.text = i, fold(text[t.start:i])
			t.preterite = i-t.start > 4 && strings.HasSuffix(text[t.start:i], "ó")
			tokens = append(tokens, t)
		case r == ' ' || r == '\t' || r == '\r' || r == '*' || r == '`' || r == '_' || r == '\'' || r == '"' ||
			r >= utf8.RuneSelf && (unicode.IsSpace(r) || strings.ContainsRune("’‘“”„«»「」『』", r)):
			i += size
		default:
			tokens = append(tokens, token{kind: markToken, text: text[i : i+size], start: i, end: i + size})
			i += size
		}
	}
	return tokens
}

// isBreak reports whether a line starts a new block: it is blank, a list item, a heading, a table
// row or bold text.
func isBreak(line string) bool {
	line = strings.TrimLeft(line, " \t\r")
	if line == "" || strings.ContainsRune("\n-*#|>+•", rune(line[0])) {
		return true
	}
	digits := strings.TrimLeft(line, "0123456789")
	return len(digits) < len(line) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ") ||
		len(line)-len(digits) == 4 && strings.HasPrefix(digits, "-"))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsLetter(r)
}

func isCJK(r rune) bool {
	return r >= 0x3005 && r <= 0x3007 || r >= 0x3041 && r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAFF
}

// accents maps the accented letters of the languages that cues are written in.
var accents = map[rune]string{
	'á': "a", 'à': "a", 'â': "a", 'ä': "a", 'ã': "a", 'å': "a", 'ç': "c", 'é': "e", 'è': "e", 'ê': "e", 'ë': "e",
	'í': "i", 'ì': "i", 'î': "i", 'ï': "i", 'ñ': "n", 'ó': "o", 'ò': "o", 'ô': "o", 'ö': "o", 'õ': "o", 'ú': "u",
	'ù': "u", 'û': "u", 'ü': "u", 'ß': "ss", 'œ': "oe", 'ё': "е",
}

// fold returns a word in lower case and without accents.
func fold(word string) string {
	plain := true
	for i := 0; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf || word[i] >= 'A' && word[i] <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return word
	}
	var folded strings.Builder
	folded.Grow(len(word))
	for _, r := range word {
		r = unicode.ToLower(r)
		if letter, ok := accents[r]; ok && r >= utf8.RuneSelf {
			folded.WriteString(letter)
		} else if !unicode.Is(unicode.Mn, r) {
			folded.WriteRune(r)
		}
	}
	return folded.String()
}

// mask returns the text with code, targets of links, struck-out text and sections of history
// blanked: their dates tell nothing. The length stays the same.
func mask(text string) string {
	masked := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if masked[i] != '\n' {
				masked[i] = ' '
			}
		}
	}
	fenced, history := "", false
	for from := 0; from < len(text); {
		to := len(text)
		if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
			to = from + n + 1
		}
		line := strings.TrimSpace(text[from:to])
		switch {
		case fenced != "":
			if strings.HasPrefix(line, fenced) {
				fenced = ""
			}
			blank(from, to)
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fenced = line[:3]
			blank(from, to)
		case strings.HasPrefix(line, "#"):
			history = isHistory(line)
		case history || isLogLine(line):
			blank(from, to)
		default:
			maskLine(text[from:to], from, blank)
		}
		from = to
	}
	return string(masked)
}

// isHistory reports whether a heading starts a list of past events.
func isHistory(heading string) bool {
	switch fold(strings.Trim(heading, "#*: \t")) {
	case "changelog", "change log", "history", "timeline", "log", "changes", "verlauf", "historie", "historial",
		"historique", "historico", "cronologia", "история", "履歴", "变更历史", "历史", "변경 이력", "release notes", "past", "done":
		return true
	}
	return false
}

// isLogLine reports whether a program logged the line: it starts with a time and has a level.
func isLogLine(line string) bool {
	line = strings.TrimLeft(line, "[> ")
	if len(line) < 16 || !isDigit(rune(line[0])) || !isDigit(rune(line[3])) || line[4] != '-' || !strings.Contains(line[:16], ":") {
		return false
	}
	for _, level := range []string{"ERROR", "WARN", "INFO", "DEBUG", "FATAL", "TRACE", "[error]", "[info]", "[warn"} {
		if strings.Contains(line, level) {
			return true
		}
	}
	return false
}

// maskLine blanks inline code other than dates, struck-out text and the targets of links.
func maskLine(line string, offset int, blank func(from, to int)) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '`':
			n := strings.IndexByte(line[i+1:], '`')
			if n < 0 {
				return
			}
			if !isPlainDate(line[i+1 : i+1+n]) {
				blank(offset+i, offset+i+n+2)
			}
			i += n + 1
		case '~':
			if strings.HasPrefix(line[i:], "~~") {
				n := strings.Index(line[i+2:], "~~")
				if n < 0 {
					return
				}
				blank(offset+i, offset+i+n+4)
				i += n + 3
			}
		case ']':
			if strings.HasPrefix(line[i:], "](") {
				n := strings.IndexByte(line[i:], ')')
				if n < 0 {
					return
				}
				blank(offset+i+1, offset+i+n)
				i += n
			}
		case ':':
			if strings.HasPrefix(line[i:], "://") {
				n := strings.IndexAny(line[i:], " \t\n)>")
				if n < 0 {
					n = len(line) - i
				}
				blank(offset+i, offset+i+n)
				i += n - 1
			}
		}
	}
}

// isPlainDate reports whether code in a sentence is only a date, such as `2025-12-14`.
func isPlainDate(code string) bool {
	return strings.Trim(code, "0123456789-./") == "" && len(code) >= 8 && len(code) <= 10
}
