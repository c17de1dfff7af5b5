package api

import (
	"context"
	"net/http"

	"memoir/internal/claudesettings"
	"memoir/internal/memories"
)

// AgentAbout is what there is to know of an agent besides its memories.
type AgentAbout struct {
	Memory    string  `json:"memory" enum:"on,off" doc:"Memoir's own switch. off: CLAUDE.md does not ask it to save, and nothing is extracted or consolidated; what it remembers stays."`
	Scope     *string `json:"scope" doc:"Of a custom agent of Claude Code: user, project or local; else null."`
	Project   *string `json:"project" doc:"The absolute path of the project that it is about; null: none, or all."`
	SeenBy    *string `json:"seen_by" doc:"Who else has what it remembers, in a sentence; null: Memoir cannot know."`
	Committed *string `json:"committed" doc:"Of a custom agent in a project what git says of its directory: committed, ignored or unknown; else null."`

	// How Claude Code decides, where it does.
	ClaudeDir      *string        `json:"claude_dir" doc:"Where Claude Code keeps the memory, absolute; null: it keeps none of this agent. Another one than the agent's dir: that is not used any more."`
	ClaudeDirLinks []DecisionLink `json:"claude_dir_links" nullable:"false" doc:"Who was asked for it, in that order; of a custom agent, whose scope says it, nobody is."`
	ClaudeOn       *bool          `json:"claude_on" doc:"Claude Code keeps a memory; null: it does not decide about this agent."`
	ClaudeOnLinks  []DecisionLink `json:"claude_on_links" nullable:"false" doc:"Who was asked whether, in that order."`
}

// DecisionLink is one that can decide.
type DecisionLink struct {
	Name    *string `json:"name" doc:"Of the variable or setting; null: the default."`
	From    *string `json:"from" doc:"The settings file; null: the environment that Memoir runs in, or the default."`
	Source  *string `json:"source" doc:"Whose file that is: managed, local, project or user; else null."`
	Says    *string `json:"says" doc:"As it stands; null: it is silent."`
	Holds   bool    `json:"holds" doc:"It has decided."`
	Problem *string `json:"problem" doc:"Why it counts for nothing although it says something; else null."`
}

// switchingMemory is what can be changed about an agent.
type switchingMemory struct {
	AgentPath
	Body struct {
		Memory string `json:"memory" enum:"on,off"`
	}
}

func (a *api) registerAbout() {
	register(a, get("/agents/{slug}/about", "get-agent-about", "Show where an agent's memory is, who can see it, and whether it is on"), a.getAbout)
	register(a, patch("/agents/{slug}", "patch-agent", "Switch an agent's memory off or on",
		http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType), a.switchMemory)
}

func (a *api) getAbout(ctx context.Context, in *AgentPath) (*answer[AgentAbout], error) {
	about, err := a.aboutOf(ctx, in.Slug)
	return ok(about), err
}

func (a *api) switchMemory(ctx context.Context, in *switchingMemory) (*answer[AgentAbout], error) {
	if in.Body.Memory != "on" && in.Body.Memory != "off" {
		return nil, &memories.InvalidError{Field: "memory", Reason: "is neither on nor off"}
	}
	if _, err := a.engine.SwitchMemory(ctx, in.Slug, in.Body.Memory == "off"); err != nil {
		return nil, err
	}
	about, err := a.aboutOf(ctx, in.Slug)
	return ok(about), err
}

func (a *api) aboutOf(ctx context.Context, slug string) (AgentAbout, error) {
	agent, err := a.store.AgentUncounted(ctx, slug)
	if err != nil {
		return AgentAbout{}, err
	}
	known, err := a.engine.About(ctx, slug)
	if err != nil {
		return AgentAbout{}, err
	}
	about := AgentAbout{
		Memory: "on", Scope: text(known.Scope), Project: text(known.Project), SeenBy: text(known.SeenBy()), Committed: text(known.Committed),
	}
	if agent.MemoryOff {
		about.Memory = "off"
	}
	about.ClaudeDirLinks, about.ClaudeOnLinks = linksOf(known.DirLinks), linksOf(known.OnLinks)
	if known.ByClaude {
		about.ClaudeDir, about.ClaudeOn = text(known.Dir), &known.On
	}
	return about, nil
}

func linksOf(links []claudesettings.Link) []DecisionLink {
	list := make([]DecisionLink, len(links))
	for i, l := range links {
		list[i] = DecisionLink{text(l.Name), text(l.From), text(l.Source), text(l.Says), l.Holds, text(l.Problem)}
	}
	return list
}
