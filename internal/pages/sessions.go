package pages

import (
	"net/http"
	"net/url"

	"memoir/internal/agents"
	"memoir/internal/records"
	"memoir/web/templates"
)

// sessionRows is the maximum number of sessions on a page (arbitrary).
const sessionRows = 200

// sessions shows an agent's sessions and session notes.
func (s *site) sessions(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	path, cursor := templates.AgentPath(agent.Slug, "sessions"), r.URL.Query().Get(templates.FieldCursor)
	page, err := s.store.Sessions(r.Context(), agent.ID, sessionRows, cursor)
	if err != nil {
		return err
	}
	frame, err := s.frame(r.Context(), r, agent, path)
	if err != nil {
		return err
	}
	v := templates.Sessions{Frame: frame, Agent: agentView(agent)}
	for _, session := range page.Sessions {
		v.Rows = append(v.Rows, sessionRow(session))
	}
	noted, err := s.engine.SessionMemories(r.Context(), agent.Slug)
	if err != nil {
		return err
	}
	for _, m := range noted {
		v.Memories = append(v.Memories, sessionMemoryView(m))
	}
	if page.NextCursor != "" {
		v.MoreHref = path + "?" + url.Values{templates.FieldCursor: {page.NextCursor}}.Encode()
	}
	if cursor != "" {
		v.FirstHref = path
	}
	return show(w, r, http.StatusOK, templates.SessionsPage(v))
}

func sessionRow(session records.Session) templates.SessionRow {
	name := agents.ParseSession(session.Name)
	return templates.SessionRow{
		Name: name.Name, User: name.User, Channel: name.Channel, ThreadAt: local(name.Thread),
		Files: session.Files, Present: session.Files > 0,
	}
}
