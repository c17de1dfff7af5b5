package records

import "time"

// Job is the state of a background job.
type Job struct {
	ID         int64
	Kind       string
	State      string // as in River
	Key        string
	Attempts   int
	CreatedAt  time.Time
	RunAt      time.Time // scheduled time
	FinishedAt time.Time // zero if unfinished
	Output     []byte    // the result, as written by package jobs
}

// DayTokens are the tokens that jobs have used on a day (UTC).
type DayTokens struct {
	Day           time.Time
	Input, Output int64
}
