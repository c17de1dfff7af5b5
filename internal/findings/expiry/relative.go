package expiry

import (
	"strings"
	"time"
)

// period is the time that a relative phrase names.
type period uint8

const (
	thisDay period = iota
	nextDay
	thisWeek
	nextWeek
	thisMonth
	nextMonth
	thisQuarter
	thisSprint
	endOfQuarter
	endOfMonth
	endOfYear // it and the following ones can have a year
	christmas
	newYear
	halloween
	valentine
	easter
	pentecost
	thanksgiving
	blackFriday
)

// relatives maps relative phrases, folded.
var relatives = map[string]period{
	"today": thisDay, "tonight": thisDay, "eod": thisDay, "heute": thisDay, "hoy": thisDay, "aujourd hui": thisDay, "hoje": thisDay, "oggi": thisDay, "сегодня": thisDay,
	"tomorrow": nextDay, "morgen": nextDay, "manana": nextDay, "demain": nextDay, "amanha": nextDay, "domani": nextDay, "завтра": nextDay,
	"this week": thisWeek, "eow": thisWeek, "the weekend": thisWeek, "this weekend": thisWeek, "diese woche": thisWeek, "dieser woche": thisWeek, "esta semana": thisWeek,
	"cette semaine": thisWeek, "questa settimana": thisWeek, "этой неделе": thisWeek, "эту неделю": thisWeek, "este fin de semana": thisWeek,
	"next week": nextWeek, "nachste woche": nextWeek, "nachster woche": nextWeek, "kommende woche": nextWeek, "proxima semana": nextWeek, "semana que viene": nextWeek, "semana que vem": nextWeek,
	"semaine prochaine": nextWeek, "prossima settimana": nextWeek, "settimana prossima": nextWeek, "следующей неделе": nextWeek, "следующей недели": nextWeek,
	"this month": thisMonth, "eom": endOfMonth, "diesen monat": thisMonth, "este mes": thisMonth, "ce mois ci": thisMonth, "questo mese": thisMonth, "этом месяце": thisMonth, "monatsende": endOfMonth,
	"this sprint": thisSprint, "diesen sprint": thisSprint, "diesem sprint": thisSprint, "este sprint": thisSprint, "ce sprint": thisSprint,
	"next month": nextMonth, "nachsten monat": nextMonth, "proximo mes": nextMonth, "mois prochain": nextMonth, "prossimo mese": nextMonth, "следующем месяце": nextMonth,
	"this quarter": thisQuarter, "eoq": endOfQuarter, "quartalsende": endOfQuarter, "eoy": endOfYear, "year end": endOfYear, "jahresende": endOfYear,
	"christmas": christmas, "xmas": christmas, "weihnachten": christmas, "navidad": christmas, "noel": christmas, "natal": christmas, "natale": christmas,
	"new year": newYear, "new years": newYear, "neujahr": newYear, "ano nuevo": newYear,
	"halloween": halloween, "valentines day": valentine, "valentine s day": valentine, "easter": easter, "ostern": easter, "semana santa": easter, "pascua": easter, "paques": easter, "pascoa": easter, "pasqua": easter,
	"pentecost": pentecost, "pfingsten": pentecost, "thanksgiving": thanksgiving, "black friday": blackFriday,
}

// relativesByWord lists the phrases of relatives by their first word, longest first.
var relativesByWord = func() map[string][][]string {
	byWord := map[string][][]string{}
	for text := range relatives {
		words := strings.Fields(text)
		list := byWord[words[0]]
		at := 0
		for at < len(list) && len(list[at]) >= len(words) {
			at++
		}
		list = append(list, nil)
		copy(list[at+1:], list[at:])
		list[at] = words
		byWord[words[0]] = list
	}
	return byWord
}()

// sprintDays is how long a sprint is taken to last: most have one or two weeks.
const sprintDays = 14

// numbers are the number words of durations, folded.
var numbers = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "couple": 2, "few": 4,
	"eine": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "sechs": 6, "una": 1, "un": 1, "dos": 2, "tres": 3, "cuatro": 4, "une": 1, "deux": 2, "trois": 3, "quatre": 4,
	"uma": 1, "duas": 2, "dois": 2, "due": 2, "tre": 3, "две": 2, "три": 3, "два": 2,
}

// unitDays are the lengths of the units of durations in days, folded. Months are long, so that no
// date passes too early.
var unitDays = map[string]int{
	"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 31, "months": 31, "tag": 1, "tage": 1, "tagen": 1, "woche": 7, "wochen": 7, "monat": 31, "monate": 31, "monaten": 31,
	"dia": 1, "dias": 1, "semana": 7, "semanas": 7, "mes": 31, "meses": 31, "jour": 1, "jours": 1, "semaine": 7, "semaines": 7, "mois": 31,
	"giorno": 1, "giorni": 1, "settimana": 7, "settimane": 7, "mese": 31, "mesi": 31, "день": 1, "дня": 1, "дней": 1, "неделю": 7, "недели": 7, "недель": 7, "месяц": 31, "месяца": 31, "месяцев": 31,
}

// duration reads "two weeks" at token i. It returns the days and the token after it.
func (r *reader) duration(i int) (days, to int, ok bool) {
	n, isWord := numbers[r.at(i).text]
	switch t := r.at(i); {
	case isShort(t, 1, 99):
		n = t.value
	case !isWord:
		return 0, i, false
	}
	j := i + 1
	if r.at(j).text == "of" || r.at(j).text == "more" || r.at(j).is("-") {
		j++
	}
	length, ok := unitDays[r.at(j).text]
	return n * length, j + 1, ok
}

// fromNow reads a duration that starts when the text was written: "the next two weeks", "noch eine
// Woche" and "30 days from today".
func (r *reader) fromNow(i int) (date, bool) {
	if r.written.IsZero() {
		return date{}, false
	}
	d := date{from: i, relative: true, isDay: true}
	switch r.at(i).text {
	case "next", "another", "coming", "nachsten", "kommenden", "noch", "proximas", "proximos", "prochaines", "prochains", "prossime", "prossimi", "следующие", "ближайшие":
		if days, to, ok := r.duration(i + 1); ok {
			d.last, d.to, d.isNext = r.written.AddDate(0, 0, days), to, true
			return d, true
		}
	}
	if days, to, ok := r.duration(i); ok && r.at(to).text == "from" && (r.at(to+1).text == "today" || r.at(to+1).text == "now") {
		d.last, d.to, d.isNext = r.written.AddDate(0, 0, days), to+2, true
		return d, true
	}
	// An experiment for two weeks.
	switch r.at(i).text {
	case "for", "fur", "durante", "pendant", "per", "por", "на":
		if days, to, ok := r.duration(i + 1); ok && days > 0 {
			d.last, d.to, d.isFor = r.written.AddDate(0, 0, days), to, true
			return d, true
		}
	case "in", "en", "dans", "em", "tra", "через":
		if days, to, ok := r.duration(i + 1); ok && r.at(i-1).text != "every" {
			d.last, d.to, d.isFor = r.written.AddDate(0, 0, days), to, true
			return d, true
		}
	}
	return date{}, false
}

// relativeDate reads "this week", "tomorrow" and "EOY". It reads nothing if the day that the text
// was written is unknown.
func (r *reader) relativeDate(i int) (date, bool) {
	if r.written.IsZero() {
		return date{}, false
	}
	for _, words := range relativesByWord[r.at(i).text] {
		n, ok := follows(r.tokens[i+1:], words[1:])
		if next := r.at(i + 1 + n); !ok || next.text == "s" && next.start == r.at(i+n).end+1 && r.source[next.start-1] != ' ' {
			continue // this week's
		}
		d := date{from: i, to: i + 1 + n, relative: true, isDay: true}
		name := relatives[strings.Join(words, " ")]
		d.last, d.isToday = r.lastOf(name), name == thisDay
		if name >= endOfYear {
			d.needsCue = name >= christmas
			if y := r.at(d.to); isYear(y) {
				d.last, d.to, d.relative = lastOfHoliday(name, y.value), d.to+1, false
			}
		}
		return d, true
	}
	return r.fromNow(i)
}

// lastOf returns the last day of a relative period.
func (r *reader) lastOf(name period) time.Time {
	y, m := r.written.Year(), int(r.written.Month())
	switch name {
	case nextDay:
		return r.written.AddDate(0, 0, 1)
	case thisWeek:
		return r.endOfThisWeek()
	case nextWeek:
		return r.endOfThisWeek().AddDate(0, 0, 7)
	case thisSprint:
		return r.written.AddDate(0, 0, sprintDays)
	case thisMonth, endOfMonth:
		return lastOfMonth(y, m)
	case nextMonth:
		return lastOfMonth(y, m+1)
	case thisQuarter, endOfQuarter:
		return lastOfMonth(y, (m+2)/3*3)
	case thisDay:
		return r.written
	default:
		last := lastOfHoliday(name, y)
		if last.Before(r.written) {
			last = lastOfHoliday(name, y+1)
		}
		return last
	}
}

// lastOfHoliday returns the last day of a holiday or the end of a year.
func lastOfHoliday(name period, year int) time.Time {
	switch name {
	case christmas:
		return day(year, 12, 26)
	case newYear:
		return day(year, 1, 1)
	case halloween:
		return day(year, 10, 31)
	case valentine:
		return day(year, 2, 14)
	case easter:
		return easterSunday(year).AddDate(0, 0, 1)
	case pentecost:
		return easterSunday(year).AddDate(0, 0, 50)
	case thanksgiving, blackFriday:
		// The fourth Thursday of November, and the day after it.
		first := day(year, 11, 1)
		thursday := first.AddDate(0, 0, 21+(int(time.Thursday)-int(first.Weekday())+7)%7)
		return thursday.AddDate(0, 0, int(name-thanksgiving))
	default:
		return day(year, 12, 31)
	}
}

// easterSunday computes the date with the anonymous Gregorian algorithm.
func easterSunday(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return day(year, n/31, n%31+1)
}
