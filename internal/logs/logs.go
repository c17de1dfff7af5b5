// Package logs knows the logs that long-lived agents keep beside their memories: which file a day's entries go to, how an entry
// is written, and what is odd about a file that somebody has written by hand. It is pure: values in, values out. The sync room
// reads and appends with it; pages and the API use its days and its sentences.
//
// Below a logs directory lie {YYYY}/{MM}/{YYYY-MM-DD}.md, the log of a day, and {YYYY}/{MM}/{DD}/{id}-{title}.md, what belongs
// together of that day under a title.
package logs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories"
)

const (
	// MaxText is how long one entry may be, in bytes. An entry says what happened; what is longer belongs into a file of its own.
	MaxText = 64 << 10
	// maxTitle is how long a title may be, in characters, as the name of a memory.
	maxTitle = 256
	// tolerance is how far clocks may be apart for a time to still count as now.
	tolerance = time.Minute
)

// Day is a day as the files are named after it, 2026-11-21. Days compare as texts do.
type Day string

const (
	dayForm   = "2006-01-02"
	monthForm = "2006-01"
)

// DayOf returns the day of a time, in the time's own zone.
func DayOf(t time.Time) Day { return Day(t.Format(dayForm)) }

// ParseDay reads a day. It is false for anything but a day of the calendar as in 2026-11-21.
func ParseDay(text string) (Day, bool) {
	t, err := time.Parse(dayForm, text)
	return Day(text), err == nil && t.Year() > 0 && DayOf(t) == Day(text)
}

// Begins returns the midnight, in UTC, that stands for the day. The zero time is that of no day.
func (d Day) Begins() time.Time {
	t, err := time.Parse(dayForm, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

// Month is a month as in 2026-11.
type Month string

// Month returns the month that the day is in.
func (d Day) Month() Month { return Month(d.Begins().Format(monthForm)) }

// ParseMonth reads a month. It is false for anything but a month as in 2026-11.
func ParseMonth(text string) (Month, bool) {
	day, ok := ParseDay(text + "-01")
	return day.Month(), ok
}

// Days returns the first and the last day of the month.
func (m Month) Days() (first, last Day) {
	first = Day(m + "-01")
	return first, DayOf(first.Begins().AddDate(0, 1, -1))
}

// Text returns the text of an entry as it is kept: with LF line ends, without white space at its end and empty lines before it.
func Text(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimLeft(strings.TrimRightFunc(text, unicode.IsSpace), "\n")
}

// Check says with a *memories.InvalidError what of an entry cannot be taken. A log is of now: at may be today or yesterday, in
// the zone of now, and not in the future.
func Check(text, title string, at, now time.Time) error {
	invalid := func(field, reason string) error { return &memories.InvalidError{Field: field, Reason: reason} }
	switch {
	case strings.TrimSpace(text) == "":
		return invalid("text", "is empty; say what happened")
	case len(text) > MaxText:
		return invalid("text", fmt.Sprintf("is longer than %d KiB; put the detail into a file, and say in the log where it is", MaxText>>10))
	case !isText(text):
		return invalid("text", "is not valid UTF-8, or holds a NUL character")
	case !isText(title):
		return invalid("title", "is not valid UTF-8, or holds a NUL character")
	case strings.ContainsFunc(title, unicode.IsControl):
		return invalid("title", "has more than one line, or control characters")
	case utf8.RuneCountInString(title) > maxTitle:
		return invalid("title", fmt.Sprintf("is longer than %d characters", maxTitle))
	case at.After(now.Add(tolerance)):
		return invalid("at", "is in the future; a log says what has happened")
	case DayOf(at.In(now.Location())) < DayOf(now.AddDate(0, 0, -1)):
		return invalid("at", "is before yesterday; what a past day says is not added to")
	}
	return nil
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// File returns the path, below a logs directory, of the file that an entry of that time goes to. The same title has the same
// file for the whole day.
func File(at time.Time, title string) string {
	if title == "" {
		return at.Format("2006/01/") + string(DayOf(at)) + ".md"
	}
	sum := sha256.Sum256([]byte(title))
	return at.Format("2006/01/02/") + hex.EncodeToString(sum[:4]) + "-" + memories.Slug(title) + ".md"
}

// Heading is what a new file begins with.
func Heading(day Day, title string) string {
	if title == "" {
		title = string(day)
	}
	return "# " + title + "\n\n"
}

// Entry returns an entry as it is appended: a bullet with the time of day, what is below its first line indented, and a line end.
func Entry(at time.Time, text string) string {
	lines := strings.Split(Text(text), "\n")
	for i, line := range lines[1:] {
		if line != "" {
			line = "  " + line
		}
		lines[i+1] = line
	}
	return "- " + at.Format(time.TimeOnly) + " " + strings.Join(lines, "\n") + "\n"
}

// Place is what the path of a log file tells, below its logs directory.
type Place struct {
	Day   Day    // empty: it tells none
	Title string // of {id}-{title}.md; else empty
	// Usual says that the file is where Memoir and Claude Code would put it.
	Usual bool
}

// PlaceOf reads the path of a log file, slash-separated and relative to the logs directory that it is in.
func PlaceOf(within string) Place {
	dirs, name := path.Split(within)
	stem := strings.TrimSuffix(name, path.Ext(name))
	if day, ok := ParseDay(dayIn(dirs)); ok {
		_, title, _ := strings.Cut(stem, "-")
		if title == "" {
			title = stem
		}
		return Place{Day: day, Title: strings.ReplaceAll(title, "_", " "), Usual: true}
	}
	day, rest := stem, ""
	if len(stem) > len(dayForm) {
		day, rest = stem[:len(dayForm)], strings.Trim(stem[len(dayForm):], "-_ .")
	}
	if d, ok := ParseDay(day); ok {
		return Place{Day: d, Title: rest, Usual: rest == "" && dirs == d.Begins().Format("2006/01/")}
	}
	return Place{Title: stem}
}

// dayIn turns the directories 2026/11/21/ into 2026-11-21.
func dayIn(dirs string) string { return strings.ReplaceAll(strings.TrimSuffix(dirs, "/"), "/", "-") }
