package memories

import (
	"fmt"
	"time"
)

// staleAfterDays is the age from which on a memory should be checked before it is believed.
const staleAfterDays = 2

// KnownSince is the earliest time that an age counts from. Archives, package managers and
// reproducible builds give files times of 1970 or 1980, which say nothing about their content.
var KnownSince = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// Age is how long ago a memory was last true for certain.
type Age struct {
	Days    int // whole days of 24 hours
	Stale   bool
	Unknown bool // then the others are zero
}

// AgeOf returns the age at now. A time in the future counts as now, one before KnownSince as unknown.
func AgeOf(modified, now time.Time) Age {
	if modified.Before(KnownSince) {
		return Age{Unknown: true}
	}
	days := max(0, int(now.Sub(modified)/(24*time.Hour)))
	return Age{Days: days, Stale: days >= staleAfterDays}
}

// Age returns the memory's age at now. That of a file that could not be read is unknown.
func (m Memory) Age(now time.Time) Age {
	if !m.Readable {
		return Age{Unknown: true}
	}
	return AgeOf(m.ModifiedAt, now)
}

// KnownDays returns the days, or nil if the age is unknown.
func (a Age) KnownDays() *int {
	if a.Unknown {
		return nil
	}
	return &a.Days
}

// IsTellable says whether a time can be told to others: in UTC its year is one from 1 to 9999. RFC 3339, and with it JSON, writes no
// other, and a list could not go on behind a memory of such a time.
func IsTellable(t time.Time) bool {
	year := t.UTC().Year()
	return 1 <= year && year <= 9999
}

// StaleSince returns the latest time of which a memory is stale at now.
func StaleSince(now time.Time) time.Time { return now.Add(-staleAfterDays * 24 * time.Hour) }

// StaleFrom returns the time from which a memory last modified at the given time is stale.
func StaleFrom(modified time.Time) time.Time { return modified.Add(staleAfterDays * 24 * time.Hour) }

// Saved returns the age as a remark on a memory: "saved today", or "unknown age".
func (a Age) Saved() string {
	if a.Unknown {
		return a.String()
	}
	return "saved " + a.String()
}

// String returns "today", "yesterday", "N days ago" or "unknown age".
func (a Age) String() string {
	switch {
	case a.Unknown:
		return "unknown age"
	case a.Days == 0:
		return "today"
	case a.Days == 1:
		return "yesterday"
	default:
		return fmt.Sprintf("%d days ago", a.Days)
	}
}

// Warning returns what a stale memory carries, and nothing for a fresh one.
func (a Age) Warning() string {
	if !a.Stale {
		return ""
	}
	return fmt.Sprintf("This memory is %d days old. Memories are point-in-time observations, not live state — "+
		"claims about code behavior or file:line citations may be outdated. Verify against current code before "+
		"asserting as fact.", a.Days)
}
