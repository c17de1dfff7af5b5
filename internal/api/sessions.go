package api

import (
	"context"
	"time"

	"memoir/internal/agents"
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
	ModifiedAt time.Time  `json:"modified_at" doc:"Modification time of the newest one."`
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
	register(a, get("/agents/{slug}/sessions", "list-sessions", "List the conversations that an agent learned from"), a.listSessions)
}

func (a *api) listSessions(ctx context.Context, in *listSessionsInput) (*answer[SessionList], error) {
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
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
