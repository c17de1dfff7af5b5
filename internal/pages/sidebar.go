package pages

import (
	"context"
	"net/http"
	"os"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/pages/homeview"
	"memoir/internal/records"
	"memoir/web/templates/ui"
)

// maxSideAgents is the number of agents in the sidebar (arbitrary). The first page lists all.
const maxSideAgents = 40

// recently is how long an agent is marked after it has learned something.
const recently = 24 * time.Hour

// once returns a handler that calls next with a context in which homeview reads the agents once.
func once(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(homeview.Once(r.Context())))
	})
}

// sidebar returns the navigation of every page. It is empty if the database does not respond, so
// that an error page needs none.
func (s *site) sidebar(ctx context.Context) ui.Sidebar {
	all, changed, err := homeview.AgentsAndChanges(ctx, s.store)
	if err != nil {
		return ui.Sidebar{}
	}
	var v ui.Sidebar
	slices.SortStableFunc(all, func(a, b records.Agent) int { return changed[b.ID].Compare(changed[a.ID]) })
	labels := agents.Labels(displayNamesOf(all), home())
	files := 0
	for i, agent := range all {
		v.Review += agent.Counts.Review
		files += agent.Counts.Total
		switch {
		case agent.Counts.Total == 0:
			v.More++
			v.Empty++
		case len(v.Agents) == maxSideAgents:
			v.More++
		default:
			v.Agents = append(v.Agents, ui.SidebarAgent{
				Slug: agent.Slug, Label: labels[i].Name, Place: labels[i].Parent, Review: agent.Counts.Review,
				Share: s.contextShare(agent), Learned: time.Since(changed[agent.ID]) < recently,
			})
		}
	}
	v.Health = s.health(ctx, files)
	return v
}

// displayNamesOf returns the display names of the agents, in their order.
func displayNamesOf(all []records.Agent) []string {
	names := make([]string, len(all))
	for i, agent := range all {
		names[i] = agent.DisplayName
	}
	return names
}

// home returns the home directory, or an empty path if it is unknown.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// contextShare returns the length of the agent's CLAUDE.md in percent of its limit, or 0 if Memoir
// writes none.
func (s *site) contextShare(agent records.Agent) int {
	if !agents.Layout(agent.Layout).Published() || s.options.ClaudeMDLimit == 0 {
		return 0
	}
	return 100 * agent.ClaudeMD.Chars / s.options.ClaudeMDLimit
}

// health returns the state of the mirror for the sidebar. files is the number of memories.
func (s *site) health(ctx context.Context, files int) ui.Health {
	if n := len(s.engine.ScanProblems(ctx)); n > 0 {
		return ui.FailingHealth(n)
	}
	return ui.HealthOf(s.engine.Pending(), files)
}
