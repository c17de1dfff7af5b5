package pages

import (
	"net/http"
	"path/filepath"
	"strings"

	"memoir/web/templates"
)

// claudeMD shows an agent's compiled CLAUDE.md and the size of each part.
func (s *site) claudeMD(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	preview, err := s.engine.Preview(r.Context(), agent.Slug, "")
	if err != nil {
		return err
	}
	here := templates.AgentPath(agent.Slug, "claude-md")
	frame, err := s.frame(r.Context(), r, agent, here)
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
		Before: valid(preview.Before), After: valid(preview.After), Parts: preview.Parts,
		Chars: preview.Chars, Limit: preview.Limit, Damaged: valid(string(preview.OnDisk)),
	}))
}

// valid replaces the invalid UTF-8 in text.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
