package pages

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// claudeMD shows an agent's CLAUDE.md as it is compiled, and what each memory costs in it.
func (s *site) claudeMD(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	preview, err := s.engine.Preview(r.Context(), agent.Slug, "")
	if err != nil {
		return err
	}
	entries, err := s.costs(r.Context(), agent, preview)
	if err != nil {
		return err
	}
	frame, err := s.frame(r.Context(), r, agent, templates.AgentPath(agent.Slug, "claude-md"))
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.ClaudeMDPage(templates.ClaudeMD{
		Frame: frame, Agent: agentView(agent), Published: published(agent),
		Path: filepath.Join(agent.Dir, agent.ClaudeMD.Path), PublishedAt: local(agent.ClaudeMD.PublishedAt),
		Text: strings.ToValidUTF8(string(preview.Text), "\uFFFD"), Chars: preview.Chars, Limit: preview.Limit, Entries: entries,
	}))
}

// costs names the memories of a preview. One that came since the preview was made is on the next page.
func (s *site) costs(ctx context.Context, agent postgres.Agent, preview sync.Preview) ([]templates.ClaudeMDEntry, error) {
	sections, _, err := s.store.Sections(ctx, agent.ID)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]memories.Section, len(sections))
	for _, section := range sections {
		byID[section.ID] = section
	}
	entries := make([]templates.ClaudeMDEntry, 0, len(preview.Costs))
	for _, cost := range preview.Costs {
		if section, ok := byID[cost.ID]; ok {
			entries = append(entries, templates.ClaudeMDEntry{
				ID: cost.ID, Name: section.Name, Type: section.Type, Chars: cost.Chars, Short: cost.Listed,
			})
		}
	}
	return entries, nil
}
