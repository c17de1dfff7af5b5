package pages

import (
	"net/http"

	"memoir/internal/pages/kit"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// liveOf returns the address of the event stream that reloads the agent's pages.
func liveOf(agent records.Agent) string {
	return address.WithQuery(address.EventsPath, map[string]string{address.FieldAgent: agent.Slug})
}

func (s *site) agent(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	http.Redirect(w, r, address.MemoriesPath(agent.Slug), http.StatusSeeOther)
	return nil
}

func agentView(agent records.Agent) templates.Agent {
	return templates.Agent{
		Slug: agent.Slug, Name: agent.DisplayName, Layout: agent.Layout, Dir: agent.Dir, Present: agent.Present,
		MemoryOff: agent.MemoryOff, JoinedTo: agent.JoinedTo, Sessions: agent.Sessions,
		Counts: templates.Counts(agent.Counts),
	}
}

// frame returns the parts that all tabs of an agent have: the event stream, the notice about the
// last action, and banners. There is a banner each for a missing directory, a join to another
// agent, and a CLAUDE.md that could not be written. path is the tab's address, to return to after
// an undo.
func (s *site) frame(r *http.Request, agent records.Agent, path string) (ui.Frame, error) {
	notice, err := s.noticeOf(r, agent, path)
	if err != nil {
		return ui.Frame{}, err
	}
	frame := ui.Frame{Live: liveOf(agent), Notice: notice}
	if !agent.Present {
		frame.Banners = append(frame.Banners, agentView(agent).Gone())
	}
	if agent.JoinedTo != "" {
		frame.Banners = append(frame.Banners, agentView(agent).Joined())
	}
	if problem := agent.ClaudeMD.Problem; problem != "" {
		frame.Banners = append(frame.Banners, templates.ClaudeMDProblem(agent.Slug, problem))
	}
	return frame, nil
}

// forget deletes all data of the agent in the address from the database and redirects to the first
// page. It returns memories.ErrNotFound for an unknown agent. It returns *memories.ConflictError,
// and deletes nothing, if the agent's directory exists or may exist on another server.
func (s *site) forget(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.Forget(r.Context(), kit.Slug(r)); err != nil {
		return err
	}
	return kit.Redirect(w, r, address.HomePath, doneForgotten, "")
}
