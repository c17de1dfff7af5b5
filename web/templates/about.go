package templates

import (
	"strconv"
	"time"
)

// About is what there is to know of an agent besides its memories: one field and one component for each section of the tab.
type About struct {
	Frame
	Agent Agent
	Place MemoryPlace
	Work  BackgroundWork
}

// BackgroundWork is what is done for an agent in the background.
type BackgroundWork struct {
	// Model says which one is asked; empty: none, and SwitchOn how to have one asked.
	Model, SwitchOn string
	Jobs            []BackgroundJob // those that are not finished, then the others, the latest first
	// What they have cost in the last Days days.
	Days                      int
	InputTokens, OutputTokens int
	ByDay                     []TokensOfDay // oldest first, in UTC; days without any are left out
}

// BackgroundJob is one piece of it.
type BackgroundJob struct {
	ID            int64
	Kind          string
	State         string // waiting, running, done, failed, cancelled
	Key           string // what it is about; empty: the agent
	Attempts      int
	RunAt         time.Time // when it is, or was, to be begun, in the zone that people see
	FinishedAt    time.Time // zero: it is not
	Said, Problem string
	Model         string // empty: none was asked
	InputTokens   int
	OutputTokens  int
}

// TokensOfDay is what it has cost on a day in UTC.
type TokensOfDay struct {
	Day           time.Time
	Input, Output int
}

// AboutPath returns the address of an agent's About tab.
func AboutPath(slug string) string { return AgentPath(slug, aboutTab) }

func (j BackgroundJob) rowID() string { return "job-" + strconv.FormatInt(j.ID, 10) }

// tone is that of the badge with the state.
func (j BackgroundJob) tone() Tone {
	switch j.State {
	case "done":
		return Good
	case "failed", "cancelled":
		return Warning
	}
	return Quiet
}

// outcome says what came of it until now.
func (j BackgroundJob) outcome() string {
	switch {
	case j.Problem != "" && j.State == "waiting":
		return "It failed and is tried again: " + j.Problem
	case j.Problem != "" && j.State == "failed":
		return "Given up: " + j.Problem
	case j.Problem != "":
		return j.Problem
	case j.Said != "":
		return j.Said
	}
	return "–"
}

// when is the time that matters: when it ended, or when it is to begin.
func (j BackgroundJob) when() time.Time {
	if j.FinishedAt.IsZero() {
		return j.RunAt
	}
	return j.FinishedAt
}

// cost says what it took.
func (j BackgroundJob) cost() string {
	if j.InputTokens+j.OutputTokens == 0 {
		return "–"
	}
	return number(j.InputTokens) + " in, " + number(j.OutputTokens) + " out"
}

// total says what all of it has cost.
func (w BackgroundWork) total() string {
	if w.InputTokens+w.OutputTokens == 0 {
		return "In the last " + number(w.Days) + " days no model was asked."
	}
	return "In the last " + number(w.Days) + " days models were sent " + counted(w.InputTokens, "token", "tokens") + " and have written " +
		counted(w.OutputTokens, "token", "tokens") + "."
}
