package memories

import (
	"fmt"
	"time"
)

// staleAfterDays is the age in days from which an agent should verify a memory. Claude Code uses
// it.
const staleAfterDays = 2

// KnownSince is the earliest time from which an age counts. Archives, package managers and
// reproducible builds give files times of 1970 or 1980, which are not the times of changes.
var KnownSince = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// Age is the time since a memory was last changed or confirmed.
type Age struct {
	Days    int // full days of 24 hours
	Stale   bool
	Unknown bool // Days and Stale are unset
}

// AgeOf returns the age at now of a memory modified at this time, in full days. From two days on it
// is stale. A future time has age 0. A time before KnownSince has an unknown age.
func AgeOf(modified, now time.Time) Age {
	if modified.Before(KnownSince) {
		return Age{Unknown: true}
	}
	days := max(0, int(now.Sub(modified)/(24*time.Hour)))
	return Age{Days: days, Stale: days >= staleAfterDays}
}

// Age returns the memory's age at now. Unreadable memories have an unknown age.
func (m Memory) Age(now time.Time) Age {
	if !m.Readable {
		return Age{Unknown: true}
	}
	return AgeOf(m.ModifiedAt, now)
}

// KnownDays returns the age in full days, or nil if the age is unknown.
func (a Age) KnownDays() *int {
	if a.Unknown {
		return nil
	}
	return &a.Days
}

// IsTellable reports whether the UTC year of t is 1 to 9999. RFC 3339, and therefore JSON, cannot
// express other years.
func IsTellable(t time.Time) bool {
	year := t.UTC().Year()
	return 1 <= year && year <= 9999
}

// StaleSince returns the latest modification time with which a memory is stale at now. It ignores
// KnownSince: a memory modified before that is not stale.
func StaleSince(now time.Time) time.Time { return now.Add(-staleAfterDays * 24 * time.Hour) }

// StaleFrom returns the time at which a memory modified at this time becomes stale. It ignores
// KnownSince: a memory modified before that never becomes stale.
func StaleFrom(modified time.Time) time.Time { return modified.Add(staleAfterDays * 24 * time.Hour) }

// Saved returns the age as text: "saved today", "saved yesterday", "saved N days ago" or "unknown
// age".
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

// Warning returns the warning for agents about a memory that is two days old or more. It returns ""
// for a newer memory or an unknown age.
func (a Age) Warning() string {
	if !a.Stale {
		return ""
	}
	return fmt.Sprintf("This memory is %d days old. Memories are point-in-time observations, not live state — "+
		"claims about code behavior or file:line citations may be outdated. Verify against current code before "+
		"asserting as fact.", a.Days)
}

// uncheckedAfter is the age in days from which a memory of a type counts as unchecked. Projects
// change fastest. Arbitrary.
var uncheckedAfter = map[Type]int{Project: 30, Reference: 90, User: 180, Feedback: 180}

// IsUnchecked reports whether nobody has changed or confirmed a memory of this type for long.
func (a Age) IsUnchecked(t Type) bool {
	days, ok := uncheckedAfter[t]
	return ok && !a.Unknown && a.Days >= days
}

// UncheckedSince returns the latest modification times with which memories are unchecked at now, by
// type in the order of Types. It ignores KnownSince.
func UncheckedSince(now time.Time) []time.Time {
	var since []time.Time
	for _, t := range Types() {
		since = append(since, now.Add(-time.Duration(uncheckedAfter[t])*24*time.Hour))
	}
	return since
}
