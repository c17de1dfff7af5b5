package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
	"memoir/internal/words"
)

const (
	// maxLogBytes is the maximum text of one day in an answer, in bytes. Arbitrary.
	maxLogBytes = 4 << 20
	// excerptLength is the length of the excerpt of a hit, in bytes. Arbitrary.
	excerptLength = 160
)

// LogDay is the summary of an agent's logs of one day.
type LogDay struct {
	Day        logs.Day  `json:"day" format:"date"`
	Files      int       `json:"files"`
	Entries    int       `json:"entries" doc:"Number of bullets."`
	Size       int64     `json:"size" doc:"Bytes of the files."`
	ModifiedAt time.Time `json:"modified_at"`
}

// LogHit is a log that matches a search.
type LogHit struct {
	Day     logs.Day `json:"day" format:"date"`
	Path    string   `json:"path" doc:"Relative to the agent's dir."`
	Title   *string  `json:"title" doc:"Null for the log of the day."`
	Excerpt string   `json:"excerpt" doc:"The text around the words, on one line."`
}

// LogDayList is one page of days with logs. With q, it is one page of the logs that match, and Days
// is empty; otherwise Hits is empty.
type LogDayList struct {
	Days       []LogDay `json:"days" nullable:"false" doc:"Newest first."`
	Hits       []LogHit `json:"hits" nullable:"false" doc:"Newest first."`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

// Log is one log file.
type Log struct {
	Path       string               `json:"path" doc:"Relative to the agent's dir."`
	Title      *string              `json:"title" doc:"Null for the log of the day."`
	Text       *string              `json:"text" doc:"Markdown, at most the last MiB; null if it is empty, unreadable or left out."`
	LeftOut    bool                 `json:"left_out" doc:"True if the earlier logs have 4 MiB already."`
	Entries    int                  `json:"entries"`
	Problems   []wire.MemoryProblem `json:"problems" nullable:"false"`
	Hash       *string              `json:"hash" doc:"SHA-256 of the text that was read, in hexadecimal."`
	Size       int64                `json:"size" doc:"Bytes of the whole file."`
	ModifiedAt time.Time            `json:"modified_at"`
}

// LogsOfDay contains an agent's logs of one day.
type LogsOfDay struct {
	Day    logs.Day  `json:"day" format:"date"`
	Before *logs.Day `json:"before" format:"date" doc:"The previous day with logs."`
	After  *logs.Day `json:"after" format:"date" doc:"The next day with logs."`
	Logs   []Log     `json:"logs" nullable:"false" doc:"The log of the day, then those with a title."`
}

// LogEntry is an entry that was appended, with the file that it is in.
type LogEntry struct {
	Day  logs.Day  `json:"day" format:"date"`
	Path string    `json:"path" doc:"Relative to the agent's dir."`
	At   time.Time `json:"at"`
	Line string    `json:"line" doc:"The entry as written."`
}

type listLogsInput struct {
	AgentPath
	Q      string `query:"q" maxLength:"1000" doc:"Search: all words, any letter case, each as a prefix."`
	Month  string `query:"month" doc:"A month such as 2026-11. Not with q."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page of the same list."`
}

// Resolve returns a 404 problem for an invalid slug, else a 422 problem if q has invalid UTF-8 or a
// NUL character, else nil. huma calls only this method, and not AgentPath.Resolve.
func (in *listLogsInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	return checkText("query.q", in.Q)
}

type logDayInput struct {
	AgentPath
	Day string `path:"day" doc:"Such as 2026-11-21."`
}

type appendLogInput struct {
	AgentPath
	Body struct {
		Text  string     `json:"text" doc:"The event, in Markdown; at most 64 KiB."`
		Title optional   `json:"title,omitempty" required:"false" doc:"Puts the entry into a separate file of that day, with other entries of the same title."`
		At    *time.Time `json:"at,omitempty" required:"false" doc:"Time of the event: today or yesterday, not in the future. Default: now."`
	}
}

type appendLogAnswer struct {
	Status   int
	Location string `header:"Location" doc:"The logs of that day."`
	Body     LogEntry
}

// logsPath is the prefix of the route patterns of logs.
const logsPath = "/api/v1/agents/{slug}/logs"

func (a *api) registerLogs() {
	const all = "/agents/{slug}/logs"
	register(a, get(all, "list-logs", "List the days with logs, or search the logs"), ofAgent(a, a.listLogs))
	register(a, get(all+"/{day}", "get-logs", "Get an agent's logs of one day"), ofAgent(a, a.getLogs))
	op := post(all, "append-log", "Append an entry to an agent's log of today", http.StatusConflict)
	op.DefaultStatus = http.StatusCreated
	register(a, op, a.appendLog)
}

func (a *api) listLogs(ctx context.Context, row records.Agent, in *listLogsInput) (*answer[LogDayList], error) {
	if in.Q != "" {
		return a.searchLogs(ctx, row, in)
	}
	first, last := records.FirstLogDay, records.LastLogDay
	if in.Month != "" {
		month, ok := logs.ParseMonth(in.Month)
		if !ok {
			return nil, &memories.InvalidError{Field: "month", Reason: "must be a month such as 2026-11"}
		}
		first, last = month.Days()
	}
	page, err := a.store.LogDays(ctx, row.ID, first, last, in.Limit, in.Cursor)
	list := LogDayList{Days: make([]LogDay, len(page.Days)), Hits: []LogHit{}, NextCursor: wire.Text(page.NextCursor)}
	for i, d := range page.Days {
		list.Days[i] = LogDay{Day: d.Day, Files: d.Files, Entries: d.Entries, Size: d.Size, ModifiedAt: d.ModifiedAt}
	}
	return ok(list), err
}

func (a *api) searchLogs(ctx context.Context, row records.Agent, in *listLogsInput) (*answer[LogDayList], error) {
	if in.Month != "" {
		return nil, &memories.InvalidError{Field: "month", Reason: "cannot be combined with q"}
	}
	page, err := a.store.SearchLogs(ctx, row.ID, in.Q, in.Limit, in.Cursor)
	list := LogDayList{Days: []LogDay{}, Hits: make([]LogHit, len(page.Logs)), NextCursor: wire.Text(page.NextCursor)}
	for i, l := range page.Logs {
		list.Hits[i] = LogHit{Day: l.Day, Path: l.Path, Title: wire.Text(l.Title)}
		for _, part := range words.Excerpt(l.Text, in.Q, excerptLength) {
			list.Hits[i].Excerpt += part.Text
		}
	}
	return ok(list), err
}

// getLogs answers the logs of one day, with the nearest earlier and later day that have logs. If
// their texts exceed maxLogBytes in total, some are null and their LeftOut is true. It returns
// memories.ErrNotFound if the day is malformed or has no logs.
func (a *api) getLogs(ctx context.Context, row records.Agent, in *logDayInput) (*answer[LogsOfDay], error) {
	day, isDay := logs.ParseDay(in.Day)
	if !isDay {
		return nil, memories.ErrNotFound
	}
	all, err := a.store.Logs(ctx, row.ID, day, day, maxLogBytes)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, memories.ErrNotFound
	}
	before, after, err := a.store.LogsAround(ctx, row.ID, day)
	result := LogsOfDay{Day: day, Before: dayOrNull(before), After: dayOrNull(after), Logs: make([]Log, len(all))}
	for i, l := range all {
		result.Logs[i] = Log{
			Path: l.Path, Title: wire.Text(l.Title), Text: wire.Text(l.Text), LeftOut: l.LeftOut, Entries: l.Entries, Problems: []wire.MemoryProblem{}, Hash: wire.Text(l.Hash),
			Size: l.Size, ModifiedAt: l.ModifiedAt,
		}
		for _, code := range l.Problems {
			result.Logs[i].Problems = append(result.Logs[i].Problems, wire.MemoryProblem(logs.ProblemOf(code)))
		}
	}
	return ok(result), err
}

func dayOrNull(day logs.Day) *logs.Day {
	if day == "" {
		return nil
	}
	return &day
}

func (a *api) appendLog(ctx context.Context, in *appendLogInput) (*appendLogAnswer, error) {
	entry := engine.LogEntry{Text: in.Body.Text}
	if in.Body.Title.value != nil {
		entry.Title = *in.Body.Title.value
	}
	if in.Body.At != nil {
		entry.At = *in.Body.At
	}
	done, err := a.engine.AppendLog(ctx, in.Slug, entry)
	if err != nil {
		return nil, err
	}
	return &appendLogAnswer{
		Status: http.StatusCreated, Location: "/api/v1/agents/" + url.PathEscape(in.Slug) + "/logs/" + string(done.Day),
		Body: LogEntry{Day: done.Day, Path: done.Path, At: done.At, Line: done.Line},
	}, nil
}
