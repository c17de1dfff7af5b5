package records

import (
	"time"

	"memoir/internal/memories"
)

// RecallUse are statistics of an agent's recalls.
type RecallUse struct {
	// Days are in order. A day has an entry for each combination of AskedBy and SelectedBy with
	// recalls.
	Days []RecallDay
	// Medians are of the time that recent recalls took, by SelectedBy.
	Medians map[string]time.Duration
	// Most are the memories that were delivered most often, out of MostTotal.
	Most      []RecalledMemory
	MostTotal int
	// Never are memories that were never delivered, oldest first, out of NeverTotal.
	Never      []RecalledMemory
	NeverTotal int
}

// RecallDay is the number of recalls on one day with the same AskedBy and SelectedBy.
type RecallDay struct {
	Day        time.Time // its beginning, in UTC
	AskedBy    string    // script, hook, mcp
	SelectedBy string    // model, keyword; empty if no memory was considered
	Recalls    int
	Giving     int // of these, how many gave something
	// NoneOfMany is the number without a result despite ManyCandidates or more candidates.
	NoneOfMany int
}

// ManyCandidates is how many memories a recall must have considered for its empty result to be
// unexpected. It is arbitrary.
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
	Last    time.Time // zero without recalls
	// Chances is how many recalls have considered memories since it was learned. It is counted only
	// if Recalls is 0.
	Chances int
}

// Carried are the sizes of what an agent carries into a conversation besides CLAUDE.md.
type Carried struct {
	IndexChars int // Unicode characters of the MEMORY.md that it loads
	// RecalledBytes is the median of what recalls have delivered to a conversation, over
	// Conversations.
	RecalledBytes, Conversations int
}

// RecallWith is a recall that delivered a memory, or that chose it and did not deliver it.
type RecallWith struct {
	At      time.Time
	Session string // empty: none
	AskedBy string // script, hook, mcp
	Query   string // its beginning
	Given   bool   // delivered
}

// DaysUpTo returns the beginnings (midnight UTC) of the given number of consecutive days, oldest
// first. The last is the day of now. days must not be negative.
func DaysUpTo(now time.Time, days int) []time.Time {
	beginnings := make([]time.Time, days)
	for i := range beginnings {
		beginnings[i] = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, i+1-days)
	}
	return beginnings
}
