package api

import (
	"context"
	"time"

	"memoir/internal/agents"
)

// Session is one conversation in which an agent learned.
type Session struct {
	Name       string     `json:"name" doc:"Of its directory."`
	User       *string    `json:"user" doc:"This and the next two by the name; null where that is not of the form {user}-{channel}-{thread}."`
	Channel    *string    `json:"channel"`
	ThreadAt   *time.Time `json:"thread_at" doc:"When the conversation began."`
	Files      int        `json:"files" doc:"Memory files on disk now."`
	FilesEver  int        `json:"files_ever" doc:"Memory files that were ever seen."`
	ModifiedAt time.Time  `json:"modified_at" doc:"Of the newest of these."`
}

// SessionList is every session of an agent that has ever had a memory file, the newest first.
type SessionList struct {
	Sessions []Session `json:"sessions" nullable:"false"`
}

func (a *api) registerSessions() {
	register(a, get("/agents/{slug}/sessions", "list-sessions", "The conversations in which an agent learned"), a.listSessions)
}

func (a *api) listSessions(ctx context.Context, in *AgentPath) (*answer[SessionList], error) {
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	found, err := a.store.Sessions(ctx, row.ID)
	list := SessionList{Sessions: make([]Session, len(found))}
	for i, session := range found {
		name := agents.ParseSession(session.Name)
		list.Sessions[i] = Session{
			Name: name.Name, User: text(name.User), Channel: text(name.Channel), ThreadAt: moment(name.Thread),
			Files: session.Files, FilesEver: session.Ever, ModifiedAt: session.ModifiedAt,
		}
	}
	return ok(list), err
}
