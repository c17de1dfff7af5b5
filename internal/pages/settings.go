package pages

import (
	"context"
	"net/http"
	"time"

	"memoir/internal/claudesettings"
	"memoir/internal/consolidation"
	"memoir/internal/jobs"
	"memoir/internal/model"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

func (s *site) settings(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := templates.Settings{
		Agent: agentView(agent), ClaudeMDPath: agent.ClaudeMD.Path, ClaudeMDProblem: agent.ClaudeMD.Problem,
		ClaudeMDWritten: shown.Local(agent.ClaudeMD.PublishedAt), ClaudeMDChars: agent.ClaudeMD.Chars, ClaudeMDLimit: s.options.ClaudeMDLimit,
		Extraction: "Off", Consolidation: "Off",
	}
	if s.options.Extractor.Reads() {
		v.Extraction = "On: conversations are read when they end"
	}
	var err error
	if v.Place, err = s.memoryPlace(r.Context(), agent); err != nil {
		return err
	}
	if v.Targets, err = s.targets(r.Context(), agent.Slug); err != nil {
		return err
	}
	if v.Work, err = s.backgroundWork(r.Context(), agent); err != nil {
		return err
	}
	if err := s.addConsolidation(r.Context(), &v, agent.Slug); err != nil {
		return err
	}
	if v.Meaning, err = s.meaning(r.Context(), agent); err != nil {
		return err
	}
	if v.Frame, err = s.frame(r, agent, address.SettingsPath(agent.Slug)); err != nil {
		return err
	}
	return kit.Show(w, r, http.StatusOK, templates.SettingsPage(v))
}

// consolidationModes are the modes of consolidation in words.
var consolidationModes = map[consolidation.Mode]string{
	consolidation.Off: "Off", consolidation.Plan: "Plans wait in Review", consolidation.Auto: "Duplicates, replaced memories and dead index lines automatically",
}

// addConsolidation adds the mode of consolidation to v, and its conditions unless it is off.
func (s *site) addConsolidation(ctx context.Context, v *templates.Settings, slug string) error {
	c := s.options.Consolidator
	if c == nil {
		return nil
	}
	o, err := c.Overview(ctx, slug)
	if err != nil || o.Mode == consolidation.Off {
		return err
	}
	v.Consolidation = consolidationModes[o.Mode]
	for _, g := range o.Gates {
		v.Gates = append(v.Gates, templates.Gate{Title: gateTitles[g.Name], Open: g.Open, Why: g.Why})
	}
	return nil
}

// meaning returns the state of the search by meaning. Its Endpoint is empty if it is off.
func (s *site) meaning(ctx context.Context, agent records.Agent) (templates.Meaning, error) {
	if s.options.Embedding == nil {
		return templates.Meaning{}, nil
	}
	status, err := s.options.Embedding.Status(ctx, agent)
	if err != nil {
		return templates.Meaning{}, err
	}
	return templates.Meaning{
		Endpoint: status.Endpoint, Model: status.Model, Dimensions: status.Dimensions,
		Memories: status.Memories, Embedded: status.Embedded, Withheld: status.Withheld,
		TokensToday: int(status.TokensToday), DailyTokens: int(status.DailyTokens),
		Problem: status.Problem, ProblemAt: shown.Local(status.ProblemAt), AnsweredAt: shown.Local(status.AnsweredAt), PausedUntil: shown.Local(status.PausedUntil),
	}, nil
}

// backgroundWork returns at most jobs.MaxListed of the agent's background jobs, unfinished ones
// first, then the newest. It adds the tokens that all the agent's jobs used in the last 30 days,
// per day and in total, and today's tokens for reading conversations if these are limited.
func (s *site) backgroundWork(ctx context.Context, agent records.Agent) (templates.BackgroundWork, error) {
	entries, err := jobs.List(ctx, s.store, agent.ID)
	if err != nil {
		return templates.BackgroundWork{}, err
	}
	cost, err := jobs.CostOf(ctx, s.store, agent.ID, time.Now())
	if err != nil {
		return templates.BackgroundWork{}, err
	}
	work := templates.BackgroundWork{Model: s.options.BackgroundModel, SwitchOn: model.SwitchOn, Days: cost.Days, InputTokens: int(cost.Input), OutputTokens: int(cost.Output)}
	if x := s.options.Extractor; x.Reads() && x.DailyTokens() > 0 {
		used, err := x.TokensToday(ctx)
		if err != nil {
			return templates.BackgroundWork{}, err
		}
		work.ReadingToday, work.ReadingLimit = int(used), int(x.DailyTokens())
	}
	for _, e := range entries {
		work.Jobs = append(work.Jobs, templates.BackgroundJob{
			ID: e.ID, Kind: e.Kind, State: string(e.State), Key: e.Key, Attempts: e.Attempts, RunAt: shown.Local(e.RunAt), FinishedAt: shown.Local(e.FinishedAt),
			Message: e.Message, Problem: e.Problem, Model: e.Model, InputTokens: e.InputTokens, OutputTokens: e.OutputTokens,
		})
	}
	for _, d := range cost.ByDay {
		work.ByDay = append(work.ByDay, templates.TokensOfDay{Day: d.Day, Input: int(d.Input), Output: int(d.Output)})
	}
	return work, nil
}

// memoryPlace returns the scope and project of the agent's memory, and who can see it. If Claude
// Code manages the memory, it adds the directory, whether Claude Code's memory is on, and the
// settings that decide both. It returns memories.ErrNotFound for an unknown agent.
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

// switchMemory returns a handler that switches the memory of the agent in the address off if off is
// true, else on. It deletes no memories. It redirects to the page of the form, by default the
// Settings tab. For an unknown agent the handler returns memories.ErrNotFound.
func (s *site) switchMemory(off bool) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		slug := kit.Slug(r)
		if _, err := s.engine.SwitchMemory(r.Context(), slug, off); err != nil {
			return err
		}
		return kit.Redirect(w, r, kit.Back(r, address.SettingsPath(slug)), doneOf(r, doneSwitched), "")
	}
}
