package pages

import (
	"net/http"
	"time"

	"memoir/internal/diff"
	"memoir/web/templates"
)

// pastLines is the maximum number of lines of the diff between a past CLAUDE.md and today's
// (arbitrary).
const pastLines = 400

// claudeMDAsOf shows the CLAUDE.md that a compilation at that time would have given, and its diff
// to today's.
func (s *site) claudeMDAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	then, err := s.engine.PreviewAsOf(r.Context(), agent.Slug, at)
	if err != nil {
		return err
	}
	now, err := s.engine.Preview(r.Context(), agent.Slug, "")
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.ClaudeMDAsOfPage(templates.ClaudeMDAsOf{
		Agent: agentView(agent), AsOf: templates.AsOf{At: at, Here: templates.AgentPath(agent.Slug, "claude-md")},
		Published: published(agent), Text: text(then.Text), Chars: then.Chars, Memories: len(then.Costs),
		Now: diff.Texts(text(then.Text), text(now.Text), pastLines),
	}))
}
