package expiry

import (
	"strings"
	"time"
	"unicode/utf8"
)

// date is a date phrase in a text. It covers the tokens [from, to).
type date struct {
	from, to int
	first    time.Time // of a month or longer period, the first day; else zero
	last     time.Time // the last day, at 00:00 UTC; of an ambiguous date the later reading
	needsCue bool      // the phrase is a date only directly after a cue, as in "until March"
	relative bool      // without a year, or relative to the day the text was written
	isToday  bool      // "today": often means nowadays
	isRange  bool      // from a day to another
	isNext   bool      // "next Monday"
	isFor    bool      // "for two weeks"
	isPeriod bool      // a week, month or quarter without a year
	isUntil  bool      // a range that is written with until
	isDay    bool      // names a day rather than a month or longer
}

// reader reads the dates of a tokenised text.
type reader struct {
	source  string
	tokens  []token
	written time.Time // the day at 00:00 UTC; zero if unknown
}

// dayOf returns the day of a time in its location, at 00:00 UTC.
func dayOf(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return day(t.Year(), int(t.Month()), t.Day())
}

func day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

// lastOfMonth returns the last day of a month.
func lastOfMonth(y, m int) time.Time { return day(y, m+1, 0) }

// monthNames maps the names and abbreviations of months, folded, in the languages that are read.
var monthNames = func() map[string]int {
	names := map[string]int{}
	for i, row := range []string{
		"january jan januar janner janvier janv enero ene janeiro gennaio gen января январь январе янв",
		"february feb februar fevrier fevr febrero fevereiro fev febbraio febr февраля февраль феврале фев",
		"march mar marz mars marzo marco maerz mrz марта март марте мар",
		"april apr avril avr abril abr aprile апреля апрель апреле апр",
		"may mai mayo maio maggio mag мая май мае",
		"june jun juni juin junio junho giugno giu июня июнь июне июн",
		"july jul juli juillet juil julio julho luglio lug июля июль июле июл",
		"august aug aout agosto ago августа август августе авг",
		"september sep sept septembre septiembre setiembre setembro set settembre сентября сентябрь сентябре сен сент",
		"october oct oktober okt octobre octubre outubro out ottobre ott октября октябрь октябре окт",
		"november nov novembre noviembre novembro ноября ноябрь ноябре ноя нояб",
		"december dec dezember dez decembre diciembre dic dezembro dicembre декабря декабрь декабре дек",
	} {
		for name := range strings.FieldsSeq(row) {
			names[name] = i + 1
		}
	}
	return names
}()

// wordMonths are names of months that are common words of some language. They need a number next
// to them.
var wordMonths = map[string]bool{
	"mar": true, "may": true, "march": true, "set": true, "out": true, "ago": true, "gen": true, "dic": true, "mag": true,
	"mars": true, "jan": true, "dec": true, "sep": true, "ott": true, "ene": true, "jun": true, "abr": true, "lug": true, "giu": true,
	"fev": true, "мае": true, "дек": true, "сен": true, "фев": true, "мар": true, "ноя": true, "окт": true,
}

// numberFirst are names of months that are only read after a number.
var numberFirst = map[string]bool{"out": true, "set": true, "ago": true, "gen": true, "mag": true}

// weekdays maps the names of days, folded. Abbreviations that are words are left out.
var weekdays = func() map[string]time.Weekday {
	names := map[string]time.Weekday{}
	for i, row := range []string{
		"sunday sun sonntag domingo dimanche domenica воскресенья воскресенье",
		"monday mon montag lunes lundi lunedi segunda понедельника понедельник",
		"tuesday tue tues dienstag martes mardi martedi вторника вторник",
		"wednesday wed mittwoch miercoles mercredi mercoledi quarta среды среду",
		"thursday thu thur thurs donnerstag jueves jeudi giovedi quinta четверга четверг",
		"friday fri freitag viernes vendredi venerdi sexta пятницы пятницу",
		"saturday sat samstag sonnabend sabado samedi sabato субботы субботу",
	} {
		for name := range strings.FieldsSeq(row) {
			names[name] = time.Weekday(i)
		}
	}
	return names
}()

// shortWeekdays are abbreviations that are only skipped, never read as a date.
var shortWeekdays = map[string]bool{
	"mo": true, "di": true, "mi": true, "do": true, "fr": true, "sa": true, "so": true, "sun": true, "mon": true, "tue": true, "wed": true,
	"thu": true, "fri": true, "sat": true, "tues": true, "thur": true, "thurs": true, "пт": true, "пн": true, "вт": true, "ср": true, "чт": true, "сб": true, "вс": true,
	"feira": true,
}

// at returns a token, or an empty mark after the last one.
func (r *reader) at(i int) token {
	if i < 0 || i >= len(r.tokens) {
		return token{kind: breakToken}
	}
	return r.tokens[i]
}

// touches reports whether nothing is between the tokens i-1 and i.
func (r *reader) touches(i int) bool {
	return i > 0 && i < len(r.tokens) && r.tokens[i-1].end == r.tokens[i].start
}

// dates returns the dates of the text in order. A range is one date.
func (r *reader) dates() []date {
	var found []date
	for i := 0; i < len(r.tokens); {
		d, ok := r.dateAt(i)
		if !ok || d.to <= i || !r.standsAlone(d) {
			i++
			continue
		}
		// From 1 June for six weeks.
		if r.at(d.to).text == "for" && d.isDay {
			if days, to, ok := r.duration(d.to + 1); ok {
				d.last, d.to, d.isRange = d.last.AddDate(0, 0, days), to, true
			}
		}
		if n := len(found); n > 0 && r.isJoined(found[n-1], d) {
			found[n-1].to, found[n-1].last, found[n-1].isRange = d.to, d.last, true
			found[n-1].needsCue = found[n-1].needsCue && d.needsCue && !(r.at(d.from+1).is(".") && r.at(found[n-1].from+1).is("."))
			found[n-1].relative, found[n-1].isUntil = d.relative, r.hasUntil(found[n-1].from, d.from)
		} else {
			found = append(found, d)
		}
		i = d.to
	}
	return found
}

// isJoined reports whether two dates are the ends of a range.
func (r *reader) isJoined(a, b date) bool {
	if a.isRange || b.from-a.to > 6 || b.from <= a.to {
		return false
	}
	joined := false
	for i := a.to; i < b.from; i++ {
		switch t := r.at(i); {
		case t.is("-") || t.is("–") || t.is("—") || t.is("~") || t.is("〜") || t.is("～") || t.is("→"), t.is("/") && b.from-a.to == 1 && isYear(r.at(b.from)):
			joined = true
		case t.kind == wordToken:
			switch t.text {
			case "to", "bis", "through", "thru", "until", "a", "al", "au", "ate", "до", "по", "and", "till", "und", "et", "hasta", "jusqu":
				joined = true
			case "zum", "the", "el", "on", "am", "le", "o", "il", "dem", "utc", "uhr", "h", "including", "include":
			default:
				if _, ok := weekdays[t.text]; !ok && !shortWeekdays[t.text] {
					return false
				}
			}
			if t.text == "and" || t.text == "und" || t.text == "et" {
				joined = r.at(a.from-1).text == "between" || r.at(a.from-1).text == "zwischen" || r.at(a.from-1).text == "entre" ||
					r.at(a.from-2).text == "between" || r.at(a.from-2).text == "entre"
			}
		case t.kind == cjkToken:
			switch t.text {
			case "から", "至", "到", "부터", "より", "日から":
				joined = true
			default:
				return false
			}
		case t.kind == digitToken || t.is(":") || t.is(".") || t.is(",") || t.is("(") || t.is(")"):
		default:
			return false
		}
	}
	return joined
}

// hasUntil reports whether one of the tokens is "until" in some language.
func (r *reader) hasUntil(from, to int) bool {
	for i := from; i < to; i++ {
		switch r.tokens[i].text {
		case "until", "till", "through", "thru", "hasta", "jusqu":
			return true
		}
	}
	return false
}

// standsAlone reports whether the date is not part of a file name, a branch, a version or another
// identifier.
func (r *reader) standsAlone(d date) bool {
	from, to := r.tokens[d.from].start, r.tokens[d.to-1].end
	if r.tokens[d.from].kind == digitToken && from > 0 {
		before, size := utf8.DecodeLastRuneInString(r.source[:from])
		switch {
		case before < utf8.RuneSelf && (isLetter(before) || isDigit(before)) || strings.ContainsRune("_=#$@\\&", before):
			return false
		case before == '-' || before == '/' || before == '.' || before == '+':
			if before == '/' && from > 1 && isYear(r.tokens[d.from]) && isDigit(rune(r.source[from-2])) {
				break // 2025-12-20/2026-01-05
			}
			if b, _ := utf8.DecodeLastRuneInString(r.source[:from-size]); isLetter(b) && !isCJK(b) || isDigit(b) && before != '-' {
				return false
			}
		}
	}
	if to < len(r.source) {
		after, size := utf8.DecodeRuneInString(r.source[to:])
		next, _ := utf8.DecodeRuneInString(r.source[min(len(r.source), to+size):])
		switch {
		case after == 'T' && isDigit(next):
			return true
		case isLetter(after) && !isCJK(after) || isDigit(after) || after == '_' || after == '=' || after == '@':
			return false
		case after == '.' && isDigit(next), after == '/' && isDigit(next) && !isYear(r.tokens[d.from]):
			return false // a version, a path
		case after == '-' && isDigit(next) && d.needsCue && d.to-d.from == 1:
			return false // a number that starts with a year
		case after == '-' || after == '/' || after == '.':
			return !isLetter(next) || isCJK(next) || after == '/' && d.isRange
		}
	}
	return true
}

// dateAt reads the date that starts at token i. ok is false if no date starts there.
func (r *reader) dateAt(i int) (d date, ok bool) {
	switch t := r.at(i); t.kind {
	case digitToken:
		return r.numberDate(i)
	case wordToken:
		return r.wordDate(i)
	case cjkToken:
		return r.cjkRelative(i)
	default:
		return date{}, false
	}
}

func isYear(t token) bool {
	return t.kind == digitToken && len(t.text) == 4 && t.value >= 2000 && t.value < 2100
}

// isShort reports whether a token is a number of one or two digits, from low to high.
func isShort(t token, low, high int) bool {
	return t.kind == digitToken && len(t.text) <= 2 && t.value >= low && t.value <= high
}

// yearAt reads a year after an optional separator, as in ", 2025", "de 2025" and "'25".
func (r *reader) yearAt(i int) (year, to int) {
	j := i
	if t := r.at(j); t.is(",") || t.is(".") || t.is("/") || t.is("-") && r.touches(j+1) || t.kind == wordToken && (t.text == "of" || t.text == "de" || t.text == "del" || t.text == "do" || t.text == "in") {
		j++
	}
	t := r.at(j)
	if isYear(t) {
		j++
		if w := r.at(j); w.text == "г" || w.text == "года" {
			j++
		}
		return t.value, j
	}
	// 'yy, with the apostrophe right before the digits.
	if isShort(t, 20, 60) && t.start > 0 && (r.source[t.start-1] == '\'' || strings.HasSuffix(r.source[:t.start], "’")) {
		return 2000 + t.value, j + 1
	}
	return 0, i
}

// next returns the first day with this month and day that is not before the text was written, or
// the last one that the year allows.
func (r *reader) next(m, d int) (time.Time, bool) {
	if r.written.IsZero() {
		return time.Time{}, false
	}
	found := day(r.written.Year(), m, d)
	if found.Before(r.written) {
		found = day(r.written.Year()+1, m, d)
	}
	return found, true
}

// nextMonth returns the last day of the next month with that number.
func (r *reader) nextMonth(m int) (time.Time, bool) {
	if r.written.IsZero() {
		return time.Time{}, false
	}
	found := lastOfMonth(r.written.Year(), m)
	if found.Before(r.written) {
		found = lastOfMonth(r.written.Year()+1, m)
	}
	return found, true
}

// dayDate makes a date of a day. year is 0 if the text has none.
func (r *reader) dayDate(from, to, year, m, d int) (date, bool) {
	if m < 1 || m > 12 || d < 1 || d > lastOfMonth(2024, m).Day() {
		return date{}, false
	}
	result := date{from: from, to: to, isDay: true}
	if year != 0 {
		result.last = day(year, m, d)
		return result, true
	}
	var ok bool
	result.last, ok = r.next(m, d)
	result.relative = true
	return result, ok
}

// monthDate makes a date of a month. year is 0 if the text has none.
func (r *reader) monthDate(from, to, year, m int) (date, bool) {
	result := date{from: from, to: to}
	if year != 0 {
		result.first, result.last = day(year, m, 1), lastOfMonth(year, m)
		return result, true
	}
	var ok bool
	result.last, ok = r.nextMonth(m)
	result.relative, result.needsCue, result.isPeriod = true, true, true
	return result, ok
}

// numberDate reads a date that starts with digits: a day, or the first day of a range as in 1.-14.
// Dezember and 1–14 December.
func (r *reader) numberDate(i int) (date, bool) {
	if d, ok := r.oneDate(i); ok {
		return d, true
	}
	if second, ok := r.dayRange(i); ok {
		if d, ok := r.oneDate(second); ok && d.isDay {
			d.from, d.isRange = i, true
			return d, true
		}
	}
	return date{}, false
}

// oneDate reads a date that starts with digits and is no range of days.
func (r *reader) oneDate(i int) (date, bool) {
	first := r.at(i)
	sep := r.at(i + 1)
	if isYear(first) {
		return r.yearFirst(i)
	}
	if len(first.text) > 2 || first.value == 0 {
		return date{}, false
	}
	if r.at(i+2).text == "from" {
		return r.fromNow(i)
	}
	if sep.kind == cjkToken {
		return r.cjkMonth(i, 0)
	}
	second, third := r.at(i+2), r.at(i+4)
	if sep.kind == markToken && r.touches(i+1) && second.kind == digitToken && len(second.text) <= 2 && (r.touches(i+2) || sep.is(".")) {
		year, to := 0, i+3
		if r.at(i+3).is(sep.text) && (r.touches(i+4) || sep.is(".")) {
			switch {
			case isYear(third):
				year, to = third.value, i+5
			case isShort(third, 20, 60) && len(third.text) == 2:
				year, to = 2000+third.value, i+5
			}
		}
		switch {
		case sep.is("."):
			if year == 0 && r.at(i+3).is(".") && r.touches(i+3) && !isShort(third, 0, 99) {
				to++
			}
			d, ok := r.dayDate(i, to, year, second.value, first.value)
			d.needsCue = year == 0 || len(third.text) == 2
			return d, ok
		case sep.is("/") || sep.is("-") && year >= 2000 && len(third.text) == 4:
			if d, ok := r.slashDate(i, to, year, first.value, second.value); ok {
				return d, true
			}
		}
	}
	// 12/2025
	if (sep.is("/") || sep.is(".")) && r.touches(i+1) && r.touches(i+2) && isYear(second) && first.value <= 12 {
		return r.monthDate(i, i+3, second.value, first.value)
	}
	return r.dayMonth(i)
}

// dayRange reports whether token i is the first day of a range of days, and returns the token of
// the second one.
func (r *reader) dayRange(i int) (second int, ok bool) {
	j := i + 1
	if r.at(j).is(".") {
		j++
	}
	switch t := r.at(j); {
	case t.is("-"), t.is("–"), t.is("—"), t.is("~"), t.is("〜"), t.is("/") && monthNames[r.at(j+2).text] != 0, t.is("/") && r.at(j+2).is("."):
	case t.kind == wordToken && (t.text == "to" || t.text == "bis" || t.text == "al" || t.text == "au" || t.text == "по" || t.text == "a" || t.text == "ate"):
	default:
		return 0, false
	}
	return j + 1, isShort(r.at(i), 1, 31) && isShort(r.at(j+1), 1, 31)
}

// slashDate makes a date of two numbers that can be day and month or month and day. Of two
// readings the later one is taken.
func (r *reader) slashDate(from, to, year, a, b int) (date, bool) {
	one, okOne := r.dayDate(from, to, year, b, a)
	two, okTwo := r.dayDate(from, to, year, a, b)
	if !okOne || okTwo && two.last.After(one.last) {
		one, okOne = two, okTwo
	}
	one.needsCue = year == 0
	return one, okOne
}

// dayMonth reads "14 December 2025", "14th of Dec", "14. Dezember" and "1er mars".
func (r *reader) dayMonth(i int) (date, bool) {
	if !isShort(r.at(i), 1, 31) {
		return date{}, false
	}
	j := i + 1
	switch t := r.at(j); {
	case t.kind == wordToken && r.touches(j) && (t.text == "th" || t.text == "st" || t.text == "nd" || t.text == "rd" || t.text == "er" || t.text == "º" || t.text == "o" || t.text == "ª" || t.text == "го"):
		j++
	case t.is(".") || t.is("º") || t.is("°"):
		j++
	case t.is("-") && r.at(j+1).text == "го":
		j += 2
	}
	if t := r.at(j); t.kind == wordToken && (t.text == "of" || t.text == "de" || t.text == "di" || t.text == "do") || t.is("-") && r.touches(j) {
		j++
	}
	name := r.at(j)
	m, ok := monthNames[name.text]
	if !ok || name.kind != wordToken {
		return date{}, false
	}
	to := j + 1
	if r.at(to).is(".") && len(name.text) <= 5 && (isYear(r.at(to+1)) || r.at(to+1).is(",")) {
		to++
	}
	year, to := r.yearAt(to)
	if year == 0 && (name.text == "ago" || name.text == "out" || name.text == "may" && !name.capital) {
		return date{}, false
	}
	return r.dayDate(i, to, year, m, r.at(i).value)
}

// yearFirst reads 2025-12-14, 2025-12, 2025-W12, 2025Q3, 2025年12月 and 2025.
func (r *reader) yearFirst(i int) (date, bool) {
	year := r.at(i).value
	sep, m := r.at(i+1), r.at(i+2)
	if sep.kind == cjkToken {
		return r.cjkYear(i)
	}
	if (sep.is("-") || sep.is("/") || sep.is(".")) && r.touches(i+1) && r.touches(i+2) {
		if isShort(m, 1, 12) {
			if r.at(i+3).is(sep.text) && r.touches(i+3) && r.touches(i+4) && isShort(r.at(i+4), 1, 31) {
				return r.dayDate(i, i+5, year, m.value, r.at(i+4).value)
			}
			if len(m.text) == 2 && !sep.is(".") {
				d, ok := r.monthDate(i, i+3, year, m.value)
				d.needsCue = true
				return d, ok
			}
		}
		// 2025/26: the later year.
		if sep.is("/") && isShort(m, year%100+1, year%100+1) {
			return date{from: i, to: i + 3, last: day(year+1, 12, 31), needsCue: true}, true
		}
		if m.text == "w" && isShort(r.at(i+3), 1, 53) {
			return date{from: i, to: i + 4, last: endOfWeek(year, r.at(i+3).value)}, true
		}
	}
	j := i + 1
	if sep.is("-") || sep.is("/") {
		j++
	}
	if q := r.at(j); (q.text == "q" || q.text == "h") && q.kind == wordToken && isShort(r.at(j+1), 1, 4) && r.touches(j+1) {
		return date{from: i, to: j + 2, last: endOfPart(q.text, r.at(j+1).value, year)}, true
	}
	// 2025 December 14 is not written, but December can start the next sentence.
	return date{from: i, to: i + 1, first: day(year, 1, 1), last: day(year, 12, 31), needsCue: true}, true
}

// endOfPart returns the last day of a quarter (q) or a half (h).
func endOfPart(part string, n, year int) time.Time {
	if part == "h" || part == "s" {
		return lastOfMonth(year, 6*min(n, 2))
	}
	return lastOfMonth(year, 3*n)
}

// endOfWeek returns the Sunday of an ISO week.
func endOfWeek(year, week int) time.Time {
	fourth := day(year, 1, 4) // always in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	return monday.AddDate(0, 0, 7*week-1)
}

// wordDate reads a date that starts with a word.
func (r *reader) wordDate(i int) (date, bool) {
	t := r.at(i)
	switch t.text {
	case "q", "t", "h":
		if r.touches(i+1) && isShort(r.at(i+1), 1, 4) && t.capital {
			return r.part(i, i+1, t.text)
		}
	case "quarter", "quartal", "trimestre":
		if isShort(r.at(i+1), 1, 4) {
			return r.part(i, i+1, "q")
		}
	case "kw", "cw", "week", "woche", "semana", "semaine", "settimana", "wk", "неделя", "недели":
		if d, ok := r.week(i); ok {
			return d, true
		}
	case "fy":
		if n := r.at(i + 1); isYear(n) || isShort(n, 20, 60) {
			year := 2000 + n.value%100
			to := i + 2
			if m := r.at(i + 3); (r.at(i+2).is("/") || r.at(i+2).is("-")) && isShort(m, year%100+1, year%100+1) {
				year, to = year+1, i+4
			}
			return date{from: i, to: to, last: day(year, 12, 31)}, true
		}
	}
	if d, ok := r.modified(i); ok {
		return d, true
	}
	if d, ok := r.relativeDate(i); ok {
		return d, true
	}
	if m, ok := monthNames[t.text]; ok {
		return r.monthFirst(i, m)
	}
	if w, ok := weekdays[t.text]; ok && (t.capital || w != time.Sunday && len(t.text) > 4) {
		return r.weekday(i, w)
	}
	return date{}, false
}

// part reads the year of a quarter or half year whose number is token n.
func (r *reader) part(from, n int, part string) (date, bool) {
	if part == "t" {
		part = "q"
	}
	year, to := r.yearAt(n + 1)
	if year == 0 && r.at(n+1).is("/") && isShort(r.at(n+2), 20, 60) && r.touches(n+2) {
		year, to = 2000+r.at(n+2).value, n+3
	}
	if year != 0 {
		return date{from: from, to: to, last: endOfPart(part, r.at(n).value, year)}, true
	}
	if r.written.IsZero() {
		return date{}, false
	}
	last := endOfPart(part, r.at(n).value, r.written.Year())
	if last.Before(r.written) {
		last = endOfPart(part, r.at(n).value, r.written.Year()+1)
	}
	return date{from: from, to: n + 1, last: last, needsCue: true, relative: true, isPeriod: true}, true
}

// week reads "KW 12", "KW12/2025" and "week 12 of 2025".
func (r *reader) week(i int) (date, bool) {
	n := r.at(i + 1)
	if !isShort(n, 1, 53) {
		return date{}, false
	}
	year, to := r.yearAt(i + 2)
	if year != 0 {
		return date{from: i, to: to, last: endOfWeek(year, n.value)}, true
	}
	if r.written.IsZero() {
		return date{}, false
	}
	last := endOfWeek(r.written.Year(), n.value)
	if last.Before(r.written) {
		last = endOfWeek(r.written.Year()+1, n.value)
	}
	return date{from: i, to: i + 2, last: last, needsCue: true, relative: true, isPeriod: true}, true
}

// monthFirst reads "Dec 14th, 2025", "December 1–14", "December 2025" and "December".
func (r *reader) monthFirst(i, m int) (date, bool) {
	name := r.at(i)
	j := i + 1
	if r.at(j).is(".") && len(name.text) <= 5 && r.at(j+1).kind == digitToken {
		j++
	}
	if isShort(r.at(j), 1, 31) && !r.at(j+1).is(":") && !numberFirst[name.text] && (name.capital || m != 3 && m != 5) {
		d, to := r.at(j).value, j+1
		if suffix := r.at(to).text; r.touches(to) && (suffix == "th" || suffix == "st" || suffix == "nd" || suffix == "rd") {
			to++
		}
		isRange := false
		if second := r.at(to + 1); (r.at(to).is("-") || r.at(to).is("–") || r.at(to).is("—") || r.at(to).is("/") || r.at(to).text == "to") && isShort(second, d+1, 31) && !r.at(to+2).is(":") {
			d, to, isRange = second.value, to+2, true
			if suffix := r.at(to).text; r.touches(to) && (suffix == "th" || suffix == "st" || suffix == "nd" || suffix == "rd") {
				to++
			}
		}
		year, to := r.yearAt(to)
		result, ok := r.dayDate(i, to, year, m, d)
		result.isRange = isRange
		return result, ok
	}
	if year, to := r.yearAt(j); year != 0 && (name.capital || !numberFirst[name.text]) {
		return r.monthDate(i, to, year, m)
	}
	if wordMonths[name.text] && !name.capital || numberFirst[name.text] {
		return date{}, false
	}
	return r.monthDate(i, i+1, 0, m)
}

// weekday reads a day of the week. With a date after it, it is no date of its own.
func (r *reader) weekday(i int, w time.Weekday) (date, bool) {
	j := i + 1
	for r.at(j).is(",") || r.at(j).is(".") || r.at(j).is("-") || r.at(j).text == "feira" || r.at(j).text == "the" || r.at(j).text == "dem" || r.at(j).text == "den" {
		j++
	}
	if n := r.at(j); n.kind == digitToken || monthNames[n.text] != 0 {
		if _, ok := r.dateAt(j); ok {
			return date{}, false
		}
	}
	if r.written.IsZero() {
		return date{}, false
	}
	ahead := (int(w) - int(r.written.Weekday()) + 7) % 7
	before, after := r.at(i-1).text, r.at(i+1).text
	isNext := before == "next" || before == "nachsten" || before == "proximo" || before == "prossimo" || after == "prochain" || after == "prossimo"
	if isNext {
		ahead += 7
	}
	to := i + 1
	if r.at(to).is("-") && r.at(to+1).text == "feira" {
		to += 2
	}
	return date{from: i, to: to, last: r.written.AddDate(0, 0, ahead), needsCue: !isNext, isNext: isNext, relative: true, isDay: true}, true
}

// season is how far into a period a modifier points.
type season uint8

const (
	early season = iota
	middle
	late
)

// modifiers are the words that point to a part of a month, quarter or year.
var modifiers = []struct {
	words string
	part  season
}{
	{"end of the", late}, {"end of", late}, {"end", late}, {"late", late}, {"ende", late}, {"ende des", late}, {"fin de", late}, {"fin", late},
	{"finales de", late}, {"final de", late}, {"finais de", late}, {"fim de", late}, {"fim do", late}, {"fine di", late}, {"fine", late}, {"fin del", late}, {"конца", late}, {"конец", late}, {"конце", late},
	{"mid", middle}, {"middle of", middle}, {"mitte", middle}, {"mi", middle}, {"mediados de", middle}, {"meados de", middle}, {"meta", middle}, {"середины", middle}, {"середине", middle},
	{"early", early}, {"beginning of", early}, {"start of", early}, {"anfang", early}, {"debut", early}, {"principios de", early}, {"inicio de", early}, {"inizio", early}, {"начала", early}, {"начале", early},
	{"sommer", middle}, {"summer", middle}, {"spring", early}, {"autumn", late}, {"fall", late}, {"herbst", late}, {"fruhjahr", early}, {"summer of", middle},
	{"first half of", middle}, {"second half of", late},
}

var modifierWords = func() map[string][][]string {
	byFirst := map[string][][]string{}
	for _, m := range modifiers {
		words := strings.Fields(m.words)
		byFirst[words[0]] = append(byFirst[words[0]], append([]string{string(rune('0' + m.part))}, words[1:]...))
	}
	return byFirst
}()

// modified reads "end of March", "mid-April 2026", "early Q3" and "end of the year".
func (r *reader) modified(i int) (date, bool) {
	for _, m := range modifierWords[r.at(i).text] {
		n, ok := follows(r.tokens[i+1:], m[1:])
		if !ok {
			continue
		}
		j := i + 1 + n
		for r.at(j).is("-") || r.at(j).text == "of" || r.at(j).text == "the" || r.at(j).text == "this" || r.at(j).text == "des" || r.at(j).text == "der" ||
			r.at(j).text == "del" || r.at(j).text == "de" || r.at(j).text == "la" || r.at(j).text == "do" || r.at(j).text == "da" || r.at(j).text == "dell" ||
			r.at(j).text == "di" || r.at(j).text == "l" || r.at(j).text == "d" {
			j++
		}
		part := season(m[0][0] - '0')
		if part == late {
			if d, ok := r.endOfCurrent(i, j); ok {
				return d, true
			}
		}
		t := r.at(j)
		if t.kind == digitToken && !isYear(t) || t.kind != digitToken && t.kind != wordToken {
			continue
		}
		if t.kind == wordToken && monthNames[t.text] == 0 && t.text != "q" && t.text != "fy" && t.text != "h" {
			continue
		}
		d, ok := r.dateAt(j)
		if !ok || d.isDay {
			continue
		}
		from := d.last
		d.from, d.first = i, time.Time{}
		switch period := r.at(j); {
		case isYear(period) && d.to == j+1:
			d.last = [...]time.Time{day(from.Year(), 4, 30), day(from.Year(), 9, 30), from}[part]
		case monthNames[period.text] != 0:
			y, month := from.Year(), int(from.Month())
			d.last = [...]time.Time{day(y, month, 10), day(y, month, 20), from}[part]
			if d.relative && d.last.Before(r.written) {
				d.last = d.last.AddDate(1, 0, 0)
			}
		}
		d.needsCue = false
		return d, true
	}
	return date{}, false
}

// endOfCurrent reads the rest of "end of the year": the period that the text was written in.
func (r *reader) endOfCurrent(from, i int) (date, bool) {
	if r.written.IsZero() {
		return date{}, false
	}
	y, m := r.written.Year(), int(r.written.Month())
	d := date{from: from, to: i + 1, relative: true}
	switch r.at(i).text {
	case "year", "jahres", "jahr", "ano", "annee", "anno", "года":
		d.last = day(y, 12, 31)
		if n := r.at(i + 1); isYear(n) {
			d.last, d.to, d.relative = day(n.value, 12, 31), i+2, false
		}
	case "month", "monats", "monat", "mes", "mois", "mese", "месяца":
		d.last = lastOfMonth(y, m)
	case "quarter", "quartals", "trimestre", "квартала":
		d.last = lastOfMonth(y, (m+2)/3*3)
	case "week", "woche", "semana", "semaine", "settimana", "недели":
		d.last = r.endOfThisWeek()
	default:
		return date{}, false
	}
	return d, true
}

func (r *reader) endOfThisWeek() time.Time {
	return r.written.AddDate(0, 0, (7-int(r.written.Weekday()))%7)
}
