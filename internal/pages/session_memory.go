package pages

import (
	"net/http"

	"memoir/internal/agents"
	"memoir/internal/markdown"
	"memoir/internal/memories/claudemd"
	"memoir/web/templates"
)

// sessionMemory shows the notes of one conversation.
func (s *site) sessionMemory(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	session := nameIn(r, "session")
	m, err := s.engine.SessionMemory(r.Context(), agent.Slug, session)
	if err != nil {
		return err
	}
	v := templates.SessionMemoryView{Agent: agentView(agent), SessionMemory: sessionMemoryView(m)}
	links := links{ctx: r.Context(), store: s.store, agent: agent, view: templates.View{Agent: agent.Slug}}
	if v.Body, err = markdown.Render(m.Text, links.resolve); err != nil {
		return err
	}
	if links.err != nil {
		return links.err
	}
	if v.Frame, err = s.frame(r.Context(), r, agent, templates.SessionMemoryPath(agent.Slug, session)); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.SessionMemoryPage(v))
}

func sessionMemoryView(m agents.SessionMemory) templates.SessionMemory {
	carries, reason := claudemd.FitCompaction(m.Tokens, m.Messages)
	return templates.SessionMemory{
		Session: m.Session, Path: m.Path, Size: m.Size, ModifiedAt: local(m.ModifiedAt), Tokens: m.Tokens, Messages: m.Messages,
		Carries: carries, Reason: reason,
	}
}
