package wording

import (
	"time"

	"memoir/internal/agents"
)

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

// SessionOf returns a session in words, without names of its person and channel.
func SessionOf(name string) string { return SessionName(name, time.Time{}, nil, time.Now()) }

// OriginOf returns the session that wrote a file in words, or the file's path if the session is
// empty or its name has no day.
func OriginOf(session, path string) string {
	if agents.ParseSession(session).Thread.IsZero() {
		return path
	}
	return SessionOf(session)
}
