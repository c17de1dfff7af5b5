package templates

import (
	"strconv"
	"time"

	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Settings is the view of an agent's Settings tab.
type Settings struct {
	ui.Frame
	Agent Agent
	Place MemoryPlace
	// The state of the agent's CLAUDE.md, if Memoir writes one. ClaudeMDLimit is in characters; 0
	// means no limit. ClaudeMDProblem is empty if there is none.
	ClaudeMDPath, ClaudeMDProblem string
	ClaudeMDWritten               time.Time
	ClaudeMDChars, ClaudeMDLimit  int
	Targets                       []Target // files for other agents; empty if the agent can have none
	// Extraction and Consolidation say whether they run.
	Extraction, Consolidation string
	Gates                     []Gate // the conditions of an automatic consolidation; empty if it is off
	Work                      BackgroundWork
	Meaning                   Meaning
}

// Meaning is the view of the search by meaning. Endpoint is empty if it is off.
type Meaning struct {
	Endpoint, Model              string
	Dimensions                   int // 0 until the endpoint has answered
	Memories, Embedded, Withheld int // of the agent
	TokensToday, DailyTokens     int // of all agents; DailyTokens is 0 without a limit
	// Problem is why the last request failed; empty if it succeeded, and before the first.
	Problem                            string
	ProblemAt, AnsweredAt, PausedUntil time.Time // zero: never
}

// state returns whether the endpoint works, in words.
func (m Meaning) state() (ui.Tone, string) {
	switch {
	case m.Problem != "":
		return ui.Danger, "Failed"
	case m.AnsweredAt.IsZero():
		return ui.Quiet, "Not asked yet"
	case m.DailyTokens > 0 && m.TokensToday >= m.DailyTokens && m.Embedded+m.Withheld < m.Memories:
		return ui.Warning, "Daily limit reached"
	}
	return ui.Good, "Works"
}

// progress returns how many of the agent's memories are embedded, in words.
func (m Meaning) progress() string {
	text := wording.Number(m.Embedded) + " of " + wording.Number(m.Memories)
	if m.Withheld > 0 {
		text += ", " + wording.Number(m.Withheld) + " not sent because of a secret"
	}
	return text
}

// tokens returns today's tokens in words, with their limit.
func (m Meaning) tokens() string {
	if m.DailyTokens == 0 {
		return wording.Number(m.TokensToday) + ", all agents"
	}
	return wording.Number(m.TokensToday) + " of " + wording.Number(m.DailyTokens) + ", all agents"
}

// Gate is the view of a condition of automatic work.
type Gate struct {
	Title string
	Open  bool
	Why   string
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

func (j BackgroundJob) tone() ui.Tone {
	switch j.State {
	case "done":
		return ui.Good
	case "failed", "cancelled":
		return ui.Warning
	}
	return ui.Quiet
}

// result returns the text of the job's result: its problem, else the message that it reported, else
// "–". After a failure the text adds whether Memoir will retry.
func (j BackgroundJob) result() string {
	switch {
	case j.Problem != "" && j.State == "waiting":
		return "Failed, will retry: " + j.Problem
	case j.Problem != "" && j.State == "failed":
		return "Failed: " + j.Problem
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
	return wording.Number(j.InputTokens) + " in, " + wording.Number(j.OutputTokens) + " out"
}

// total returns the number of tokens that all jobs used in the last Days days, in words.
func (w BackgroundWork) total() string {
	return wording.Number(w.InputTokens) + " in, " + wording.Number(w.OutputTokens) + " out"
}
