package records

import "time"

// Job is one piece of background work as it stands.
type Job struct {
	ID         int64
	Kind       string
	State      string // River's word for it
	Key        string
	Attempts   int
	CreatedAt  time.Time
	RunAt      time.Time // when it is, or was, to be begun
	FinishedAt time.Time // zero: it is not
	Output     []byte    // what came of it, as package jobs has written it
}

// DayTokens is what background work has cost on a day (in UTC).
type DayTokens struct {
	Day           time.Time
	Input, Output int64
}
