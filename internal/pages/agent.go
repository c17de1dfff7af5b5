package pages

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// liveOf returns the address of the agent's event stream.
func liveOf(agent records.Agent) string {
	return templates.EventsPath + "?" + url.Values{"agent": {agent.Slug}}.Encode()
}

// agent redirects to the agent's Memory tab.
func (s *site) agent(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	http.Redirect(w, r, templates.MemoriesPath(agent.Slug), http.StatusSeeOther)
	return nil
}

// requestedAgent returns the agent that the address of r names. It returns memories.ErrNotFound if
// it does not exist.
func (s *site) requestedAgent(r *http.Request) (records.Agent, error) {
	slug := slugOf(r)
	if !isText(slug) {
		return records.Agent{}, memories.ErrNotFound
	}
	return s.store.Agent(r.Context(), slug)
}

func slugOf(r *http.Request) string { return nameIn(r, "slug") }

// nameIn returns the unescaped URL parameter, or "" if it is malformed. The router unescapes a
// parameter itself unless the address has a raw path.
func nameIn(r *http.Request, place string) string {
	name := chi.URLParam(r, place)
	if r.URL.RawPath == "" {
		return name
	}
	name, err := url.PathUnescape(name)
	if err != nil {
		return ""
	}
	return name
}

// isText reports whether s is not empty and Postgres can store it.
func isText(s string) bool { return s != "" && memories.CanBeText(s) }

func agentView(agent records.Agent) templates.Agent {
	return templates.Agent{
		Slug: agent.Slug, Name: agent.DisplayName, Layout: agent.Layout, Dir: agent.Dir, Present: agent.Present,
		MemoryOff: agent.MemoryOff, JoinedTo: agent.JoinedTo, Sessions: agent.Sessions,
		Counts: templates.Counts{
			Feedback:  agent.Counts.ByType[memories.Feedback],
			User:      agent.Counts.ByType[memories.User],
			Project:   agent.Counts.ByType[memories.Project],
			Reference: agent.Counts.ByType[memories.Reference],

			NeedsAttention: agent.Counts.NeedsAttention,
			Missing:        agent.Counts.Missing,
			MissingByType:  agent.Counts.MissingByType,
			Deleted:        agent.Counts.Deleted,

			Blocked:       agent.Counts.Blocked,
			NotRemoved:    agent.Counts.NotRemoved,
			Disagreements: agent.Counts.Disagreements,
			CitesGone:     agent.Counts.CitesGone,
			Proposals:     agent.Counts.Proposals,
			Team:          agent.Counts.Team,
		},
	}
}

// published reports whether Memoir writes the agent's CLAUDE.md.
func published(agent records.Agent) bool {
	return agents.Agent{Layout: agents.Layout(agent.Layout)}.Published()
}

// frame returns the frame that every tab of an agent has: event stream, notice and banners. path is
// the tab's address.
func (s *site) frame(ctx context.Context, r *http.Request, agent records.Agent, path string) (templates.Frame, error) {
	notice, err := s.noticeOf(ctx, r, agent, path)
	if err != nil {
		return templates.Frame{}, err
	}
	frame := templates.Frame{Live: liveOf(agent), Notice: notice}
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

// forget removes an agent whose directory is missing, with all its data.
func (s *site) forget(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.Forget(r.Context(), slugOf(r)); err != nil {
		return err
	}
	return redirect(w, r, templates.AgentsPath, doneForgotten, "")
}
