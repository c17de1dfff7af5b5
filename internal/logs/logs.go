// Package logs defines the logs that long-lived agents keep next to their memories: the file of an
// entry, the format of an entry, and the problems of files that people wrote. It is pure.
// internal/sync reads and appends logs with it; the pages and the API use its days.
//
// A logs directory contains {YYYY}/{MM}/{YYYY-MM-DD}.md, the log of a day, and
// {YYYY}/{MM}/{DD}/{id}-{title}.md, the entries of a day with one title.
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
	// MaxText is how long an entry may be, in bytes. It is arbitrary; longer texts belong into a
	// file.
	MaxText = 64 << 10
	// maxTitle is how long a title may be, in Unicode characters, like a memory's name.
	maxTitle = 256
	// tolerance is how far a time may be in the future, because clocks differ. It is arbitrary.
	tolerance = time.Minute
)

// Day is a day in the form 2026-11-21. Days are ordered as strings are.
type Day string

const (
	dayForm   = "2006-01-02"
	monthForm = "2006-01"
)

// DayOf returns the day of a time, in the time's zone.
func DayOf(t time.Time) Day { return Day(t.Format(dayForm)) }

// ParseDay parses a day in the form 2026-11-21. For other texts and invalid dates, it returns the
// text as an invalid Day, and false.
func ParseDay(text string) (Day, bool) {
	t, err := time.Parse(dayForm, text)
	return Day(text), err == nil && t.Year() > 0 && DayOf(t) == Day(text)
}

// Begins returns midnight UTC of the day, or the zero time for an invalid day.
func (d Day) Begins() time.Time {
	t, err := time.Parse(dayForm, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

// Month is a month in the form 2026-11.
type Month string

// Month returns the month of a valid day.
func (d Day) Month() Month { return Month(d.Begins().Format(monthForm)) }

// ParseMonth parses a month in the form 2026-11. It returns false for other texts and invalid
// months; the caller must not use the Month then.
func ParseMonth(text string) (Month, bool) {
	day, ok := ParseDay(text + "-01")
	return day.Month(), ok
}

// Days returns the first and the last day of a valid month.
func (m Month) Days() (first, last Day) {
	first = Day(m + "-01")
	return first, DayOf(first.Begins().AddDate(0, 1, -1))
}

// Text returns an entry's text as it is stored. It makes all line ends LF, and removes empty lines
// at the start and white space at the end.
func Text(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimLeft(strings.TrimRightFunc(text, unicode.IsSpace), "\n")
}

// Check returns *memories.InvalidError for the first invalid field of an entry, and nil if all are
// valid. Both texts must be UTF-8 without NUL. text must not be blank or longer than MaxText bytes.
// title may have maxTitle characters, but no control characters. at must not be more than tolerance
// after now. Its day, in the zone of now, must be at least yesterday.
func Check(text, title string, at, now time.Time) error {
	invalid := func(field, reason string) error { return &memories.InvalidError{Field: field, Reason: reason} }
	switch {
	case strings.TrimSpace(text) == "":
		return invalid("text", "is empty; describe the event")
	case len(text) > MaxText:
		return invalid("text", fmt.Sprintf("is longer than %d KiB; put details into a file, and name it in the log", MaxText>>10))
	case !isText(text):
		return invalid("text", "is not valid UTF-8, or contains a NUL character")
	case !isText(title):
		return invalid("title", "is not valid UTF-8, or contains a NUL character")
	case strings.ContainsFunc(title, unicode.IsControl):
		return invalid("title", "has more than one line, or control characters")
	case utf8.RuneCountInString(title) > maxTitle:
		return invalid("title", fmt.Sprintf("is longer than %d characters", maxTitle))
	case at.After(now.Add(tolerance)):
		return invalid("at", "is in the future")
	case DayOf(at.In(now.Location())) < DayOf(now.AddDate(0, 0, -1)):
		return invalid("at", "is before yesterday; entries can be added only to today and yesterday")
	}
	return nil
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// File returns the slash-separated path of the file of an entry, relative to a logs directory. The
// day is at's, in its own zone. Entries of one day with the same title have the same file. Entries
// without a title have the file of the day.
func File(at time.Time, title string) string {
	if title == "" {
		return at.Format("2006/01/") + string(DayOf(at)) + ".md"
	}
	sum := sha256.Sum256([]byte(title))
	return at.Format("2006/01/02/") + hex.EncodeToString(sum[:4]) + "-" + memories.Slug(title) + ".md"
}

// Heading returns the first lines of a new log file: title, or day if that is empty, as a heading,
// and an empty line.
func Heading(day Day, title string) string {
	if title == "" {
		title = string(day)
	}
	return "# " + title + "\n\n"
}

// Entry returns an entry as it is appended: a bullet with the time of day and the text, further
// lines indented, a line end. It first applies Text to text.
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

// Place is the meaning of a log file's path.
type Place struct {
	Day   Day    // empty if the path has no day
	Title string // title in {id}-{title}.md, or empty
	// Usual means that Memoir and Claude Code would choose the same path.
	Usual bool
}

// PlaceOf returns the day and the title in the path of a log file, and whether the path is a usual
// one. The path is slash-separated and relative to its logs directory. Without a day in the path,
// Day is "" and the title is the file's name without extension.
func PlaceOf(within string) Place {
	dirs, name := path.Split(within)
	stem := strings.TrimSuffix(name, path.Ext(name))
	if day, ok := ParseDay(strings.ReplaceAll(strings.TrimSuffix(dirs, "/"), "/", "-")); ok {
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
