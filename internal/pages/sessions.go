package pages

import (
	"net/http"

	"memoir/internal/agents"
	"memoir/internal/postgres"
	"memoir/web/templates"
)

// sessions shows the conversations in which an agent learned.
func (s *site) sessions(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	found, err := s.store.Sessions(r.Context(), agent.ID)
	if err != nil {
		return err
	}
	frame, err := s.frame(r.Context(), r, agent, templates.AgentPath(agent.Slug, "sessions"))
	if err != nil {
		return err
	}
	v := templates.Sessions{Frame: frame, Agent: agentView(agent)}
	for _, session := range found {
		v.Rows = append(v.Rows, sessionRow(session))
	}
	return show(w, r, http.StatusOK, templates.SessionsPage(v))
}

func sessionRow(session postgres.Session) templates.SessionRow {
	name := agents.ParseSession(session.Name)
	return templates.SessionRow{
		Name: name.Name, User: name.User, Channel: name.Channel, ThreadAt: local(name.Thread),
		Files: session.Files, Present: session.Files > 0,
	}
}
