package api

import (
	"context"
	"time"

	"memoir/internal/agents"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories/claudemd"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// Session is one conversation from which an agent has memory files.
type Session struct {
	Name       string     `json:"name" doc:"Name of the directory."`
	User       *string    `json:"user" doc:"User, channel and thread are parts of the name; null if it is not {user}-{channel}-{thread}."`
	Channel    *string    `json:"channel"`
	ThreadAt   *time.Time `json:"thread_at" doc:"Start of the conversation."`
	Files      int        `json:"files" doc:"Current number of memory files."`
	FilesEver  int        `json:"files_ever" doc:"Number of memory files ever seen."`
	ModifiedAt time.Time  `json:"modified_at" doc:"Modification time of the newest memory file, also if it is gone: its metadata.modified, else that of the file."`
}

// SessionList is one page of an agent's sessions, newest first. A session is listed if it ever had
// a memory file.
type SessionList struct {
	Sessions   []Session `json:"sessions" nullable:"false"`
	NextCursor *string   `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

type listSessionsInput struct {
	AgentPath
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"500"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (a *api) registerSessions() {
	register(a, get("/agents/{slug}/sessions", "list-sessions", "List the conversations that an agent learned from"), ofAgent(a, a.listSessions))
	register(a, get("/agents/{slug}/session-memories", "list-session-memories", "List an agent's session memories, as they are on disk"), a.listSessionMemories)
	register(a, get("/agents/{slug}/sessions/{id}/memory", "get-session-memory", "Get the session memory of one conversation"), a.getSessionMemory)
}

func (a *api) listSessions(ctx context.Context, row records.Agent, in *listSessionsInput) (*answer[SessionList], error) {
	page, err := a.store.Sessions(ctx, row.ID, in.Limit, in.Cursor)
	list := SessionList{Sessions: make([]Session, len(page.Sessions)), NextCursor: wire.Text(page.NextCursor)}
	for i, session := range page.Sessions {
		name := agents.ParseSession(session.Name)
		list.Sessions[i] = Session{
			Name: name.Name, User: wire.Text(name.User), Channel: wire.Text(name.Channel), ThreadAt: wire.Moment(name.Thread),
			Files: session.Files, FilesEver: session.Ever, ModifiedAt: session.ModifiedAt,
		}
	}
	return ok(list), err
}

// SessionMemory is the memory file of one conversation, and whether it is fit for a compaction.
type SessionMemory struct {
	Session    string    `json:"session" doc:"The conversation's id."`
	Path       string    `json:"path" doc:"Absolute path."`
	Text       *string   `json:"text" doc:"Markdown, at most the first MiB; null in a list, or if empty."`
	Size       int64     `json:"size" doc:"Bytes."`
	ModifiedAt time.Time `json:"modified_at"`
	Tokens     int       `json:"tokens" doc:"Estimated: four characters per token."`
	Messages   *int      `json:"messages" doc:"Messages with text in the transcript; 5 means five or more. Null without a transcript."`
	Carries    string    `json:"carries" enum:"yes,no,unknown" doc:"Whether it is long enough for a compaction: 10,000 to 40,000 tokens, and at least 5 messages with text."`
	Reason     string    `json:"reason" doc:"As a sentence."`
}

// SessionMemoryList lists the session memories of an agent, newest first; at most 200.
type SessionMemoryList struct {
	SessionMemories []SessionMemory `json:"session_memories" nullable:"false"`
}

type sessionMemoryInput struct {
	AgentPath
	ID string `path:"id" doc:"The session's name."`
}

func (a *api) listSessionMemories(ctx context.Context, in *AgentPath) (*answer[SessionMemoryList], error) {
	all, err := a.engine.SessionMemories(ctx, in.Slug)
	return ok(SessionMemoryList{wire.List(all, sessionMemoryOf)}), err
}

func (a *api) getSessionMemory(ctx context.Context, in *sessionMemoryInput) (*answer[SessionMemory], error) {
	m, err := a.engine.SessionMemory(ctx, in.Slug, in.ID)
	return ok(sessionMemoryOf(m)), err
}

func sessionMemoryOf(m agents.SessionMemory) SessionMemory {
	carries, reason := claudemd.FitCompaction(m.Tokens, m.Messages)
	described := SessionMemory{
		Session: m.Session, Path: m.Path, Text: wire.Text(quarantine.MaskSecrets(m.Text)), Size: m.Size, ModifiedAt: m.ModifiedAt, Tokens: m.Tokens,
		Carries: string(carries), Reason: reason,
	}
	if m.Messages != claudemd.UncountedMessages {
		described.Messages = &m.Messages
	}
	return described
}
