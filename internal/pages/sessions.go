package pages

import (
	"net/http"

	"memoir/internal/agents"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories/claudemd"
	"memoir/internal/records"
	"memoir/web/templates"
)

// maxSessions is the maximum number of sessions on a page (arbitrary).
const maxSessions = 200

// sessions shows one page of an agent's sessions that have or had memory files, and the session
// memories of all its conversations.
func (s *site) sessions(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	path, cursor := templates.AgentPath(agent.Slug, "sessions"), r.URL.Query().Get(templates.FieldCursor)
	page, err := s.store.Sessions(r.Context(), agent.ID, maxSessions, cursor)
	if err != nil {
		return err
	}
	frame, err := s.frame(r, agent, path)
	if err != nil {
		return err
	}
	v := templates.Sessions{Frame: frame, Agent: agentView(agent)}
	for _, session := range page.Sessions {
		name := agents.ParseSession(session.Name)
		name.Thread = local(name.Thread)
		v.Rows = append(v.Rows, templates.SessionRow{Session: name, Files: session.Files, LastMemoryAt: local(session.ModifiedAt)})
	}
	noted, err := s.engine.SessionMemories(r.Context(), agent.Slug)
	if err != nil {
		return err
	}
	for _, m := range noted {
		v.Memories = append(v.Memories, sessionMemoryView(m))
	}
	v.MoreHref, v.FirstHref = pageLinks(path, cursor, page.NextCursor)
	return show(w, r, http.StatusOK, templates.SessionsPage(v))
}

// sessionMemory shows the session memory of the session in the address; a text that is too large
// is cut. It returns memories.ErrNotFound if the session has no such file, and
// *memories.ConflictError if the file cannot be opened or read.
func (s *site) sessionMemory(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	session := nameIn(r, "session")
	m, err := s.engine.SessionMemory(r.Context(), agent.Slug, session)
	if err != nil {
		return err
	}
	m.Text = quarantine.MaskSecrets(m.Text)
	v := templates.SessionMemoryView{Agent: agentView(agent), SessionMemory: sessionMemoryView(m)}
	if v.Body, err = s.linksOf(r.Context(), agent).render(m.Text); err != nil {
		return err
	}
	if v.Frame, err = s.frame(r, agent, templates.SessionMemoryPath(agent.Slug, session)); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.SessionMemoryPage(v))
}

func sessionMemoryView(m agents.SessionMemory) templates.SessionMemory {
	carries, reason := claudemd.FitCompaction(m.Tokens, m.Messages)
	m.ModifiedAt = local(m.ModifiedAt)
	return templates.SessionMemory{SessionMemory: m, Carries: carries, Reason: reason}
}
