package records

import (
	"time"

	"memoir/internal/memories"
)

// RecallUse are statistics of an agent's recalls.
type RecallUse struct {
	// Days are in order; a day has an entry for each who asked and each way to choose, and none
	// without recalls.
	Days []RecallDay
	// Medians are of the time that choosing took lately, by the way.
	Medians map[string]time.Duration
	// Most are the memories that were delivered most often, out of MostTotal.
	Most      []RecalledMemory
	MostTotal int
	// Never are memories that were never delivered, oldest first, out of NeverTotal.
	Never      []RecalledMemory
	NeverTotal int
}

// RecallDay is how many recalls there were on one day, of one who asks and one way to choose.
type RecallDay struct {
	Day        time.Time // its beginning, in UTC
	AskedBy    string    // script, hook, mcp
	SelectedBy string    // model, keyword; empty if no memory was considered
	Recalls    int
	Giving     int // of these, how many gave something
	// NoneOfMany is the number without a result despite ManyCandidates or more candidates.
	NoneOfMany int
}

// ManyCandidates is how many memories are enough that one of them should have been worth giving.
const ManyCandidates = 10

// RecalledMemory is a memory with how often it was given.
type RecalledMemory struct {
	memories.Memory     // its name, type and times
	Recalls         int // that gave it
	// Chances is the number of counted recalls that considered memories since it was learned.
	Chances int
}

// RecallsOfMemory is how often a memory was delivered, from the recalls that are still stored.
type RecallsOfMemory struct {
	Recalls int
	Last    time.Time // zero if there are none
	// Chances is how many recalls have looked at memories since it was learned; counted only where
	// none gave it.
	Chances int
}

// DaysUpTo returns the starts of the last days in UTC, up to the day of now.
func DaysUpTo(now time.Time, days int) []time.Time {
	beginnings := make([]time.Time, days)
	for i := range beginnings {
		beginnings[i] = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, i+1-days)
	}
	return beginnings
}
