package memories

import (
	"fmt"
	"time"
)

// staleAfterDays is the age from which on a memory should be checked before it is believed.
const staleAfterDays = 2

// Age is how long ago a memory was last true for certain.
type Age struct {
	Days  int // whole days of 24 hours
	Stale bool
}

// AgeOf returns the age at now. A time in the future counts as now.
func AgeOf(modified, now time.Time) Age {
	days := int(now.Sub(modified) / (24 * time.Hour))
	if days < 0 {
		days = 0
	}
	return Age{Days: days, Stale: days >= staleAfterDays}
}

// IsTellable says whether a time can be told to others: in UTC its year is one from 1 to 9999. RFC 3339, and with it JSON, writes no
// other, and a list could not go on behind a memory of such a time.
func IsTellable(t time.Time) bool {
	year := t.UTC().Year()
	return 1 <= year && year <= 9999
}

// Until returns when a memory that was modified then will be a day older.
func (a Age) Until(modified time.Time) time.Time {
	return modified.Add(time.Duration(a.Days+1) * 24 * time.Hour)
}

// StaleSince returns the latest time of which a memory is stale at now.
func StaleSince(now time.Time) time.Time { return now.Add(-staleAfterDays * 24 * time.Hour) }

// String returns "today", "yesterday" or "N days ago".
func (a Age) String() string {
	switch a.Days {
	case 0:
		return "today"
	case 1:
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
