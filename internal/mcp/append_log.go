package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/sync"
)

type appendLogInput struct {
	Agent string `json:"agent,omitempty" jsonschema:"The slug of the agent whose log it is. May be left out where Memoir knows only one."`
	Text  string `json:"text" jsonschema:"What happened, in Markdown: one thing, short, 64 KiB at most. The time is added."`
	Title string `json:"title,omitempty" jsonschema:"Puts the entry into a file of its own for today, with all else of the same title. Left out, it goes to the log of the day."`
}

// logged says where an entry went.
type logged struct {
	Day  string `json:"day" jsonschema:"As in 2026-11-21."`
	File string `json:"file" jsonschema:"Where it is, relative to the agent's directory."`
	Line string `json:"line" jsonschema:"As it was written."`
}

const toolAppendLog = "append_log"

func (e *endpoint) addAppendLog(server *sdk.Server, agentIsFixed bool) {
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolAppendLog, Title: "Add to the log",
		Description: "Appends an entry to the agent's log of today. The log is only added to: what is there cannot be changed or removed. Use it for what happened, as it happens, in work that goes on for long. What will matter later as a fact or a rule is a memory: save that with save_memory.",
	}, appends, e.appendLog)
}

func (e *endpoint) appendLog(ctx context.Context, in appendLogInput) (logged, error) {
	agent, err := e.agent(ctx, in.Agent)
	if err != nil {
		return logged{}, err
	}
	done, err := e.engine.AppendLog(ctx, agent.Slug, sync.LogEntry{Text: in.Text, Title: in.Title})
	return logged{Day: string(done.Day), File: done.Path, Line: done.Line}, err
}

func (l logged) text() string { return "Added to " + l.File + ":\n" + l.Line }
