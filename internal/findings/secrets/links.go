package secrets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
)

// link is how a value follows its label.
type link uint8

// link returns how a value follows the label that ends at an offset, and where it starts. It is
// none without a value.
func (s *reader) link(at int, identifier bool) (link, int) {
	text := s.Lower
	p := at
	for p < len(text) && strings.IndexByte(closers, text[p]) >= 0 {
		p++
	}
	spaced := p
	p = s.blanks(p)
	if p < len(text) && text[p] == '(' {
		if end := strings.IndexByte(text[p:min(len(text), p+60)], ')'); end > 0 && !strings.Contains(text[p:p+end], "\n") {
			if inner := s.Plain[p+1 : p+end]; !strings.Contains(inner, " ") && isSecretive(inner) {
				return bare, p + 1
			}
			p += end + 1
			for p < len(text) && strings.IndexByte(closers, text[p]) >= 0 {
				p++
			}
			p = s.blanks(p)
		}
	}
	if p >= len(text) {
		return none, 0
	}
	if how, from := s.sign(p); how != none {
		return how, from
	}
	rest := text[p:min(len(text), p+100)]
	word := leadingWord(rest)
	if len(word) < len(rest) && (isAlnum(rest[len(word)]) || rest[len(word)] == '-' || rest[len(word)] == '_') {
		word = "" // the start of a value
	}
	if n := particle(rest); n > 0 {
		return weak, s.adverbs(p + n)
	}
	if strings.HasPrefix(rest, "will be ") || strings.HasPrefix(rest, "has been ") {
		return weak, s.adverbs(p + strings.Index(rest, "be") + 2)
	}
	if verbs[word] {
		from := s.adverbs(p + len(word))
		if strings.HasPrefix(text[from:], ":") {
			return strong, s.adverbs(from + 1)
		}
		return weak, from
	}
	if prepositions[word] {
		return s.linkAfter(p)
	}
	if strings.HasPrefix(rest, "\n") {
		return none, 0
	}
	if strings.HasPrefix(rest, ", ") && !identifier {
		return bare, p + 2
	}
	if p > spaced {
		if closerOf(s.Plain[p:]) != "" {
			return quoted, p
		}
		if identifier || !notCredentials[word] {
			return bare, p
		}
	}
	return none, 0
}

// distantLink finds a value behind a label and some words: "password staging db: …". Only values
// that look like passwords count there. A code of a door may follow without a sign.
func (s *reader) distantLink(l label, at int) (link, int, bool) {
	rest := s.Lower[at:min(len(s.Lower), at+120)]
	if l.kind == pin && len(l.text) > 4 {
		if inside.MatchString(rest) {
			return weak, at + strings.IndexAny(rest, "0123456789"), true
		}
	}
	m := distant.FindString(rest)
	if m == "" || l.kind == login || l.kind == seed || l.kind == code || l.kind == cookie || l.kind == signature {
		return none, 0, false
	}
	for _, word := range strings.Fields(m) {
		if notCredentials[strings.TrimRight(word, ":=→*`")] {
			return none, 0, false
		}
	}
	if l.kind == pin {
		return strong, at + len(m) - 1, true
	}
	v, ok := s.value(at+len(m)-1, strong, at)
	if t := traitsOf(v.text); !ok || v.nextLine || !isSecretive(v.text) && !(t.upper && t.lower && t.digit && len(v.text) >= 8) {
		return none, 0, false
	}
	return strong, at + len(m) - 1, true
}

// sign returns the link at an offset if a sign is there.
func (s *reader) sign(p int) (link, int) {
	text := s.Lower
	rest := text[p:]
	switch {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "=~"), strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, "://"):
		return none, 0
	case strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, "?="):
		return strong, p + 2
	case strings.HasPrefix(rest, "→"), strings.HasPrefix(rest, "⇒"):
		return strong, p + 3
	case rest[0] == '=':
		return strong, p + 1
	case rest[0] == '>':
		if open := strings.LastIndexByte(text[max(0, p-24):p], '<'); open >= 0 && !strings.ContainsAny(text[max(0, p-24)+open:p], " \n/") {
			return strong, p + 1
		}
	case rest[0] == ':':
		return strong, s.adverbs(p + 1)
	case strings.HasPrefix(rest, "— "), strings.HasPrefix(rest, "– "):
		return weak, p + 3
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "| "):
		return weak, p + 1
	}
	return none, 0
}

// adverbs skips words such as "now" from an offset.
func (s *reader) adverbs(p int) int {
	for range 3 {
		p = s.blanks(p)
		word := leadingWord(s.Lower[p:min(len(s.Lower), p+24)])
		if next := p + len(word); !adverbs[word] || next < len(s.Lower) && s.Lower[next] != ' ' && s.Lower[next] != ':' {
			break
		}
		p += len(word)
	}
	return p
}

// linkAfter finds the link behind a phrase such as "for the staging database".
func (s *reader) linkAfter(p int) (link, int) {
	rest := s.Lower[p:min(len(s.Lower), p+90)]
	if end := strings.IndexAny(rest, "\n;"); end >= 0 {
		rest = rest[:end+1]
	}
	for _, stop := range []string{". ", ", ", "? "} {
		if end := strings.Index(rest, stop); end >= 0 {
			rest = rest[:end]
		}
	}
	at := linkWithin.FindStringSubmatchIndex(rest)
	if at == nil {
		return none, 0
	}
	if at[2] >= 0 {
		return strong, p + at[3]
	}
	if at[4] >= 0 {
		return strong, p + at[5]
	}
	return weak, s.adverbs(p + at[1])
}

// maxBefore limits how much text before a value is examined, in bytes, so that the cost of a long
// line is linear. It is arbitrary.
const maxBefore = 512

// lineBefore returns the text between the start of a line and an offset, at most maxBefore bytes.
func lineBefore(text string, at int) string {
	text = text[max(0, at-maxBefore):at]
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// leadingWord returns the letters at the start of a text.
func leadingWord(text string) string {
	for i, r := range text {
		if !unicode.IsLetter(r) {
			return text[:i]
		}
	}
	return text
}

// particle returns the length of the word at the start of a text that links a label and a value in
// a language without spaces, or 0.
func particle(text string) int {
	if text[0] < utf8.RuneSelf {
		return 0
	}
	for _, p := range particles {
		if strings.HasPrefix(text, p) {
			return len(p)
		}
	}
	return 0
}

func (s *reader) blanks(p int) int {
	for p < len(s.Lower) && (s.Lower[p] == ' ' || s.Lower[p] == '\t') {
		p++
	}
	return p
}

// Words between a label and its value.
var (
	prepositions = words(`for of on in at to from with by van voor för till til za för für vom von des der dem zum zur im am beim fürs de del du da do dos das della dello dell per para pour à au aux sur en la le el для от к на в у`)
	verbs        = words(`is was equals lautet ist war heißt heisst wurde es era est était sera é è er är jest must should muss debe doit deve to as set changed reset auf a wordt такой теперь сейчас будет установлен есть`)
	adverbs      = words(`be sein ser être noch todavía aún encore ainda ancora всё ещё пока immer now currently still again just simply always temporarily reset set changed updated literally to as the auf jetzt aktuell derzeit weiterhin immer gesetzt ahora actualmente siempre
		maintenant actuellement toujours agora atualmente ora adesso attualmente sempre теперь сейчас такой`)
	particles = []string{"は", "が", "是", "为", "為", "改成", "改为", "設為", "设为", "设置为", "就是", "는", "은", "이", "가", "를", "을"}
)

var linkWithin = normtext.NewPattern("(:)[\\s`\"'*“「]|\\s(=)\\s|\\s(is|was|lautet|ist|es|est|é|è|to|auf|jest|är|er|est désormais|ist jetzt)\\s|\\s(?:(?:→|->|=>|—|–)\\s)|(?:は|是|为|為|는|은)")

var (
	distant = normtext.NewPattern(`^ (?:[\pL\d.@'’_/-]{2,24} ){0,3}[\pL\d.@'’_/-]{2,24} ?(?::|=|→)[\s` + "`" + `*]`)
	inside  = normtext.NewPattern(`^[^.\n\d]{0,30}\s[` + "`" + `"*#]*\d{4,8}\b`)
)
