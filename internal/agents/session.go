package agents

import (
	"regexp"
	"strconv"
	"time"
)

// Session is one conversation's working directory, by what its name says.
type Session struct {
	Name    string // the directory's name
	User    string // empty, as are the next two, when the name is not of the form {user}-{channel}-{thread}
	Channel string
	Thread  time.Time // UTC, when the conversation's thread began
}

// The thread is a time stamp as chat systems write it: seconds since 1970, and a fraction of up to nine digits. Channels have
// no dash; users may.
var sessionName = regexp.MustCompile(`^(.+)-([^-]+)-([0-9]{9,11})(?:\.([0-9]{1,9}))?$`)

// ParseSession reads a session's directory name. A name of any other form gives just the Name.
func ParseSession(name string) Session {
	parts := sessionName.FindStringSubmatch(name)
	if parts == nil {
		return Session{Name: name}
	}
	seconds, err := strconv.ParseInt(parts[3], 10, 64)
	if err != nil {
		return Session{Name: name}
	}
	nanos, err := strconv.ParseInt((parts[4] + "000000000")[:9], 10, 64)
	if err != nil {
		return Session{Name: name}
	}
	return Session{Name: name, User: parts[1], Channel: parts[2], Thread: time.Unix(seconds, nanos).UTC()}
}
