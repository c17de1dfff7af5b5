package extraction

import (
	"fmt"
	"regexp"
	"time"
)

// A memory is read months later, when the day of "yesterday" is unknown. The model is asked to
// write absolute dates but may fail, so this file searches for relative ones. It does not compute
// the date, because "next Friday" is ambiguous and a wrong date is worse.

// relativeDates matches relative dates in English and German. It omits weekdays alone, which are
// mostly regular ("never deploy on a Friday").
var relativeDates = func() *regexp.Regexp {
	const (
		number = `(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|a couple of)`
		unit   = `(?:minute|hour|day|week|month|quarter|year)s?`
		day    = `(?:mon|tues|wednes|thurs|fri|satur|sun)day`
		zahl   = `(?:\d+|einem|einer|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|wenigen|einigen|ein paar)`
		zeit   = `(?:Minuten?|Stunden?|Tag(?:en)?|Wochen?|Monat(?:en)?|Jahr(?:en)?)`
		tag    = `(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag)`
	)
	return regexp.MustCompile(`(?:^|[^\pL\pN_])(` +
		`(?i:yesterday|today|tonight|tomorrow|the day (?:before yesterday|after tomorrow))` +
		`|(?i:(?:last|this|next|this coming|this past) (?:night|morning|afternoon|evening|weekend|week|month|quarter|year|spring|summer|autumn|fall|winter|` + day + `))` +
		`|(?i:(?:by|until|till|before|since) (?:` + day + `))` +
		`|(?i:` + number + ` ` + unit + ` (?:ago|from now))` +
		`|(?i:in ` + number + ` (?:hour|day|week|month|year)s?(?: from now|'s time|’s time)?)` +
		`|[Hh]eute|[Gg]estern|[Vv]orgestern|[Üü]bermorgen|(?:ab|bis|seit|erst) morgen|[Mm]orgen (?:früh|Abend|Nachmittag)` +
		`|(?i:(?:letzte|vorige|vergangene|nächste|kommende|diese)[nrms]? (?:Nacht|Woche|Wochenende|Monats?|Quartals?|Jahr(?:es)?|` + tag + `))` +
		`|(?i:(?:bis|seit|ab|vor)(?: (?:zum|dem))? ` + tag + `)` +
		`|(?i:(?:vor|in) ` + zahl + ` ` + zeit + `)` +
		`)(?:$|[^\pL\pN_])`)
}()

var (
	// inCode matches code, which is not searched.
	inCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	// absoluteSuffix matches text after a relative date that makes it absolute or regular, such as
	// "of each month".
	absoluteSuffix = regexp.MustCompile(`^[\s,]*[([]?\s*(?:on |am |the |den )?\d{4}-\d\d|^[\s,]+(?:of|in) (?:the|each|every|an?) |^ (?:des|im|jedes|eines) `)
)

// relativeDate returns the first relative date in a text, such as "yesterday", or "" if there is
// no such date. It skips code, and dates that the following words make absolute or regular.
func relativeDate(text string) string {
	text = inCode.ReplaceAllString(text, " ")
	for at := 0; at < len(text); {
		found := relativeDates.FindStringSubmatchIndex(text[at:])
		if found == nil {
			return ""
		}
		stop := at + found[3]
		if !absoluteSuffix.MatchString(text[stop:]) {
			return text[at+found[2] : stop]
		}
		at = stop
	}
	return ""
}

// Doubt returns a sentence about a relative date in the proposal, which a person should replace
// before accepting it. It is "" if there is no such date, or the proposal is decided.
func (p Proposed) Doubt() string {
	if p.DecidedAt.IsZero() {
		return doubt(p.Name+"\n"+p.Description+"\n"+p.Body, p.QuotedAt)
	}
	return ""
}

// doubt returns a sentence that quotes the first relative date in text and names the day saidAt,
// or states that the day is unknown. It is "" if text has no relative date.
func doubt(text string, saidAt time.Time) string {
	switch found := relativeDate(text); {
	case found == "":
		return ""
	case saidAt.IsZero():
		return fmt.Sprintf("Says “%s”, and of which day the message is that it comes from is not known.", found)
	default:
		return fmt.Sprintf("Says “%s”: the message is of %s. Edit it to say which day that was.", found, saidAt.UTC().Format("Monday 2006-01-02"))
	}
}
