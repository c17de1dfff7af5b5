package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/web/templates"
)

// sharing is the section about whom an agent has one directory with, or could have.
func (s *site) sharing(ctx context.Context, agent postgres.Agent) (templates.Sharing, error) {
	all, err := s.store.AgentsUncounted(ctx)
	if err != nil {
		return templates.Sharing{}, err
	}
	v := templates.Sharing{Why: agents.CanBeJoined(agentOnDisk(agent))}
	for _, other := range all {
		switch {
		case other.Slug == agent.JoinedTo:
			v.LinkDir = other.Dir
		case other.JoinedTo == agent.Slug:
			v.Joined = append(v.Joined, other.Slug)
		case other.Slug != agent.Slug && other.Present && other.JoinedTo == "" && other.Layout != string(agents.Hive) && other.Layout != string(agents.Shared):
			v.Others = append(v.Others, templates.JoinableWith{Slug: other.Slug, Name: other.DisplayName})
		}
	}
	if !agent.Present {
		v.Why = "Its directory is gone."
	}
	return v, nil
}

func agentOnDisk(agent postgres.Agent) agents.Agent {
	return agents.Agent{Slug: agent.Slug, Layout: agents.Layout(agent.Layout), Dir: agent.Dir, DisplayName: agent.DisplayName, JoinedTo: agent.JoinedTo}
}

// joining shows what joining an agent to another does, while nothing has changed yet.
func (s *site) joining(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	into := r.URL.Query().Get(templates.FieldInto)
	joining, err := s.engine.PreviewJoin(r.Context(), agent.Slug, into)
	if err != nil {
		return asConflict(err)
	}
	v := templates.Joining{Frame: templates.Frame{Live: liveOf(agent)}, Agent: agentView(agent), Into: into, Aside: joining.Aside}
	for _, f := range joining.Files {
		v.Files = append(v.Files, templates.JoiningFile{Path: f.Path, To: f.To, Name: f.Name, Outcome: string(f.Outcome)})
	}
	for _, x := range joining.Index {
		v.Index = append(v.Index, templates.JoiningIndex{Path: x.Path, New: x.New, Lines: x.Lines})
	}
	for _, l := range joining.Left {
		v.Left = append(v.Left, templates.JoiningLeft{Path: l.Path, Why: l.Why})
	}
	return show(w, r, http.StatusOK, templates.JoiningPage(v))
}

// join joins an agent to another.
func (s *site) join(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.engine.Join(r.Context(), slug, r.PostFormValue(templates.FieldInto)); err != nil {
		return asConflict(err)
	}
	return redirect(w, r, templates.AboutPath(slug), doneJoined, "")
}

// part gives a joined agent a directory of its own again.
func (s *site) part(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.engine.Part(r.Context(), slug); err != nil {
		return err
	}
	return redirect(w, r, back(r, templates.AboutPath(slug)), doneParted, "")
}

// asConflict puts what is wrong with the other agent into a sentence: there is no field on the page to show it at.
func asConflict(err error) error {
	if invalid := (*memories.InvalidError)(nil); errors.As(err, &invalid) {
		return &memories.ConflictError{Reason: "The agent to join it to " + invalid.Reason + ". Nothing was changed."}
	}
	return err
}
