package templates

import (
	"path/filepath"
	"slices"
	"strings"
)

// MemoryPlace is where an agent's memory is, for whom it is, and whether one is kept.
type MemoryPlace struct {
	Scope   string // of a custom agent: user, project or local; else empty
	Project string // the absolute path of the project that it is about; empty: none, or all
	SeenBy  string // a sentence; empty: Memoir cannot know
	// ByClaude: Claude Code decides where and whether. The rest is only said then.
	ByClaude bool
	Dir      string
	DirLinks []DecisionLink // of a custom agent, whose scope says it, there are none
	On       bool
	OnLinks  []DecisionLink
}

// DecisionLink is one that can decide where a memory is, or whether one is kept.
type DecisionLink struct {
	Name    string // of the variable or setting; empty: the default
	From    string // the settings file; empty: the environment, or the default
	Says    string // empty: it is silent
	Holds   bool
	Problem string // why it counts for nothing although it says something
}

// who names a link.
func (l DecisionLink) who() string {
	switch {
	case l.Name == "":
		return "–"
	case l.From == "":
		return "the environment of Memoir"
	}
	return l.From
}

// speaking are the links that say something.
func speaking(links []DecisionLink) []DecisionLink {
	return slices.DeleteFunc(slices.Clone(links), func(l DecisionLink) bool { return l.Says == "" && l.Problem == "" })
}

// silent names the other links; empty: there are none.
func silent(links []DecisionLink) string {
	var names []string
	for _, l := range links {
		if l.Says == "" && l.Problem == "" && l.Name != "" {
			names = append(names, l.Name+" in "+l.who())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Asked as well, and silent: " + strings.Join(names, ", ") + "."
}

// verdict says what became of it.
func (l DecisionLink) verdict() string {
	switch {
	case l.Problem != "":
		return l.Problem
	case l.Name == "":
		return "not needed"
	}
	return "leaves it open, or comes after what holds"
}

// scopeText says what the scope means.
func (p MemoryPlace) scopeText() string {
	switch p.Scope {
	case "user":
		return "A custom agent of Claude Code that remembers for its user, in all projects."
	case "project":
		return "A custom agent of Claude Code that remembers for everybody who works on " + p.Project + "."
	case "local":
		return "A custom agent of Claude Code that remembers for its user alone, in " + p.Project + "."
	}
	switch {
	case p.ByClaude && p.Project != "":
		return "What Claude Code remembers of " + p.Project + ". Worktrees of one repository share it."
	case p.ByClaude:
		return "What Claude Code remembers."
	}
	return "An agent of its own, in no scope of Claude Code's."
}

// isElsewhere says that Claude Code keeps the memory in another directory than the one that is shown.
func (p MemoryPlace) isElsewhere(dir string) bool {
	return p.ByClaude && p.Dir != "" && filepath.Clean(p.Dir) != filepath.Clean(dir)
}

// switchAction switches the agent's memory the other way.
func (a Agent) switchAction() Action {
	if a.MemoryOff {
		return Action{Label: "Switch memory on", Path: AgentPath(a.Slug, "about", "memory", "on"), Style: Primary, Back: AboutPath(a.Slug)}
	}
	return Action{Label: "Switch memory off", Path: AgentPath(a.Slug, "about", "memory", "off"), Back: AboutPath(a.Slug)}
}

// switchText says what Memoir's own switch does as it stands.
func (a Agent) switchText() string {
	switch {
	case a.MemoryOff && a.published():
		return "Switched off in Memoir: CLAUDE.md does not ask the agent to save, and nothing is extracted or consolidated. What it remembers stays, and stays in CLAUDE.md."
	case a.MemoryOff:
		return "Switched off in Memoir: nothing is extracted or consolidated. What it remembers stays. Claude Code has a switch of its own, /memory."
	case a.published():
		return "Switched on in Memoir: CLAUDE.md asks the agent to save what it learns."
	}
	return "Switched on in Memoir."
}
