package wire

import (
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Agent is an agent in the API's responses.
type Agent struct {
	Slug      string    `json:"slug"`
	Name      string    `json:"name" doc:"Display name: the project's path, or the directory's name."`
	Layout    string    `json:"layout" enum:"hive,claude,directory,shared,qwen,gemini,codex,openclaw,memory-bank,letta" doc:"shared: the directory for all agents (--team-dir)."`
	Dir       string    `json:"dir" doc:"Absolute path."`
	Present   bool      `json:"present" doc:"False if the directory is missing. The agent stays, with all its memories."`
	JoinedTo  *string   `json:"joined_to" doc:"The slug of the agent that this directory links to. Memories and changes belong to that agent. Null if the agent has its own directory."`
	Counts    Counts    `json:"counts"`
	Sessions  int       `json:"sessions"`
	ClaudeMD  ClaudeMD  `json:"claude_md"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Counts is the numbers of an agent's memories. The types count active memories. Total counts all
// memories that are not deleted.
type Counts struct {
	Feedback       int `json:"feedback"`
	User           int `json:"user"`
	Project        int `json:"project"`
	Reference      int `json:"reference"`
	NeedsAttention int `json:"needs_attention"`
	Missing        int `json:"missing"`
	Deleted        int `json:"deleted"`
	Total          int `json:"total"`
	Review         int `json:"review" doc:"Items of the review."`
}

// ClaudeMD is the state of an agent's CLAUDE.md.
type ClaudeMD struct {
	Path        *string    `json:"path" doc:"The file with the compiled memories, relative to dir: CLAUDE.md, or an AGENTS.md that Claude Code reads instead. Null if the layout has none."`
	PublishedAt *time.Time `json:"published_at"`
	Chars       int        `json:"chars" doc:"Unicode characters of the whole file."`
	Limit       int        `json:"limit" doc:"Unicode characters; memories beyond it become one line each."`
	Problem     *string    `json:"problem" doc:"Why the file is not written; null if it is."`
}

// AgentList is the response with all agents.
type AgentList struct {
	Agents []Agent `json:"agents" nullable:"false"`
}

// AgentOf returns row as the API sends it. Without a target of a join, JoinedTo is null; so are the
// path, time and problem of CLAUDE.md if they are empty. limit is the maximum length of a
// CLAUDE.md, in characters; it becomes ClaudeMD.Limit.
func AgentOf(row records.Agent, limit int) Agent {
	byType := row.Counts.ByType
	return Agent{
		Slug: row.Slug, Name: row.DisplayName, Layout: row.Layout, Dir: row.Dir, Present: row.Present, JoinedTo: Text(row.JoinedTo),
		Counts: Counts{
			Feedback: byType[memories.Feedback], User: byType[memories.User],
			Project: byType[memories.Project], Reference: byType[memories.Reference],
			NeedsAttention: row.Counts.NeedsAttention, Missing: row.Counts.Missing, Deleted: row.Counts.Deleted,
			Total: row.Counts.Total, Review: row.Counts.Review,
		},
		Sessions: row.Sessions,
		ClaudeMD: ClaudeMD{
			Path: Text(row.ClaudeMD.Path), PublishedAt: Moment(row.ClaudeMD.PublishedAt), Chars: row.ClaudeMD.Chars,
			Limit: limit, Problem: Text(row.ClaudeMD.Problem),
		},
		UpdatedAt: row.UpdatedAt.UTC(),
	}
}
