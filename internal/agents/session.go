package agents

import (
	"regexp"
	"strconv"
	"time"
)

// Session describes a session directory, as far as its name tells.
type Session struct {
	Name    string // the directory's name
	User    string // User, Channel and Thread are zero if the name is not {user}-{channel}-{thread}
	Channel string
	Thread  time.Time // UTC; the start of the conversation's thread
}

// The thread is a time stamp of a chat system: seconds since 1970 and up to nine decimal digits. A
// channel contains no dash, a user may.
var sessionName = regexp.MustCompile(`^(.+)-([^-]+)-([0-9]{9,11})(?:\.([0-9]{1,9}))?$`)

// ParseSession parses the name of a session directory. For other forms of names it sets only Name.
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
