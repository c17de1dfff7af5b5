package pairs

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings"
)

const (
	// mutualScore is the similarity from which two memories are about the same fact, if each is the
	// most similar one to the other; commonScore, if not.
	mutualScore = 0.30
	commonScore = 0.50
	// replaceScore is the similarity from which a memory replaces another without naming it.
	replaceScore = 0.15
	// templateLikeness is the share of equal words from which two bodies follow one template, so
	// that each difference counts.
	templateLikeness = 0.6
	// subjectLikeness is the share of equal words from which small differences are compared with the
	// names of the memories.
	subjectLikeness = 0.5
	// clearAge is the difference in age from which the newer memory is the one to keep.
	clearAge = time.Hour
)

// compare returns the finding about two memories, if there is one.
func compare(a, b findings.Memory, c candidate, isName func(stem string) bool) (findings.Pair, bool) {
	p := findings.Pair{A: a.ID, B: b.ID, Score: float64(c.score), Keep: newer(a, b)}
	if c.same {
		p.Kind, p.Reason, p.IsStated = findings.Duplicate, "Same text", true
		if p.Keep == "" {
			p.Keep = a.ID
		}
		return p, true
	}
	if replaces(a, b, c, &p) {
		return p, true
	}
	if c.score < mutualScore || c.score < commonScore && !c.isMutual || c.isSeries {
		return p, false
	}
	x := comparison{a: read(a), b: read(b), isName: isName, isClose: c.score >= commonScore}
	v, ok := x.judge()
	if !ok {
		return p, false
	}
	p.Kind, p.Reason = v.kind, v.reason
	if v.keep != "" {
		p.Keep = v.keep
	}
	p.Spans = [2][]findings.Span{spansOf(v.a), spansOf(v.b)}
	if v.kind == findings.Duplicate {
		p.Keep = x.fuller(p.Keep)
	}
	return p, true
}

// newer returns the ID of the memory that is newer by at least clearAge, or "".
func newer(a, b findings.Memory) string {
	switch age := a.Changed.Sub(b.Changed); {
	case a.Changed.IsZero() || b.Changed.IsZero():
		return ""
	case age >= clearAge:
		return a.ID
	case age <= -clearAge:
		return b.ID
	}
	return ""
}

// verdict is the finding about two texts, with the tokens that differ.
type verdict struct {
	kind   findings.Kind
	reason string
	a, b   []token
	keep   string // ID, or "" if the dates of the memories tell
}

type comparison struct {
	a, b   *text
	isName func(stem string) bool
	// isClose means that the similarity is at least commonScore.
	isClose bool
	// inA and inB are the keys of all tokens.
	inA, inB map[string]bool
}

// fuller returns the ID of the memory with many more words than the other, or else newer.
func (x *comparison) fuller(newer string) string {
	na, nb := len(content(x.a.body)), len(content(x.b.body))
	switch {
	case na > nb*3/2:
		return x.a.ID
	case nb > na*3/2:
		return x.b.ID
	}
	return newer
}

// judge compares two texts. A difference in the subject means two facts; a difference in a value
// means a contradiction; otherwise similar texts are duplicates.
func (x *comparison) judge() (verdict, bool) {
	if linksTo(x.a.Text, x.b.Memory) || linksTo(x.b.Text, x.a.Memory) {
		return verdict{}, false // the two are read together
	}
	x.inA, x.inB = x.a.keys(), x.b.keys()
	if n := x.common(); n < minCommon && !(x.isClose && n == minCommon-1) || x.differInScope() || x.differInNamedThing() || x.differInModifier() || x.differInFirstWord() {
		return verdict{}, false
	}
	d := x.differences()
	if d.hasSubject {
		return verdict{}, false
	}
	if older, span, ok := x.change(); ok {
		return x.replaced(older, span), true
	}
	if len(d.values) > 0 {
		return d.verdict(), true
	}
	return verdict{kind: findings.Duplicate, reason: "Same fact, other words", a: x.only(x.a, x.inB), b: x.only(x.b, x.inA)}, true
}

// only returns the tokens with a meaning, outside the name, that the other text does not have.
func (x *comparison) only(t *text, other map[string]bool) []token {
	var found []token
	for k := range t.all {
		if k.class != function && k.field != findings.Name && !other[k.key] {
			found = append(found, *k)
		}
	}
	return found
}

// minCommon is the number of different words that two texts must have in common, or one less if
// they are close (arbitrary).
const minCommon = 3

// common returns the number of different words with a meaning that both texts have.
func (x *comparison) common() int {
	seen := map[string]bool{}
	for k := range x.a.all {
		if k.class != function && x.inB[k.key] {
			seen[k.key] = true
		}
	}
	return len(seen)
}

// differInModifier reports whether the names are of two things of one kind, such as "price sync"
// and "stock sync": they end with the same word, and each has a word before it that the other text
// does not have.
func (x *comparison) differInModifier() bool {
	a, b := content(x.a.name), content(x.b.name)
	if isSibling(a, b) && x.ownWords(a, b) {
		return true
	}
	if len(a) < 2 || len(b) < 2 || a[len(a)-1].key != b[len(b)-1].key {
		return false
	}
	return x.modifies(x.a, a, x.inB) && x.modifies(x.b, b, x.inA)
}

// differInFirstWord reports whether each body starts with a word of its name that the other text
// does not have.
func (x *comparison) differInFirstWord() bool {
	return x.startsWithName(x.a, x.inB) && x.startsWithName(x.b, x.inA)
}

func (x *comparison) startsWithName(t *text, other map[string]bool) bool {
	body := content(t.body)
	return len(body) > 0 && !other[body[0].key] && body[0].class != negation && t.names(body[0])
}

// isSibling reports whether two names of at least three words differ in one word.
func isSibling(a, b []token) bool {
	if len(a) < 3 || len(a) != len(b) {
		return false
	}
	n := 0
	for i := range a {
		if a[i].key != b[i].key {
			n++
		}
	}
	return n == 1
}

// ownWords reports whether each name has a word, not a value, that the other text does not have.
func (x *comparison) ownWords(a, b []token) bool {
	own := func(tokens []token, other map[string]bool) bool {
		return slices.ContainsFunc(tokens, func(k token) bool { return !k.class.isValue() && k.class != negation && !other[k.key] && !ages[k.key] })
	}
	return own(a, x.inB) && own(b, x.inA)
}

func (x *comparison) modifies(t *text, name []token, other map[string]bool) bool {
	return slices.ContainsFunc(name[:len(name)-1], func(k token) bool {
		return (k.class == plain || k.class == proper) && !other[k.key] && !ages[k.key] &&
			(isIn(t.body, k.key) || isIn(t.description, k.key))
	})
}

// ages are stems that tell versions of one thing apart.
var ages = set("old new legacy current former previous alt neu nuevo antiguo viejo nouveau ancien старый новый")

// differInScope reports whether the texts are about different environments or regions.
func (x *comparison) differInScope() bool {
	onlyA, onlyB := false, false
	for k := range x.a.all {
		onlyA = onlyA || k.class == scope && !x.inB[k.key]
	}
	for k := range x.b.all {
		onlyB = onlyB || k.class == scope && !x.inA[k.key]
	}
	return onlyA && onlyB
}

// differInNamedThing reports whether the names have each a ticket, date, person or other single
// thing that the other text does not mention.
func (x *comparison) differInNamedThing() bool {
	return x.namesThing(x.a, x.inB) && x.namesThing(x.b, x.inA)
}

func (x *comparison) namesThing(t *text, other map[string]bool) bool {
	return slices.ContainsFunc(t.name, func(k token) bool {
		if other[k.key] || k.class == function {
			return false
		}
		return k.class == identifier || k.class == date && strings.Contains(k.key, "-") || t.isPerson(k) ||
			x.isName(k.key) && (isIn(t.body, k.key) || isIn(t.description, k.key))
	})
}

// isPerson reports whether a word of the name is written like the name of a person or product in
// the texts: with a capital letter, wherever it is.
func (t *text) isPerson(name token) bool {
	if t.spoken == "de" || name.class != plain && name.class != proper {
		return false
	}
	capital, small := false, false
	for _, tokens := range [][]token{t.description, t.body} {
		for _, k := range tokens {
			if k.key != name.key || k.isQuoted {
				continue
			}
			first, _ := utf8.DecodeRuneInString(k.raw)
			switch {
			case !unicode.IsUpper(first):
				small = true
			case !k.isFirst:
				capital = true
			}
		}
	}
	return capital && !small
}

// differences are what two texts differ in.
type differences struct {
	isTemplate bool
	// hasSubject means that the texts are about two things.
	hasSubject bool
	values     []change
}

// change is a part of one text with another one in its place.
type change struct {
	reason string
	a, b   []token
}

func (d differences) verdict() verdict {
	v := verdict{kind: findings.Contradiction, reason: d.values[0].reason}
	for _, c := range d.values {
		v.a, v.b = append(v.a, c.a...), append(v.b, c.b...)
	}
	return v
}

func (x *comparison) differences() differences {
	var d differences
	var words []change
	bodies := align(x.a.body, x.b.body)
	d.isTemplate = bodies.likeness >= templateLikeness
	described := align(x.a.description, x.b.description)
	var hunks []hunk
	switch {
	case d.isTemplate:
		hunks = append(hunks, bodies.hunks...)
	case bodies.likeness >= subjectLikeness:
		for i, h := range bodies.hunks {
			isSmall := len(content(h.a)) <= 2 && len(content(h.b)) <= 2
			d.hasSubject = d.hasSubject || isSmall && x.changesSubject(h) || x.changesModifier(bodies.hunks[i:])
		}
	}
	if described.likeness >= templateLikeness && len(content(x.a.description)) > 2 {
		hunks = append(hunks, described.hunks...)
	}
	for i, h := range hunks {
		c, isSubject := x.changeIn(h)
		isSubject = isSubject || x.changesModifier(hunks[i:])
		switch {
		case isSubject:
			d.hasSubject = true
		case c.reason == "":
		case c.reason == otherChoice:
			words = append(words, c)
		default:
			d.values = append(d.values, c)
		}
	}
	if !d.isTemplate {
		d.values = append(d.values, x.looseValues()...)
	}
	if len(d.values) == 0 {
		d.values = x.denied()
	}
	if len(d.values) == 0 {
		d.values = x.looseNames()
	}
	if len(d.values) == 0 && len(words) > 0 && d.isTemplate {
		d.values = words
	}
	return d
}

// Reasons of contradictions.
const (
	otherNumber  = "Different numbers"
	otherDate    = "Different dates"
	otherTime    = "Different times"
	otherVersion = "Different versions"
	otherName    = "Different names"
	otherLink    = "Different links"
	otherChoice  = "Different choices"
	oneSaysNot   = "One says not"
	opposite     = "Opposite choices"
)

var reasons = map[class]string{number: otherNumber, date: otherDate, clock: otherTime, version: otherVersion}

// changeIn returns the change of a hunk. Its reason is "" if it is only other words. isSubject
// reports whether it changes what the text is about.
func (x *comparison) changeIn(h hunk) (c change, isSubject bool) {
	for _, k := range h.a {
		for _, l := range h.b {
			if areOpposite(strings.ToLower(k.raw), strings.ToLower(l.raw)) {
				return change{opposite, []token{k}, []token{l}}, false
			}
		}
	}
	na, nb := count(h.a, negation), count(h.b, negation)
	if (na > 0) != (nb > 0) && max(len(content(h.a)), len(content(h.b))) <= maxNegated {
		return change{oneSaysNot, only(h.a, negation), only(h.b, negation)}, false
	}
	a, b := x.own(h)
	if len(a) == 0 || len(b) == 0 {
		return change{}, false
	}
	if x.changesSubject(h) {
		return change{}, true
	}
	if k, l := a[0], b[0]; k.class == proper && l.class == proper && k.isFirst && l.isFirst {
		return change{}, true
	}
	for class := range version + 1 {
		if va, vb := only(a, class), only(b, class); class.isValue() && len(va) > 0 && len(vb) > 0 && !va[0].isAside {
			return change{reasons[class], va, vb}, false
		}
	}
	if va, vb := only(a, proper), only(b, proper); len(va) > 0 && len(vb) > 0 {
		return change{otherName, va, vb}, false
	}
	if va, vb := only(a, identifier), only(b, identifier); len(va) > 0 && len(vb) > 0 {
		reason := otherName
		if strings.Contains(va[0].raw, "://") {
			reason = otherLink
		}
		return change{reason, va, vb}, false
	}
	if len(a) <= 2 && len(b) <= 2 && (follows(x.a, a[0]) || follows(x.b, b[0])) {
		return change{otherChoice, a, b}, false
	}
	return change{}, false
}

// own returns the tokens of each side with a meaning that the whole other text does not have.
func (x *comparison) own(h hunk) (a, b []token) {
	return slices.DeleteFunc(content(h.a), func(k token) bool { return x.inB[k.key] }),
		slices.DeleteFunc(content(h.b), func(k token) bool { return x.inA[k.key] })
}

// changesSubject reports whether both sides of a hunk have a word of their memory's name that the
// other text does not have. Values, and words after "use", are no subjects.
func (x *comparison) changesSubject(h hunk) bool {
	a, b := x.own(h)
	return slices.ContainsFunc(a, x.a.names) && slices.ContainsFunc(b, x.b.names)
}

// changesModifier reports whether the first hunk changes one word before an equal noun, as in "the
// billing service" and "the search service", and a later one changes a value.
func (x *comparison) changesModifier(hunks []hunk) bool {
	a, b := x.own(hunks[0])
	if len(a) != 1 || len(b) != 1 || len(content(hunks[0].a)) != 1 || len(content(hunks[0].b)) != 1 ||
		!isNoun(a[0]) || !isNoun(b[0]) || follows(x.a, a[0]) || hunks[0].next.class != plain || hunks[0].next.key == "" {
		return false
	}
	return slices.ContainsFunc(hunks[1:], func(h hunk) bool {
		a, b := x.own(h)
		return slices.ContainsFunc(a, isValue) && slices.ContainsFunc(b, isValue)
	})
}

func isNoun(k token) bool { return k.class == plain || k.class == proper }

func isValue(k token) bool { return k.class.isValue() }

// names reports whether the token is in the name of the memory, or is a path or host with a word
// of the name.
func (t *text) names(k token) bool {
	if k.class.isValue() || follows(t, k) {
		return false
	}
	return slices.ContainsFunc(t.name, func(n token) bool {
		return n.key == k.key || k.class == identifier && len(n.raw) > 3 && strings.Contains(k.key, strings.ToLower(n.raw)) ||
			t.spoken == "de" && umlauts.Replace(n.key) == k.key
	})
}

// umlauts replaces the spelling of umlauts in file names by that of folded words.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

func count(tokens []token, of class) int { return len(only(tokens, of)) }

func only(tokens []token, of class) []token {
	return slices.DeleteFunc(slices.Clone(tokens), func(k token) bool { return k.class != of })
}

// choosing are the words that a choice follows, folded.
var choosing = set(`use uses using prefer prefers choose chose pick with via nutze nutzen verwende verwenden bevorzugt benutze
	usar usa use utilizar utiliza preferir prefiere utiliser utilise preferer prefere используй использовать используем предпочитает format au`)

// follows reports whether the token is one of the two after a word such as "use" or "prefer".
func follows(t *text, k token) bool {
	tokens := map[findings.Field][]token{findings.Name: t.name, findings.Description: t.description, findings.Body: t.body}[k.field]
	at := slices.IndexFunc(tokens, func(l token) bool { return l.start == k.start })
	for i := max(0, at-2); i < at; i++ {
		if choosing[strings.Join(firstWords(tokens[i].raw, 1), "")] {
			return true
		}
	}
	return false
}

// looseValues returns the values of one kind that only one text has, in places with a common word
// next to them.
func (x *comparison) looseValues() []change {
	var found []change
	for _, class := range []class{version, date, clock, number} {
		for _, fields := range [][2][]token{{x.a.body, x.b.body}, {x.a.description, x.b.description}} {
			va, vb := x.valuesWithContext(fields[0], class, x.inB), x.valuesWithContext(fields[1], class, x.inA)
			for _, p := range va {
				for _, q := range vb {
					if p.shares(q) {
						found = append(found, change{reasons[class], []token{p.token}, []token{q.token}})
					}
				}
			}
		}
	}
	return found
}

type valueInContext struct {
	token   token
	context map[string]bool
}

func (p valueInContext) shares(q valueInContext) bool {
	for key := range p.context {
		if q.context[key] {
			return true
		}
	}
	return false
}

// maxNegated is the number of words up to which a "not" in only one text reverses what the other
// says, instead of being part of a sentence that the other does not have (arbitrary).
const maxNegated = 3

// contextSize is the number of words on each side that tell what a value is of (arbitrary).
const contextSize = 3

// denied returns the words that one text has after "not", if the other one has them and no "not".
func (x *comparison) denied() []change {
	a, b := x.a.statement(), x.b.statement()
	if k, l, ok := deniedIn(a, b); ok {
		return []change{{oneSaysNot, k, l}}
	}
	if l, k, ok := deniedIn(b, a); ok {
		return []change{{oneSaysNot, k, l}}
	}
	return nil
}

// statement returns the tokens of the name, the description and the first paragraph.
func (t *text) statement() []token {
	all := slices.Concat(t.name, t.description, t.body)
	return slices.DeleteFunc(all, func(k token) bool { return k.isDetail || k.isAside })
}

func deniedIn(a, b []token) (denied, other []token, ok bool) {
	if slices.ContainsFunc(b, func(k token) bool { return k.class == negation || restricting[k.key] }) {
		return nil, nil, false
	}
	for i, k := range a {
		if k.class != negation {
			continue
		}
		next := slices.IndexFunc(a[i+1:], func(l token) bool { return l.class != function && l.class != negation })
		if next < 0 || a[i+1+next].field != k.field || a[i+1+next].class.isValue() {
			continue
		}
		l := a[i+1+next]
		if at := slices.IndexFunc(b, func(m token) bool { return m.key == l.key && m.field != findings.Name }); at >= 0 {
			return []token{k, l}, []token{b[at]}, true
		}
	}
	return nil, nil, false
}

// looseNames returns the names that only one text has, if each has one in its statement, next to a
// common word.
func (x *comparison) looseNames() []change {
	va := x.namesWithContext(x.a, x.inB)
	vb := x.namesWithContext(x.b, x.inA)
	for _, p := range va {
		for _, q := range vb {
			if p.shares(q) && host.MatchString(p.token.raw) == host.MatchString(q.token.raw) {
				return []change{{otherName, []token{p.token}, []token{q.token}}}
			}
		}
	}
	return nil
}

func (x *comparison) namesWithContext(t *text, other map[string]bool) []valueInContext {
	var found []valueInContext
	for _, tokens := range [][]token{t.description, t.body} {
		tokens = content(tokens)
		for i, k := range tokens {
			if k.isDetail || k.isAside || other[k.key] || !x.isThing(k) {
				continue
			}
			found = append(found, valueInContext{k, contextOf(tokens, i)})
		}
	}
	return found
}

// isThing reports whether a token is a name or a host.
func (x *comparison) isThing(k token) bool {
	return k.class == proper || k.class == plain && x.isName(k.key) || k.class == identifier && host.MatchString(k.raw)
}

var host = regexp.MustCompile(`^(https?://.*|([\w-]+\.)+[a-z]{2,})$`)

// contextOf returns the keys of the words next to a token.
func contextOf(tokens []token, at int) map[string]bool {
	context := map[string]bool{}
	for _, l := range tokens[max(0, at-contextSize):min(len(tokens), at+contextSize+1)] {
		if l.class == plain || l.class == identifier || l.class == proper {
			context[l.key] = true
		}
	}
	return context
}

func (x *comparison) valuesWithContext(tokens []token, of class, other map[string]bool) []valueInContext {
	var found []valueInContext
	tokens = content(tokens)
	for i, k := range tokens {
		if k.class == of && !other[k.key] && !k.isAside && !k.isDetail {
			found = append(found, valueInContext{k, contextOf(tokens, i)})
		}
	}
	return found
}

// hunk is a part of two texts without common tokens.
type hunk struct {
	a, b []token
	next token // the common one after it; its key is "" at the end
}

type alignment struct {
	hunks []hunk
	// likeness is the share of the tokens with a meaning that are in both texts, in one order.
	likeness float64
}

// align returns the parts in that two sequences of tokens differ.
func align(a, b []token) alignment {
	// lengths[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	width := len(b) + 1
	lengths := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].key == b[j].key {
				lengths[i*width+j] = lengths[(i+1)*width+j+1] + 1
			} else {
				lengths[i*width+j] = max(lengths[(i+1)*width+j], lengths[i*width+j+1])
			}
		}
	}
	var result alignment
	common := 0
	var open hunk
	closeHunk := func() {
		if len(open.a)+len(open.b) > 0 {
			result.hunks = append(result.hunks, open)
		}
		open = hunk{}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i].key == b[j].key:
			open.next = a[i]
			closeHunk()
			if a[i].class != function {
				common++
			}
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && lengths[(i+1)*width+j] >= lengths[i*width+j+1]:
			open.a = append(open.a, a[i])
			i++
		default:
			open.b = append(open.b, b[j])
			j++
		}
	}
	closeHunk()
	if all := len(content(a)) + len(content(b)); all > 0 {
		result.likeness = 2 * float64(common) / float64(all)
	}
	return result
}

// spansOf returns the places of tokens, sorted, with adjacent ones joined.
func spansOf(tokens []token) []findings.Span {
	order := map[findings.Field]int{findings.Name: 0, findings.Description: 1, findings.Body: 2}
	sorted := slices.Clone(tokens)
	slices.SortFunc(sorted, func(k, l token) int {
		if k.field != l.field {
			return order[k.field] - order[l.field]
		}
		return k.start - l.start
	})
	var spans []findings.Span
	for _, k := range sorted {
		if n := len(spans); n > 0 && spans[n-1].Field == k.field && spans[n-1].End >= k.start {
			spans[n-1].End = max(spans[n-1].End, k.end)
			continue
		}
		spans = append(spans, findings.Span{Field: k.field, Start: k.start, End: k.end})
	}
	return spans
}

func isIn(tokens []token, key string) bool {
	return slices.ContainsFunc(tokens, func(k token) bool { return k.key == key })
}
