package extraction

import (
	"fmt"
	"regexp"
	"time"
)

// A memory is read in months to come, when nobody knows any more which day "yesterday" was. A model is asked to write dates as absolute
// ones, and may not have; what it writes is looked through here for what is reckoned from the day of a conversation. Which day that would
// be is not worked out: "next Friday" is one of two, and a wrong date is worse than none.

// relativeDates finds them, in English and German. Days of the week alone are left out: they mostly come back ("never deploy on a Friday").
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
	// inCode is what no date is in.
	inCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	// saidAbsolutely is a date behind a relative one that says which it is, or what makes a rule of one: the last Friday of each month.
	saidAbsolutely = regexp.MustCompile(`^[\s,]*[([]?\s*(?:on |am |the |den )?\d{4}-\d\d|^[\s,]+(?:of|in) (?:the|each|every|an?) |^ (?:des|im|jedes|eines) `)
)

// relativeDate returns the first date in a text that is reckoned from a day that the text does not name; empty: there is none.
func relativeDate(text string) string {
	text = inCode.ReplaceAllString(text, " ")
	for at := 0; at < len(text); {
		found := relativeDates.FindStringSubmatchIndex(text[at:])
		if found == nil {
			return ""
		}
		end := at + found[3]
		if !saidAbsolutely.MatchString(text[end:]) {
			return text[at+found[2] : end]
		}
		at = end
	}
	return ""
}

// Doubt says for people what to look at before the proposal is accepted; empty: nothing.
func (p Proposed) Doubt() string {
	if p.DecidedAt.IsZero() {
		return doubt(p.Name+"\n"+p.Description+"\n"+p.Body, p.QuotedAt)
	}
	return ""
}

// doubt says of a text which relative date it has, and of which day the message is that it comes from.
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
