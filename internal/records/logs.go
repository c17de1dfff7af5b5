package records

import (
	"time"

	"memoir/internal/logs"
)

// Log is one log file as it was last read.
type Log struct {
	Path       string // relative to the agent's directory
	Day        logs.Day
	Title      string // empty for the log of a whole day
	Text       string // valid UTF-8 without NUL
	Entries    int
	Problems   []string // codes of package logs
	Hash       string   // of the bytes read; empty if it could not be read
	Size       int64    // bytes of the whole file
	ModifiedAt time.Time
	Signature  int64 // 0 makes the next scan read it
	// LeftOut means that Text was omitted because of the limit.
	LeftOut bool
}

// LogDay sums up the logs of one day.
type LogDay struct {
	Day        logs.Day
	Files      int
	Entries    int
	Size       int64 // bytes
	ModifiedAt time.Time
	Odd        int // files with problems
}

// LogDayPage is one part of the days that have logs, newest first.
type LogDayPage struct {
	Days       []LogDay
	NextCursor string // empty at the end
}

// The first and the last day that a range may have.
const (
	FirstLogDay logs.Day = "0001-01-01"
	LastLogDay  logs.Day = "9999-12-31"
)

// LogMonth is the number of days with logs in a month.
type LogMonth struct {
	Month logs.Month
	Days  int
}

// MostLogs is the maximum number of log files per call.
const MostLogs = 1000

// LogPage is one part of the logs that a search has found, newest first.
type LogPage struct {
	Logs       []Log // of each Path, Day, Title, Text and ModifiedAt
	NextCursor string
}
