package pages

import (
	"context"
	"net/http"

	"memoir/internal/claudesettings"
	"memoir/internal/records"
	"memoir/web/templates"
)

// memoryPlace returns the agent's memory directory, its memory switch, and the settings that decide
// both.
func (s *site) memoryPlace(ctx context.Context, agent records.Agent) (templates.MemoryPlace, error) {
	about, err := s.engine.About(ctx, agent.Slug)
	if err != nil {
		return templates.MemoryPlace{}, err
	}
	return templates.MemoryPlace{
		Scope: string(about.Scope), Project: about.Project, SeenBy: about.SeenBy(), ByClaude: about.ByClaude,
		Dir: about.Dir, DirLinks: decisionLinks(about.DirLinks), On: about.On, OnLinks: decisionLinks(about.OnLinks),
	}, nil
}

func decisionLinks(links []claudesettings.Link) []templates.DecisionLink {
	views := make([]templates.DecisionLink, len(links))
	for i, l := range links {
		views[i] = templates.DecisionLink{Name: l.Name, From: l.From, Says: l.Says, Holds: l.Holds, Problem: l.Problem}
	}
	return views
}

// switchMemory returns a handler that turns an agent's memory off or on.
func (s *site) switchMemory(off bool) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		slug := slugOf(r)
		if _, err := s.engine.SwitchMemory(r.Context(), slug, off); err != nil {
			return err
		}
		return redirect(w, r, back(r, templates.AboutPath(slug)), doneSwitched, "")
	}
}
