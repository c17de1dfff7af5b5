package pages

import (
	"net/http"
	"path/filepath"
	"time"

	"memoir/internal/records"
	"memoir/web/templates"
)

// claudeMD shows the CLAUDE.md that the agent's memories give now, and the size of each part. It
// writes no file. If the markers of the file on disk are damaged, it also shows those lines.
func (s *site) claudeMD(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	preview, err := s.engine.Preview(r.Context(), agent.Slug, "")
	if err != nil {
		return err
	}
	here := templates.AgentPath(agent.Slug, "claude-md")
	frame, err := s.frame(r, agent, here)
	if err != nil {
		return err
	}
	for i := range frame.Banners {
		if frame.Banners[i].Link.Href == here {
			frame.Banners[i].Link = templates.Link{}
		}
	}
	return show(w, r, http.StatusOK, templates.ClaudeMDPage(templates.ClaudeMD{
		Frame: frame, Agent: agentView(agent), Published: preview.Published,
		Path: filepath.Join(agent.Dir, agent.ClaudeMD.Path), PublishedAt: local(agent.ClaudeMD.PublishedAt),
		Before: text(preview.Before), After: text(preview.After), Parts: preview.Parts,
		Chars: preview.Chars, Limit: preview.Limit, Damaged: text(preview.OnDisk),
	}))
}

// maxPastLines is the maximum number of lines of the diff between a past CLAUDE.md and today's
// (arbitrary).
const maxPastLines = 400

// claudeMDAsOf shows the CLAUDE.md that the memories of a past moment would have given, and its
// diff to today's. It leaves out memories that were purged since. It returns memories.ErrNotFound
// for an unknown agent.
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
		Now: maskedDiff(text(then.Text), text(now.Text), maxPastLines),
	}))
}
