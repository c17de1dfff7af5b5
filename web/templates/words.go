package templates

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

var english = message.NewPrinter(language.English)

// number returns n in digits with thousands separators: 12,345.
func number(n int) string { return english.Sprintf("%d", n) }

// fixed returns n with so many decimals and thousands separators: 12,345.6.
func fixed(n float64, decimals int) string { return english.Sprintf("%.*f", decimals, n) }

// counted returns n with one if n is 1, else with many: "1 memory", "12 memories".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// moment returns date and time of t in words, in the time zone of t. The zero time is "–".
func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Format("2 Jan 2006, 15:04")
}

// machineTime returns t in UTC as RFC 3339, for the datetime attribute.
func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

var typeNames = map[memories.Type]string{
	memories.Feedback: "Feedback", memories.User: "User", memories.Project: "Project", memories.Reference: "Reference",
}

func typeName(t memories.Type) string { return cmp.Or(typeNames[t], "No type") }

var typeMeanings = map[memories.Type]string{
	memories.Feedback:  "how people want the work done",
	memories.User:      "who people are and what they prefer",
	memories.Project:   "what is going on, and why",
	memories.Reference: "where things live",
}

// typeMeaning returns in a few words the purpose of a type. For an unknown or empty type it returns
// "no type, or could not be read".
func typeMeaning(t memories.Type) string {
	return cmp.Or(typeMeanings[t], "no type, or could not be read")
}

// fileSize returns a number of bytes in words: in bytes below 1 KiB, in KiB below 1 MiB, else in
// MiB.
func fileSize(bytes int64) string {
	switch {
	case bytes < 1024:
		return counted(int(bytes), "byte", "bytes")
	case bytes < 1024*1024:
		return fixed(float64(bytes)/1024, 1) + " KiB"
	default:
		return fixed(float64(bytes)/(1024*1024), 1) + " MiB"
	}
}

// visible returns text with each deceptive character replaced by its code point, such as [U+202E].
// Such characters could reverse the text next to them or make two names look alike.
func visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if deceptive(r) {
			fmt.Fprintf(&out, "[%U]", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// deceptive reports whether r changes the direction of text, has no width and no use in any script,
// or is a control character. Tabs and line ends are not deceptive.
func deceptive(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return false
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // embeddings, overrides and isolates
		return true
	case r == 0x200b, r == 0x2060, r == 0xfeff: // no width, and no script needs them
		return true
	default:
		return unicode.IsControl(r)
	}
}

// SessionName returns a session in words, without its ids: "Mira in #ops, 20 Nov" if names, by id,
// has its person or channel, else "session of 20 Nov". The day has a year unless that is the year
// of now. at is the day for a session whose own name has none. If it is zero too, the result is
// "session".
func SessionName(session string, at time.Time, names map[string]string, now time.Time) string {
	s := agents.ParseSession(session)
	if !s.Thread.IsZero() {
		at = s.Thread
	}
	if at.IsZero() {
		return "session"
	}
	at = at.In(now.Location())
	date := at.Format("2 Jan")
	if at.Year() != now.Year() {
		date = at.Format("2 Jan 2006")
	}
	person, channel := names[s.User], names[s.Channel]
	switch {
	case person != "" && channel != "":
		return person + " in " + channel + ", " + date
	case person != "" || channel != "":
		return person + channel + ", " + date
	default:
		return "session of " + date
	}
}

// sessionOf returns a session in words, without names of its person and channel.
func sessionOf(name string) string { return SessionName(name, time.Time{}, nil, time.Now()) }

// OriginOf returns the session that wrote a file in words, or the file's path if the session is
// empty or its name has no day.
func OriginOf(session, path string) string {
	if agents.ParseSession(session).Thread.IsZero() {
		return path
	}
	return sessionOf(session)
}
