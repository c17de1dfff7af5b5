// Package wording owns how pages write numbers, times, memory types and sessions: pure functions from
// values to short texts. It never renders HTML and has no text of a single page.
//
//	wording.Count(2, "memory", "memories") // 2 memories
package wording

import (
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var english = message.NewPrinter(language.English)

// Number returns n in digits with thousands separators: 12,345.
func Number(n int) string { return english.Sprintf("%d", n) }

// Fixed returns n with so many decimals and thousands separators: 12,345.6.
func Fixed(n float64, decimals int) string { return english.Sprintf("%.*f", decimals, n) }

// Signed returns n with its sign; "0" without one.
func Signed(n int) string {
	switch {
	case n > 0:
		return "+" + Number(n)
	case n < 0:
		return "−" + Number(-n)
	default:
		return "0"
	}
}

// Count returns n with one if n is 1, else with many: "1 memory", "12 memories".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Plural returns one if n is 1, else many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Capital returns text with a capital first letter.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// FileSize returns a number of bytes in words: in bytes below 1 KiB, in KiB below 1 MiB, else in
// MiB.
func FileSize(bytes int64) string {
	switch {
	case bytes < 1024:
		return Count(int(bytes), "byte", "bytes")
	case bytes < 1024*1024:
		return Fixed(float64(bytes)/1024, 1) + " KiB"
	default:
		return Fixed(float64(bytes)/(1024*1024), 1) + " MiB"
	}
}

// Moment returns date and time of t in words, in the time zone of t. The zero time is "–".
func Moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Format("2 Jan 2006, 15:04")
}

// MachineTime returns t in UTC as RFC 3339, for the datetime attribute.
func MachineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Duration returns minutes in words; from two hours it rounds to hours.
func Duration(minutes int) string {
	if minutes < 120 {
		return Number(minutes) + " min"
	}
	return Number((minutes+30)/60) + " h"
}
