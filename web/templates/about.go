package templates

import (
	"strconv"
	"time"
)

// About is the view of an agent's About tab. Each field belongs to one section.
type About struct {
	Frame
	Agent Agent
	Place MemoryPlace
	Work  BackgroundWork
}

// BackgroundWork is the view of an agent's background jobs.
type BackgroundWork struct {
	// Model is the background model. If it is empty, SwitchOn explains how to configure one.
	Model, SwitchOn string
	Jobs            []BackgroundJob // unfinished ones first, then the others, latest first
	// The tokens that the jobs used in the last Days days.
	Days                      int
	InputTokens, OutputTokens int
	ByDay                     []TokensOfDay // by day in UTC, oldest first, without empty days
	// Tokens used today (UTC) to read the conversations of all agents, and the limit; 0 means none.
	ReadingToday, ReadingLimit int
}

// budget returns how much of today's tokens for reading conversations is used.
func (w BackgroundWork) budget() string {
	return "Reading conversations used " + number(w.ReadingToday) + " of today's " + number(w.ReadingLimit) + " tokens, for all agents (--extract-daily-tokens)."
}

// BackgroundJob is the view of one background job.
type BackgroundJob struct {
	ID               int64
	Kind             string
	State            string // waiting, running, done, failed, cancelled
	Key              string // the subject; empty means the agent
	Attempts         int
	RunAt            time.Time // planned or actual start, in the time zone of the page
	FinishedAt       time.Time // zero if it is not finished
	Message, Problem string
	Model            string // empty if it used no model
	InputTokens      int
	OutputTokens     int
}

// TokensOfDay is the number of tokens that jobs used on one day in UTC.
type TokensOfDay struct {
	Day           time.Time
	Input, Output int
}

func (j BackgroundJob) rowID() string { return "job-" + strconv.FormatInt(j.ID, 10) }

func (j BackgroundJob) tone() Tone {
	switch j.State {
	case "done":
		return Good
	case "failed", "cancelled":
		return Warning
	}
	return Quiet
}

// result returns the text of the job's result: its problem, else the message that it reported, else
// "–". If a job failed or waits after a failure, the text adds whether it is tried again.
func (j BackgroundJob) result() string {
	switch {
	case j.Problem != "" && j.State == "waiting":
		return "It failed and is tried again: " + j.Problem
	case j.Problem != "" && j.State == "failed":
		return "Given up: " + j.Problem
	case j.Problem != "":
		return j.Problem
	case j.Message != "":
		return j.Message
	}
	return "–"
}

func (j BackgroundJob) when() time.Time {
	if j.FinishedAt.IsZero() {
		return j.RunAt
	}
	return j.FinishedAt
}

// cost returns the numbers of the job's input and output tokens in words, or "–" if it used none.
func (j BackgroundJob) cost() string {
	if j.InputTokens+j.OutputTokens == 0 {
		return "–"
	}
	return number(j.InputTokens) + " in, " + number(j.OutputTokens) + " out"
}

// total returns a sentence with the number of tokens that all jobs used in the last Days days, or
// one that no model was asked.
func (w BackgroundWork) total() string {
	if w.InputTokens+w.OutputTokens == 0 {
		return "In the last " + number(w.Days) + " days no model was asked."
	}
	return "In the last " + number(w.Days) + " days models were sent " + counted(w.InputTokens, "token", "tokens") + " and have written " +
		counted(w.OutputTokens, "token", "tokens") + "."
}
