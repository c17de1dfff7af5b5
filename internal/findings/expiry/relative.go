package expiry

import (
	"strings"
	"time"
)

// period is what a relative phrase names.
type period uint8

const (
	thisDay period = iota
	nextDay
	thisWeek
	nextWeek
	thisMonth
	nextMonth
	thisQuarter
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

// relativeDate reads "this week", "tomorrow" and "EOY". It reads nothing if the day that the text
// was written is unknown.
func (r *reader) relativeDate(i int) (date, bool) {
	if r.written.IsZero() {
		return date{}, false
	}
	for _, words := range relativesByWord[r.at(i).text] {
		n, ok := follows(r.tokens[i+1:], words[1:])
		if !ok {
			continue
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
	return date{}, false
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
