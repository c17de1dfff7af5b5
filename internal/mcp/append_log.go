package mcp

import (
	"context"

	"memoir/internal/records"
	engine "memoir/internal/sync"
)

type appendLogInput struct {
	agentSelector
	Text  string `json:"text" jsonschema:"The event, in Markdown: short, one event per entry, at most 64 KiB. The time is added."`
	Title string `json:"title,omitempty" jsonschema:"Puts the entry into a separate file of today, with other entries of the same title. Default: the log of the day."`
}

// logged is the result of append_log.
type logged struct {
	Day  string `json:"day" jsonschema:"Such as 2026-11-21."`
	File string `json:"file" jsonschema:"The log file, relative to the agent's directory."`
	Line string `json:"line" jsonschema:"The entry as written."`
}

const toolAppendLog = "append_log"

func (e *endpoint) appendLog(ctx context.Context, agent records.Agent, in appendLogInput) (logged, error) {
	done, err := e.engine.AppendLog(ctx, agent.Slug, engine.LogEntry{Text: in.Text, Title: in.Title})
	return logged{Day: string(done.Day), File: done.Path, Line: done.Line}, err
}

func (l logged) text() string { return "Added to " + l.File + ":\n" + l.Line }
