// Package expiry finds memories whose fact is over: they depend on a date that has passed, such as
// the end of a freeze, a deadline or a leave. A date that tells when something was decided,
// measured or released is not such a date. It reads English, German, Spanish, French, Portuguese,
// Italian, Russian, Japanese, Chinese and Korean.
package expiry

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/findings"
)

// Match finds the dates that t depends on and that are over at now. The day itself is not over. A
// date without a year is the next such date after written; if written is zero, it is ignored. It
// takes time linear in the length of t, and is safe for concurrent use.
func Match(t findings.Text, written, now time.Time) (findings.Match, bool) {
	today := dayOf(now)
	var all []dependence
	for _, field := range []struct {
		name findings.Field
		text string
	}{{findings.Name, t.Name}, {findings.Description, t.Description}, {findings.Body, t.Body}} {
		all = append(all, dependences(field.name, field.text, dayOf(written), today)...)
	}
	result := findings.Match{Kind: findings.Expired}
	valid := validOf(all, today)
	var last time.Time
	for _, d := range all {
		if !d.last.Before(today) || valid.replaces(d) {
			continue
		}
		result.Spans = append(result.Spans, d.span)
		if d.last.After(last) {
			last = d.last
		}
	}
	if len(result.Spans) == 0 {
		return findings.Match{}, false
	}
	result.Reason = "Date passed: " + last.Format("2 Jan 2006")
	return result, true
}

// dependence is a date that the text depends on.
type dependence struct {
	span     findings.Span
	last     time.Time // the last day
	sentence int
	topics   []string // the nouns of the sentence that tell what the date is about
	extends  bool     // the sentence tells that the date replaces another one
}

// validDates are the dates of a text that are not over.
type validDates struct {
	extends   bool // one of them replaces an earlier date
	sentences map[sentenceKey]bool
	topics    map[string]bool
}

// sentenceKey is a sentence of a field.
type sentenceKey struct {
	field    findings.Field
	sentence int
}

func validOf(all []dependence, today time.Time) validDates {
	valid := validDates{sentences: map[sentenceKey]bool{}, topics: map[string]bool{}}
	for _, d := range all {
		if d.last.Before(today) {
			continue
		}
		valid.extends = valid.extends || d.extends
		valid.sentences[sentenceKey{d.span.Field, d.sentence}] = true
		for _, topic := range d.topics {
			valid.topics[topic] = true
		}
	}
	return valid
}

// replaces reports whether one of the dates is a later one for the fact of d.
func (v validDates) replaces(d dependence) bool {
	return v.extends || v.sentences[sentenceKey{d.span.Field, d.sentence}] ||
		slices.ContainsFunc(d.topics, func(topic string) bool { return v.topics[topic] })
}

// settled is how long ago a text was written if the day can be believed: a fresh copy of files has
// the day of the copy. It is arbitrary.
const settled = 30 * 24 * time.Hour

// isAhead reports whether the date was in the future when the text was written. It is then a plan
// rather than a record.
func (j *judge) isAhead(d date) bool {
	return j.isOld && !j.written.IsZero() && d.last.After(j.written)
}

// isBehind reports whether the date was over when the text was written.
func (j *judge) isBehind(d date) bool {
	return j.isOld && !j.written.IsZero() && d.last.Before(j.written)
}

// judge decides what the dates of a text are about.
type judge struct {
	reader
	dates     []date
	isOld     bool   // written long enough ago that the day is not the one of a copy
	inDate    []bool // by token
	sentences []int  // by token: the number of its sentence
	clauses   []int  // by token: the number of its clause
}

// dependences returns the dates of a field that it depends on.
func dependences(field findings.Field, text string, written, today time.Time) []dependence {
	j := judge{reader: reader{source: mask(text), written: written}, isOld: today.Sub(written) > settled}
	j.tokens = tokenise(j.source)
	if j.dates = j.reader.dates(); len(j.dates) == 0 {
		return nil
	}
	markCues(j.tokens)
	j.inDate = make([]bool, len(j.tokens))
	for _, d := range j.dates {
		for i := d.from; i < d.to; i++ {
			j.inDate[i] = true
		}
	}
	j.divide()
	var found []dependence
	for _, d := range j.dates {
		if !j.dependsOn(d) {
			continue
		}
		from, to := j.sentenceOf(d.from)
		if at, _ := j.cueBefore(d, from); at >= 0 && j.tokens[at].text != "by" && j.tokens[at].cues&byCue != 0 && !d.first.IsZero() {
			d.last = d.first.AddDate(0, 0, -1) // before March: until the end of February
		}
		dep := dependence{
			span:     findings.Span{Field: field, Start: j.tokens[d.from].start, End: j.tokens[d.to-1].end},
			last:     d.last,
			sentence: j.sentences[d.from],
		}
		for i := from; i < to; i++ {
			t := j.tokens[i]
			if t.cues&(deadlineCue|stateCue|eventCue) != 0 {
				dep.topics = append(dep.topics, t.text)
			}
		}
		dep.extends = j.cuesIn(from, to)&extendCue != 0 || containsAny(j.text(from, to), cjkExtend)
		found = append(found, dep)
	}
	return found
}

// divide numbers the sentences and clauses.
func (j *judge) divide() {
	j.sentences, j.clauses = make([]int, len(j.tokens)), make([]int, len(j.tokens))
	sentence, clause := 0, 0
	for i, t := range j.tokens {
		j.sentences[i], j.clauses[i] = sentence, clause
		if j.inDate[i] {
			continue
		}
		switch {
		case t.kind == breakToken:
			sentence, clause = sentence+1, clause+1
		case t.kind == markToken:
			switch t.text {
			case ".":
				if j.isFullStop(i) {
					sentence, clause = sentence+1, clause+1
				}
			case "!", "?", ";", "。", "！", "？", "；":
				sentence, clause = sentence+1, clause+1
			case ",", "(", ")", "—", "，", "（", "）", "|":
				clause++
			case "–", "-":
				if !j.touches(i) && !j.touches(i+1) {
					clause++
				}
			}
		case t.kind == wordToken:
			switch t.text {
			case "because", "weil", "porque", "parce", "perche", "but", "aber", "pero", "while", "whereas", "потому", "но", "чтобы":
				clause++
			}
		}
	}
}

// isFullStop reports whether a "." ends a sentence.
func (j *judge) isFullStop(i int) bool {
	before, after := j.at(i-1), j.at(i+1)
	if j.touches(i+1) && after.kind != breakToken {
		return false // 1.5, file.go
	}
	switch {
	case before.kind == wordToken && j.touches(i):
		if len(before.text) == 1 {
			return false
		}
		switch before.text {
		case "ca", "approx", "einschl", "inkl", "incl", "vs", "nr", "no", "st", "dr", "mr", "ms", "etc", "bzw", "ggf", "voraus", "vorauss", "max", "min":
			return after.kind == wordToken && after.capital && before.text == "etc"
		}
	case before.kind == digitToken:
		return after.kind != wordToken || after.capital && !j.inDate[min(i+1, len(j.inDate)-1)]
	}
	return true
}

// sentenceOf returns the tokens of the sentence of token i.
func (j *judge) sentenceOf(i int) (from, to int) { return j.around(j.sentences, i) }

// clauseOf returns the tokens of the clause of token i.
func (j *judge) clauseOf(i int) (from, to int) { return j.around(j.clauses, i) }

// maxReach limits how many tokens of a sentence are looked at on each side, so that a text without
// full stops takes linear time. It is arbitrary.
const maxReach = 60

func (j *judge) around(numbers []int, i int) (from, to int) {
	from, to = i, i
	for from > 0 && i-from < maxReach && numbers[from-1] == numbers[i] {
		from--
	}
	for to < len(numbers) && to-i < maxReach && numbers[to] == numbers[i] {
		to++
	}
	return from, to
}

// text returns the text of the tokens [from, to).
func (j *judge) text(from, to int) string {
	if from >= to {
		return ""
	}
	return j.source[j.tokens[from].start:j.tokens[to-1].end]
}

// cuesIn returns the classes of all cues in the tokens [from, to).
func (j *judge) cuesIn(from, to int) cue {
	var all cue
	for i := from; i < to; i++ {
		if !j.inDate[i] {
			all |= j.tokens[i].cues
		}
	}
	return all
}

// adjacent are the classes that decide about the date they are next to.
const adjacent = limitCue | byCue | startCue | recordCue | deadlineCue | stateCue | eventCue | extendCue | removeCue | futureCue | goalCue

// cueBefore returns the token with the cue that is next to the date, over words such as "on" and
// "the". at is -1 without one. direct reports whether no comma or bracket is between.
func (j *judge) cueBefore(d date, from int) (at int, direct bool) {
	direct = true
	for i := d.from - 1; i >= from && i >= d.from-10; i-- {
		t := j.tokens[i]
		switch {
		case j.inDate[i]:
			return -1, false
		case t.cues&adjacent != 0:
			return i, direct
		case t.kind == markToken:
			switch t.text {
			case ",":
				_, isWeekday := weekdays[j.at(i-1).text]
				direct = direct && (isWeekday || shortWeekdays[j.at(i-1).text])
			case "(", "（", "—":
				direct = false
			case ".", ":", "-", "–", "=", ">", "|", "：", "~", "→":
			default:
				return -1, false
			}
		case t.kind == digitToken && len(t.text) <= 2:
		case t.cues&fillerCue != 0 || shortWeekdays[t.text]:
		default:
			if _, ok := weekdays[t.text]; !ok {
				return -1, false
			}
		}
	}
	return -1, false
}

// dependsOn reports whether the text depends on the date: it was about something that lasts until
// the date, is due then, or is planned for then.
func (j *judge) dependsOn(d date) bool {
	from, to := j.sentenceOf(d.from)
	sentence := j.cuesIn(from, to)
	switch {
	case j.cuesIn(from, d.from)&exampleCue != 0, j.isEntry(d), j.isTimeOfDay(d), j.isInQuotes(d):
		return false
	case d.relative && (sentence&recurCue != 0 || j.isQuoted(d, from) || j.isBetweenWeekdays(d, from, to)):
		return false
	}
	if j.hasCJK(from, to) {
		return j.dependsOnCJK(d, from, to)
	}
	if d.isFor {
		return j.isBrief(d, from, to)
	}
	if sentence&revisitCue != 0 && !d.isToday && !d.needsCue && sentence&pastCue == 0 {
		return true
	}
	at, direct := j.cueBefore(d, from)
	if at < 0 {
		if d.needsCue {
			isGoal := j.cuesIn(d.to, min(d.to+2, to))&goalCue != 0
			return d.isPeriod && j.isAhead(d) && (isGoal || j.isPreposed(d)) && j.dependsByContext(d, from, to)
		}
		return j.dependsByContext(d, from, to) || j.isUntilThen(d)
	}
	before := j.tokens[at]
	switch cues := before.cues; {
	case cues&limitCue != 0 && direct:
		return !j.isAboutData(at, from) && !j.isPast(at, d)
	case cues&extendCue != 0 && (direct || !d.needsCue):
		return !j.isPreposedOn(d) && (!d.needsCue || before.text == "to")
	case cues&startCue != 0:
		isAway := d.relative && !d.isPeriod && j.cuesIn(from, to)&stateCue != 0 && j.at(d.from).kind == wordToken && monthNames[j.at(d.from).text] == 0
		if j.isUntilRemoved(at, d) || j.isUntilEvent(d, from) || j.isUntilThen(d) || isAway && !j.isPast(at, d) {
			return true
		}
		if d.isUntil && !j.isAboutData(at, from) && !j.isPast(at, d) {
			return true
		}
		return d.isRange && (!d.needsCue || d.isPeriod) && j.dependsByContext(d, from, to)
	case cues&byCue != 0 && direct:
		return j.isDue(at, d)
	case cues&deadlineCue != 0:
		return !j.isBehind(d) && !j.isPast(at, d) && (direct || !d.needsCue)
	case cues&goalCue != 0:
		return !d.isDay && !j.isBehind(d) && !j.isPast(at, d)
	case d.needsCue:
		return d.isPeriod && cues&(stateCue|futureCue) != 0 && j.isPreposed(d) && j.isPlanned(at, d)
	case cues&recordCue != 0:
		return j.isPassive(at) && j.isPreposed(d) && j.cuesIn(j.clauseOf(at))&(futureCue|presentCue) != 0
	case cues&removeCue != 0:
		return j.cuesIn(j.clauseOf(at))&pastCue == 0
	case cues&(eventCue|stateCue|futureCue) != 0:
		return j.isPlanned(at, d) || j.isUntilEvent(d, from)
	}
	return false
}

// isBetweenWeekdays reports whether the sentence names two days of the week. It then tells of
// each week.
func (j *judge) isBetweenWeekdays(d date, from, to int) bool {
	n := 0
	for i := from; i < to; i++ {
		if _, ok := weekdays[j.tokens[i].text]; ok {
			n++
		}
	}
	_, isWeekday := weekdays[j.tokens[d.from].text]
	return isWeekday && n > 1
}

// maxQuote is how many bytes before a date are searched for a quotation mark. It is arbitrary.
const maxQuote = 300

// isInQuotes reports whether a quotation mark is open before the date.
func (j *judge) isInQuotes(d date) bool {
	start := j.tokens[d.from].start
	line := j.source[max(0, start-maxQuote):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.Count(line, `"`)%2 == 1 || strings.Count(line, "“") > strings.Count(line, "”")+strings.Count(line, "„") ||
		strings.Count(line, "„") > strings.Count(line, "“")
}

// isQuoted reports whether a sentence reports speech or asks a question.
func (j *judge) isQuoted(d date, from int) bool {
	for i := from; i < d.from; i++ {
		switch j.tokens[i].text {
		case "say", "saying", "promise", "sagen", "decir", "dire", "who", "whoever", "what", "which", "wer", "quien":
			return true
		}
	}
	return false
}

// isBrief reports whether a duration belongs to a state that began when the text was written: an
// experiment for two weeks. Trials of 30 days and cookies that last a week are lasting facts.
func (j *judge) isBrief(d date, from, to int) bool {
	cues := j.cuesIn(from, to)
	if cues&(pastCue|recurCue|dataCue) != 0 || j.recordsIn(from, to) || j.hasPastVerb(from, to) {
		return false
	}
	isIn := j.tokens[d.from].text != "for" && j.tokens[d.from].text != "fur"
	for i := from; i < d.from; i++ {
		switch t := j.tokens[i]; t.text {
		case "experiment", "temporarily", "temporary", "vorubergehend", "temporalmente", "temporairement", "paused", "closed", "leave", "vacation", "away", "sick", "unavailable", "urlaub", "krank", "vacaciones", "conge", "временно":
			return t.cues&stateCue != 0
		case "trial", "pilot", "freeze", "certificate", "contract", "testphase", "vertrag":
			if isIn && j.cuesIn(i, d.from)&(limitCue|deadlineCue) != 0 {
				return true
			}
		}
	}
	return false
}

// isPassive reports whether the participle at a token is one of a plan: "will be released".
func (j *judge) isPassive(at int) bool {
	switch j.at(at - j.tokens[at].length).text {
	case "be", "ser", "sein", "etre", "essere", "being", "get", "gets", "is", "are":
		return true
	}
	return false
}

// isEntry reports whether the date starts a line, as in a log or a list of changes.
func (j *judge) isEntry(d date) bool {
	if d.isRange || d.relative && j.tokens[d.from].kind == wordToken && monthNames[j.tokens[d.from].text] == 0 {
		return false
	}
	i := d.from - 1
	for i >= 0 && (j.tokens[i].is("-") || j.tokens[i].is("[") || j.tokens[i].is("|") || j.tokens[i].is("(") || j.tokens[i].is("+")) {
		i--
	}
	if i >= 0 && j.tokens[i].kind != breakToken {
		return false
	}
	after := j.at(d.to)
	return after.is(":") || after.is("-") || after.is("–") || after.is("—") || after.is("]") || after.is("|") || after.is(")") ||
		after.kind == digitToken || after.text == "t"
}

// isTimeOfDay reports whether a word such as mañana or Morgen means the morning.
func (j *judge) isTimeOfDay(d date) bool {
	switch text := j.tokens[d.from].text; text {
	case "manana", "morgen":
		switch j.at(d.from - 1).text {
		case "la", "am", "guten", "jeden", "de", "heute":
			return true
		}
	}
	return false
}

// isUntilRemoved reports whether a cue such as "after" tells that something is to be removed then.
func (j *judge) isUntilRemoved(at int, d date) bool {
	from, to := j.clauseOf(at)
	cues := j.cuesIn(from, at)
	switch j.tokens[at].text {
	case "after", "nach", "depois", "después", "despues", "apres", "dopo", "после", "del", "de":
		return cues&removeCue != 0 && j.cuesIn(from, to)&pastCue == 0 && !d.needsCue
	}
	return false
}

// isAboutData reports whether the limit at a token divides data, as in "invoices until 2024".
func (j *judge) isAboutData(at, from int) bool {
	start := at - j.tokens[at].length + 1
	for i := start - 1; i >= from && i >= start-3; i-- {
		clause, _ := j.clauseOf(at)
		if j.tokens[i].cues&dataCue == 0 || i < clause {
			continue
		}
		for k := clause; k < i; k++ {
			switch j.tokens[k].text {
			case "the", "all", "old", "die", "alle", "las", "los", "les", "le", "la", "every", "any", "most", "our", "production", "prod", "todas", "todos", "tous", "toutes", "gli", "tutti", "as", "os", "все", ",", "-", "only", "nur":
			default:
				return j.tokens[k].kind == wordToken && j.tokens[k].cues&(recordCue|pastCue) != 0
			}
		}
		return true
	}
	return false
}

// isDue reports whether "by" or "before" a date tells when something has to be done.
func (j *judge) isDue(at int, d date) bool {
	from, to := j.clauseOf(at)
	if j.isPast(at, d) || j.isAboutData(at, from) {
		return false
	}
	cues := j.cuesIn(from, to)
	obliged := cues&(obligeCue|futureCue|deadlineCue|removeCue) != 0
	if j.recordsIn(from, to) && cues&(obligeCue|futureCue|deadlineCue) == 0 {
		return false
	}
	switch j.tokens[at].text {
	case "by":
		// By then errors are second nature to her: a state that was reached.
		return obliged || at-from > 1 && (d.isDay || !d.needsCue)
	case "к", "vor":
		return obliged && (!d.relative || cues&(futureCue|deadlineCue) != 0)
	default:
		return obliged && (!d.needsCue || cues&deadlineCue != 0 || (!d.relative || d.isDay) && cues&obligeCue != 0)
	}
}

// recordsIn reports whether one of the tokens tells that the date is one of the past, which a
// participle of a plan, as in "will be released", does not.
func (j *judge) recordsIn(from, to int) bool {
	for i := from; i < to; i++ {
		if j.tokens[i].cues&recordCue != 0 && !j.inDate[i] && !j.isPassive(i) {
			return true
		}
	}
	return false
}

// beForms are the words after which a participle is not a past tense.
var beForms = map[string]bool{
	"is": true, "are": true, "be": true, "been": true, "being": true, "am": true, "get": true, "gets": true, "re": true, "not": true, "to": true,
	"has": true, "have": true, "stay": true, "stays": true, "remain": true, "remains": true, "still": true, "s": true, "currently": true, "temporarily": true, "and": true,
}

// isPastVerb reports whether token i is a verb in the past tense.
func (j *judge) isPastVerb(i int) bool {
	t := j.tokens[i]
	switch {
	case t.cues&pastCue != 0:
		switch before := j.at(i - 1).text; before {
		case "is", "are", "be", "being", "re", "s", "gets": // kept alive
			return t.length > 1
		}
		return true
	case t.kind != wordToken || j.inDate[i]:
		return false
	case t.text == "used":
		return !beForms[j.at(i-1).text] && j.at(i-1).kind != breakToken
	case t.cues&recordCue != 0 || strings.HasSuffix(t.text, "ed") && len(t.text) > 4:
		if j.at(i-1).cues&partyCue != 0 {
			return true
		}
		// "Ana maintained the repository until", but not "Deploys blocked until".
		if i == 0 || beForms[j.at(i-1).text] || j.at(i-1).kind != wordToken || !strings.HasSuffix(t.text, "ed") {
			return false
		}
		switch j.at(i + 1).text {
		case "the", "our", "a", "an", "all", "this", "it", "them", "its", "their":
			return true
		}
	}
	return false
}

// isPast reports whether the clause of the cue at a token tells of the past. The verb before the
// cue decides; without one, the first after the date.
func (j *judge) isPast(at int, d date) bool {
	from, to := j.clauseOf(at)
	for i := at - j.tokens[at].length; i >= from; i-- {
		t := j.tokens[i]
		if j.isPastVerb(i) {
			return !j.isGranted(i, at)
		}
		if t.cues&presentCue != 0 && !j.inDate[i] {
			return false
		}
	}
	// Until 2024, we used X.
	_, after := j.clauseOf(d.to - 1)
	to = max(to, after)
	if at-j.tokens[at].length < from || j.at(d.to).is(",") && at-from < 3 {
		_, to = j.sentenceOf(d.from)
	}
	for i := d.to; i < to; i++ {
		if j.isPastVerb(i) {
			return !j.isGranted(i, to)
		}
		if j.tokens[i].cues&presentCue != 0 {
			return false
		}
	}
	return false
}

// isGranted reports whether a past verb tells of a decision that lasts: "was extended until".
func (j *judge) isGranted(verb, to int) bool {
	for i := verb; i < to; i++ {
		t := j.tokens[i]
		if t.cues&extendCue != 0 && t.text != "now" {
			return true
		}
		switch t.text {
		case "promised", "expected", "committed", "agreed", "granted", "approved", "allowed", "booked", "scheduled", "set", "planned", "given", "announced", "appointed", "assigned", "seconded", "blocked", "frozen",
			"paused", "suspended", "reserved", "signed", "genehmigt", "gesperrt", "angesetzt", "vereinbart", "geplant", "festgelegt", "gesetzt", "aprobado", "concedido", "bloqueado",
			"accorde", "approuve", "fixe", "aprovado", "marcado", "approvato", "concesso", "fissato", "утвержден", "назначен", "запланирован":
			return true
		}
	}
	return false
}

// isPlanned reports whether the noun or verb at a token tells that something happens at the date.
func (j *judge) isPlanned(at int, d date) bool {
	from, to := j.clauseOf(d.from)
	if j.clauses[at] != j.clauses[d.from] {
		from, to = j.sentenceOf(at)
	}
	cues := j.cuesIn(from, to)
	if (cues&pastCue != 0 || j.recordsIn(from, to)) && cues&extendCue == 0 || d.isToday && cues&stateCue == 0 || j.hasPastVerb(from, to) {
		return false
	}
	t := j.tokens[at]
	if j.isBehind(d) {
		return false
	}
	if cues&dataCue != 0 && strings.HasPrefix(t.text, "cover") {
		return false
	}
	if t.cues&futureCue != 0 || d.isRange && t.cues&stateCue != 0 {
		return true
	}
	// In the meeting on 12 March: a place in time, not a plan.
	for i, n := at-t.length, 0; i >= from && n < 3; i, n = i-1, n+1 {
		if j.tokens[i].cues&aboutCue != 0 {
			return cues&futureCue != 0 || d.relative && cues&presentCue != 0
		}
	}
	if t.cues&eventCue == 0 {
		return d.relative && t.cues&stateCue != 0 || cues&futureCue != 0
	}
	return !j.at(d.to).is(":") || t.cues&stateCue != 0 || j.cuesIn(j.sentenceOf(d.from))&futureCue != 0
}

// hasPastVerb reports whether one of the tokens is a verb in the past tense.
func (j *judge) hasPastVerb(from, to int) bool {
	for i := from; i < to; i++ {
		if j.isPastVerb(i) {
			return true
		}
	}
	return false
}

// dependsByContext judges a date without a cue next to it by the other words of its clause.
func (j *judge) dependsByContext(d date, from, to int) bool {
	low, high := j.clauseOf(d.from)
	if j.isOnlyDates(low, high) {
		low, high = from, to
	}
	cues := j.cuesIn(low, high)
	if !d.isDay && !j.isBehind(d) && cues&pastCue == 0 && j.cuesIn(d.to, min(d.to+3, high))&goalCue != 0 {
		return true
	}
	if j.isUntilEvent(d, from) {
		return true
	}
	if cues&pastCue != 0 || j.recordsIn(low, high) || j.hasPastVerb(low, high) {
		return false
	}
	if cues&dataCue != 0 && cues&(futureCue|deadlineCue) == 0 && j.at(d.from).text != "this" {
		return false
	}
	if j.isBehind(d) {
		return false
	}
	switch {
	case d.isRange && j.isAhead(d), j.isAhead(d) && d.isDay && !d.relative && (j.isPreposed(d) || j.at(d.from-1).is("(")):
		return true
	case j.isAhead(d) && !d.relative && j.isPreposed(d) && cues&(presentCue|stateCue|obligeCue) != 0:
		return true
	case d.isToday:
		return cues&stateCue != 0 && cues&presentCue != 0
	case j.cuesIn(low, d.from)&deadlineCue != 0:
		return true
	case cues&eventCue != 0 && j.isLabelled(d, low):
		return true
	case d.isRange:
		isUnknown := !j.isOld || j.written.IsZero()
		return cues&(stateCue|futureCue) != 0 || isUnknown && !d.relative && cues&presentCue != 0
	case d.isNext:
		return true
	case d.relative && !d.isDay:
		return cues&(futureCue|deadlineCue|stateCue) != 0
	case d.relative && j.isPreposed(d) && (j.at(d.from).kind == digitToken || monthNames[j.at(d.from).text] != 0):
		return cues&(futureCue|stateCue|deadlineCue|eventCue|presentCue) != 0
	case d.relative:
		return cues&(futureCue|stateCue|deadlineCue|eventCue) != 0 || j.at(d.from).text == "this"
	default:
		return (cues&futureCue != 0 || j.isObliged(low, high) || j.isFuture(low, high)) && j.isPreposed(d)
	}
}

// isUntilEvent reports whether the date explains an event that something lasts until, as in: until
// the audit on 10 January.
func (j *judge) isUntilEvent(d date, from int) bool {
	for i := d.from - 1; i >= from && i >= d.from-8; i-- {
		switch j.tokens[i].text {
		case "by", "before":
			return j.at(d.from-1).is("(") && j.isDue(i, d)
		case "until", "till", "bis", "hasta", "jusqu", "ate", "fino", "до":
			return !j.isPast(i, d) && (j.isPreposed(d) || j.at(d.from-1).is("("))
		}
		if j.inDate[i] {
			return false
		}
	}
	return false
}

// isUntilThen reports whether the words after the date refer to it as the end of something.
func (j *judge) isUntilThen(d date) bool {
	low, high := j.clauseOf(d.from)
	if j.cuesIn(low, high)&pastCue != 0 || j.recordsIn(low, high) || j.hasPastVerb(low, high) {
		return false
	}
	for i := d.to; i+1 < len(j.tokens) && i < d.to+maxReach && (!j.inDate[i] || j.tokens[i].kind == digitToken); i++ {
		switch j.tokens[i].text + " " + j.tokens[i+1].text {
		case "until then", "till then", "by then", "before then", "bis dahin", "hasta entonces", "ici la", "ate la", "fino allora", "тех пор":
			return true
		}
		// Do not show it before.
		switch j.tokens[i].text {
		case "before", "vorher", "davor", "avant", "antes", "prima":
			if j.sentences[i+1] != j.sentences[i] || j.tokens[i+1].is(".") {
				return true
			}
		}
	}
	return false
}

// isFuture reports whether one of the tokens is a future tense with se: se apagará.
func (j *judge) isFuture(low, high int) bool {
	for i := low; i+1 < high; i++ {
		if next := j.tokens[i+1].text; j.tokens[i].text == "se" && len(next) > 5 && (strings.HasSuffix(next, "ra") || strings.HasSuffix(next, "ran")) {
			return true
		}
	}
	return false
}

// isOnlyDates reports whether the tokens are dates and words between them.
func (j *judge) isOnlyDates(low, high int) bool {
	n := 0
	for i := low; i < high; i++ {
		if t := j.tokens[i]; t.kind == wordToken && !j.inDate[i] && t.cues&fillerCue == 0 {
			n++
		}
	}
	return n <= 1
}

// isLabelled reports whether the date follows the name of an event: "Cutover of the cluster: 17
// January" and "Demo with Acme on 22 January".
func (j *judge) isLabelled(d date, low int) bool {
	i := d.from - 1
	for ; i > low && (j.tokens[i].is(",") || j.at(i).cues&fillerCue != 0 || shortWeekdays[j.at(i).text] || weekdays[j.at(i).text] != 0); i-- {
	}
	if j.at(i).is(":") {
		return true
	}
	if j.at(d.to).is(":") || !j.isPreposed(d) {
		return false
	}
	for k := low; k < d.from; k++ {
		if j.tokens[k].cues&aboutCue != 0 && j.tokens[k].cues&fillerCue == 0 || strings.HasSuffix(j.tokens[k].text, "ed") {
			return false
		}
	}
	return j.cuesIn(low, min(low+3, d.from))&eventCue != 0
}

// isObliged reports whether the tokens tell that something has to be done.
func (j *judge) isObliged(low, high int) bool {
	for i := low; i < high; i++ {
		switch j.tokens[i].text {
		case "must", "need", "needs", "shall", "should", "muss", "mussen", "soll", "sollen", "debe", "deben", "doit", "doivent", "deve", "devem", "devono", "должен", "должны", "нужно":
			return true
		}
	}
	return false
}

// isPreposedOn reports whether "on" or a word like it is right before the date: it was extended on
// that day, not until then.
func (j *judge) isPreposedOn(d date) bool {
	switch j.at(d.from - 1).text {
	case "on", "am", "in", "le", "el", "em":
		return true
	}
	return false
}

// isPreposed reports whether a preposition of time is before the date.
func (j *judge) isPreposed(d date) bool {
	for i := d.from - 1; i >= 0 && i >= d.from-3; i-- {
		switch j.tokens[i].text {
		case "weekend", "on", "in", "for", "am", "im", "le", "el", "em", "il", "en", "al", "dia", "at", "fur", "para", "per", "pour", "na", "no", "du", "das", "den", "в", "на", "zum":
			return true
		}
	}
	return j.at(d.from).kind == wordToken && d.isDay || j.tokens[max(0, d.to-1)].text == "года"
}
