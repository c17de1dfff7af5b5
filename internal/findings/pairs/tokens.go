package pairs

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings"
	"memoir/internal/words"
)

// class is the role that a token can have in a comparison.
type class uint8

const (
	plain      class = iota
	function         // a word without a meaning of its own
	number           // with or without a unit
	date             // also the name of a weekday or month
	clock            // a time of day
	version          // of a program
	identifier       // a path, ticket, host, or name in a program
	proper           // a word with a capital letter that its place does not explain
	scope            // an environment or region, such as staging
	negation         // not, never
)

// isValue reports whether the class is of those whose difference contradicts by itself.
func (c class) isValue() bool { return c == number || c == date || c == clock || c == version }

// token is a word, or a character of a script without spaces.
type token struct {
	key        string // equal for forms of one word
	raw        string // as written
	field      findings.Field
	start, end int // in the field
	class      class
	// isFirst means that a sentence or line starts with it.
	isFirst bool
	// isAside means that its paragraph gives a reason or source, not the fact; isDetail, that it is
	// after the first paragraph of a body.
	isAside, isDetail bool
	// isPart means that it is a part of a compound such as api-prod.
	isPart bool
	// isQuoted means that it is in backticks.
	isQuoted bool
}

// text is a memory, read for a comparison.
type text struct {
	findings.Memory
	spoken                  words.Language
	name, description, body []token
}

func read(m findings.Memory) *text {
	t := &text{Memory: m}
	t.spoken = words.LanguageOf(firstWords(m.Description+"\n"+m.Body, 200))
	r := reader{spoken: t.spoken}
	t.name = r.tokens(findings.Name, m.Name)
	t.description = r.tokens(findings.Description, m.Description)
	t.body = r.tokens(findings.Body, m.Body)
	return t
}

// all yields the tokens of all fields.
func (t *text) all(yield func(*token) bool) {
	for _, tokens := range [][]token{t.name, t.description, t.body} {
		for i := range tokens {
			if !yield(&tokens[i]) {
				return
			}
		}
	}
}

// keys returns the keys of all tokens of the text, and the words in identifiers.
func (t *text) keys() map[string]bool {
	keys := map[string]bool{}
	for k := range t.all {
		keys[k.key] = true
		if k.class == identifier {
			for _, part := range firstWords(k.raw, 20) {
				if len(part) > 3 {
					keys[canonical(words.Stem(part, t.spoken))] = true
				}
			}
		}
	}
	return keys
}

type reader struct{ spoken words.Language }

// maxTokens limits the tokens of a field that are compared (arbitrary).
const maxTokens = 400

var (
	isoDate   = regexp.MustCompile(`^\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?$|^\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})$|^\d{4}-\d\d-\d\dT`)
	clockTime = regexp.MustCompile(`^\d{1,2}[:.]\d\d(:\d\d)?(am|pm|h|Z)?$|^\d{1,2}(am|pm)$|^\d{1,2}h\d\d$`)
	versions  = regexp.MustCompile(`^v\d+(\.\d+)*([-.+]?[a-z]+\.?\d*)?$|^\d+\.\d+\.\d+([-.+]?[a-z]+\.?\d*)*$|^\d+\.x$`)
	numbers   = regexp.MustCompile(`^\d[\d.,_']*(%|[a-zA-Zµ]{1,3}|th|st|nd|rd)?$`)
	asides    = regexp.MustCompile(`(?i)^\W*(why|reason|background|source|context|learned|noted|decided|grund|warum|hintergrund|motivo|por qué|pourquoi|raison|почему|причина|理由|原因|背景)\b`)
)

// tokens returns the tokens of a field. In a name, hyphens and low lines separate words.
func (r reader) tokens(field findings.Field, content string) []token {
	var found []token
	lead := len(content)
	if field == findings.Body {
		_, rest := splitLead(content)
		lead -= len(rest)
	}
	aside := false
	isFirst, quoted := true, false
	var before rune
	for i := 0; i < len(content) && len(found) < maxTokens; {
		c, size := utf8.DecodeRuneInString(content[i:])
		if i == 0 || content[i-1] == '\n' {
			line, _, _ := strings.Cut(content[i:], "\n")
			switch {
			case strings.TrimSpace(line) == "":
			case field == findings.Body && asides.MatchString(line):
				aside = true
			case i == 0 || strings.HasPrefix(line, "**") || strings.HasSuffix(content[:i], "\n\n"):
				aside = false
			}
			isFirst = true
		}
		switch {
		case c == '`':
			quoted = !quoted
		case words.SetsNoSpaces(string(c)):
			found = append(found, token{
				key: string(c), raw: content[i : i+size], field: field, start: i, end: i + size, isAside: aside, isQuoted: quoted, isFirst: isFirst,
				isDetail: i >= lead,
			})
			isFirst = false
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '/' && !unicode.IsLetter(before) && !unicode.IsDigit(before) && startsWord(content[i+1:]):
			end := chunkEnd(content, i)
			ranges := parts(content[i:end], field)
			for _, part := range ranges {
				k := token{raw: content[i+part[0] : i+part[1]], field: field, start: i + part[0], end: i + part[1], isAside: aside, isQuoted: quoted, isFirst: isFirst, isDetail: i >= lead}
				k.isPart = len(ranges) > 1 && field != findings.Name
				r.classify(&k, found)
				found = append(found, k)
				isFirst = false
			}
			before = ' '
			i = end
			continue
		case strings.ContainsRune(".!?。！？:;", c) || strings.ContainsRune("-*#>•", c) && isFirst:
			isFirst = true
		}
		before = c
		i += size
	}
	return markNegations(joinDates(found))
}

func startsWord(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(c)
}

// chunkEnd returns the end of the word at start. Signs such as . and - are part of it if a letter
// or digit follows.
func chunkEnd(content string, start int) int {
	signs := "-_./:@#'’+~"
	end := start
	for end < len(content) {
		c, size := utf8.DecodeRuneInString(content[end:])
		if words.SetsNoSpaces(string(c)) {
			break
		}
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) && end > start {
			next, _ := utf8.DecodeRuneInString(content[end+size:])
			last := content[end-1]
			if c == '%' && isDigit(last) {
				return end + size
			}
			isJoined := strings.ContainsRune(signs, c) && (unicode.IsLetter(next) || unicode.IsDigit(next)) && !words.SetsNoSpaces(string(next))
			isDecimal := c == ',' && isDigit(last) && unicode.IsDigit(next)
			isURL := strings.HasPrefix(content[end:], "://") || c == '/' && (last == ':' || last == '/')
			if !isJoined && !isDecimal && !isURL {
				break
			}
		}
		end += size
	}
	return end
}

// parts splits a chunk that is several words, such as well-known, into their byte ranges.
func parts(chunk string, field findings.Field) [][2]int {
	whole := [][2]int{{0, len(chunk)}}
	separators := "-/"
	switch {
	case field == findings.Name && !isoDate.MatchString(chunk) && !isTicket(chunk):
		if at := single.FindStringIndex(chunk); at != nil {
			before, after := parts(chunk[:at[0]], field), parts(chunk[at[1]:], field)
			return slices.Concat(before, [][2]int{{at[0], at[1]}}, shifted(after, at[1]))
		}
		separators = "-_/.:"
	case strings.ContainsFunc(chunk, unicode.IsDigit), strings.ContainsAny(chunk, "_@#."), strings.Contains(chunk, "://"),
		strings.HasPrefix(chunk, "/"), strings.Count(chunk, "/") > 1:
		return whole
	}
	if isoDate.MatchString(chunk) || isTicket(chunk) {
		return whole
	}
	var found [][2]int
	start := 0
	for i := 0; i <= len(chunk); i++ {
		if i == len(chunk) || strings.IndexByte(separators, chunk[i]) >= 0 {
			if i > start {
				found = append(found, [2]int{start, i})
			}
			start = i + 1
		}
	}
	return found
}

func shifted(ranges [][2]int, by int) [][2]int {
	for i := range ranges {
		ranges[i][0] += by
		ranges[i][1] += by
	}
	return ranges
}

// single matches a date or ticket in a name.
var single = regexp.MustCompile(`\d{4}-\d\d(-\d\d)?|[A-Z]{2,10}-\d+`)

var ticket = regexp.MustCompile(`(?i)^[a-z]{2,10}-\d+$`)

func isTicket(chunk string) bool { return ticket.MatchString(chunk) }

// classify sets the key and class of a token. before are the tokens of the field before it.
func (r reader) classify(k *token, before []token) {
	folded := strings.Join(firstWords(k.raw, 20), "")
	lower := strings.ToLower(k.raw)
	k.key = folded
	var last string
	if n := len(before); n > 0 {
		last = before[n-1].key
	}
	first, _ := utf8.DecodeRuneInString(k.raw)
	switch {
	case isoDate.MatchString(k.raw):
		k.class, k.key = date, dateKey(lower)
	case clockTime.MatchString(k.raw) && strings.ContainsAny(lower, ":amph"):
		k.class, k.key = clock, clockKey(lower)
	case versions.MatchString(lower):
		k.class, k.key = version, strings.TrimPrefix(lower, "v")
	case numbers.MatchString(k.raw):
		k.class, k.key = number, numberKey(lower)
		if versioned[last] && !strings.HasSuffix(lower, "%") {
			k.class = version
		}
	case calendar[folded] != "":
		k.class, k.key = date, calendar[folded]
	case numerals[folded] != "":
		k.class, k.key = number, numerals[folded]
	case scopes[folded] != "" && !k.isPart && !(len(folded) == 2 && k.raw != strings.ToUpper(k.raw) && k.field != findings.Name):
		k.class, k.key = scope, scopes[folded]
	case negations[lower] || negations[folded]:
		k.class, k.key = negation, "not"
	case strings.ContainsAny(k.raw, "_/@#") || strings.Contains(k.raw, ".") || strings.ContainsFunc(k.raw, unicode.IsDigit):
		k.class, k.key = identifier, lower
	case k.raw == "March" || k.raw == "May":
		k.class, k.key = date, map[string]string{"March": "m:3", "May": "m:5"}[k.raw]
	case words.IsFunctionWord(folded, "en") || words.IsFunctionWord(folded, r.spoken):
		k.class = function
	default:
		k.key = canonical(words.Stem(folded, r.spoken))
		inner := strings.ContainsFunc(k.raw[utf8.RuneLen(first):], unicode.IsUpper)
		if inner || unicode.IsUpper(first) && !k.isFirst && r.spoken != "de" && k.field != findings.Name {
			k.class = proper
		}
	}
	if k.key == "" {
		k.key = lower
	}
}

// clockKey returns a time without zeros that people omit: 7 for 07:00.
func clockKey(lower string) string {
	lower = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(lower, "am"), "pm"), "h")
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(lower, ":00"), ".00"), "0")
}

// numberKey returns a number without its unit, which can also be written as the next word.
func numberKey(lower string) string {
	return strings.Trim(strings.TrimRightFunc(lower, func(r rune) bool { return !unicode.IsDigit(r) }), ",._'")
}

func dateKey(lower string) string {
	if i := strings.IndexByte(lower, 't'); i > 0 {
		lower = lower[:i]
	}
	return strings.NewReplacer("/", "-", ".", "-").Replace(lower)
}

// joinDates makes numbers next to the name of a month part of the date, and numbers before words
// such as Uhr a time.
func joinDates(tokens []token) []token {
	for i := range tokens {
		if tokens[i].class == date && isMonth(tokens[i].key) {
			for _, j := range [2]int{i - 1, i + 1} {
				if j >= 0 && j < len(tokens) && tokens[j].class == number && len(tokens[j].key) <= 4 {
					tokens[j].class = date
				}
			}
		}
		if i > 0 && each[tokens[i-1].key] && periods[tokens[i].key] != "" {
			tokens[i].class, tokens[i].key = date, periods[tokens[i].key]
		}
		if i > 0 && tokens[i-1].class == number && (tokens[i].key == "uhr" || tokens[i].key == "pm" || tokens[i].key == "am") {
			tokens[i-1].class = clock
		}
	}
	return tokens
}

// each are the words before a period, folded; periods, the stems after them.
var (
	each    = set("every each per once jede jeden jedes pro cada chaque каждый каждую каждое")
	periods = table("every:day day night tag nacht dia noche jour nuit день ночь\nevery:hour hour stund hora heur час\n" +
		"every:week week woch seman semain недел\nevery:month month monat mes mois месяц")
)

func isMonth(key string) bool { return strings.HasPrefix(key, "m:") }

// markNegations sets the class of the runs of characters that say "not", name an environment or a
// weekday in scripts without spaces.
func markNegations(tokens []token) []token {
	for i := range tokens {
		if !words.SetsNoSpaces(tokens[i].raw) {
			continue
		}
		for _, run := range runs[tokens[i].raw] {
			if isRun(tokens, i, run.text) {
				for j := range utf8.RuneCountInString(run.text) {
					tokens[i+j].class, tokens[i+j].key = run.class, run.key
				}
				break
			}
		}
	}
	return tokens
}

func isRun(tokens []token, at int, run string) bool {
	for _, c := range run {
		if at == len(tokens) || tokens[at].raw != string(c) {
			return false
		}
		at++
	}
	return true
}

// content returns the tokens that are not function words.
func content(tokens []token) []token {
	return slices.DeleteFunc(slices.Clone(tokens), func(k token) bool { return k.class == function })
}
