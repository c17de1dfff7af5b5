package pages

import (
	"net/http"
	"path/filepath"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// agents shows a card for each agent, and banners for directories and agents that this server
// cannot scan. Without agents it shows how to add the first one.
func (s *site) agents(w http.ResponseWriter, r *http.Request) error {
	all, err := s.store.Agents(r.Context())
	if err != nil {
		return err
	}
	v := templates.Agents{
		Frame:        templates.Frame{Live: templates.EventsPath, Notice: agentsNotice(r)},
		SearchedDirs: s.places(),
		Samples:      s.options.AddSamples != nil,
	}
	v.Banners = templates.ScanProblems(scanProblems(s.engine.ScanProblems()), engine.RunsAs())
	now := time.Now()
	ids := make([]int64, len(all))
	for i, agent := range all {
		ids[i] = agent.ID
	}
	trends, err := s.trends(r.Context(), ids, now)
	if err != nil {
		return err
	}
	changed, err := s.store.NewestChanges(r.Context(), ids)
	if err != nil {
		return err
	}
	for _, agent := range all {
		v.Cards = append(v.Cards, s.card(agent, trends[agent.ID], changed[agent.ID], now))
	}
	return show(w, r, http.StatusOK, templates.AgentsPage(v))
}

// card returns the view of the agent on the first page. changed is the newest modification time of
// its memories. If it is zero, the card names no time. The size of CLAUDE.md is set only if Memoir
// writes one for the agent.
func (s *site) card(agent records.Agent, trend templates.Trend, changed, now time.Time) templates.AgentCard {
	card := templates.AgentCard{
		Agent:   agentView(agent),
		Problem: agent.ClaudeMD.Problem,
		Trend:   trend,
	}
	if age := memories.AgeOf(changed, now); !age.Unknown {
		card.Updated = "changed " + age.String()
	}
	if published(agent) {
		card.ClaudeMDChars, card.ClaudeMDLimit = agent.ClaudeMD.Chars, s.options.ClaudeMDLimit
	}
	return card
}

// places returns the directories that Memoir searches for agents by its settings: AgentsDir,
// projects and agent-memory below ClaudeDir, each of MemoryDirs, and TeamDir. It omits empty
// settings, and does not check whether the directories exist.
func (s *site) places() []string {
	var places []string
	if dir := s.options.Places.AgentsDir; dir != "" {
		places = append(places, dir)
	}
	if dir := s.options.Places.ClaudeDir; dir != "" {
		places = append(places, filepath.Join(dir, "projects"), filepath.Join(dir, "agent-memory"))
	}
	for _, named := range s.options.Places.MemoryDirs {
		places = append(places, named.Path)
	}
	if dir := s.options.Places.TeamDir; dir != "" {
		places = append(places, dir)
	}
	return places
}

func displayNames(all []records.Agent) map[string]string {
	names := map[string]string{}
	for _, agent := range all {
		names[agent.Slug] = agent.DisplayName
	}
	return names
}

func agentsNotice(r *http.Request) *templates.Notice {
	switch lastAction(r).Get(fieldDone) {
	case doneSamples:
		return newNotice("Three sample agents are here. They are yours to edit and delete.")
	case doneForgotten:
		return newNotice("The agent is forgotten.")
	default:
		return nil
	}
}

// addSamples installs the sample agents, scans all agents, and redirects to the first page. If no
// samples are configured, it does nothing and returns memories.ErrNotFound. If the scan fails, it
// returns the error, and the samples stay installed.
func (s *site) addSamples(w http.ResponseWriter, r *http.Request) error {
	if s.options.AddSamples == nil {
		return memories.ErrNotFound
	}
	if err := s.options.AddSamples(); err != nil {
		return err
	}
	if _, err := s.engine.ScanAll(r.Context()); err != nil {
		return err
	}
	return redirect(w, r, templates.HomePath, doneSamples, "")
}
