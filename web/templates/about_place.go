package templates

import (
	"path/filepath"
	"slices"
	"strings"
)

// MemoryPlace is the view of where an agent's memory is, who uses it, and whether it is on.
type MemoryPlace struct {
	Scope   string // user, project or local for a custom agent; else empty
	Project string // absolute path of the agent's project; empty if none or all
	SeenBy  string // a sentence; empty if unknown
	// ByClaude reports whether Claude Code decides both. The fields below are set only then.
	ByClaude bool
	Dir      string
	DirLinks []DecisionLink // empty for a custom agent, whose scope decides
	On       bool
	OnLinks  []DecisionLink
}

// DecisionLink is the view of one setting that can decide where a memory is, or whether it is on.
type DecisionLink struct {
	Name    string // variable or setting; empty for the default
	From    string // settings file; empty for the environment or the default
	Says    string // the value; empty if it is not set
	Holds   bool
	Problem string // why a value is ignored
}

// source returns the origin of a setting: its file, "the environment of Memoir", or "–" for the
// default.
func (l DecisionLink) source() string {
	switch {
	case l.Name == "":
		return "–"
	case l.From == "":
		return "the environment of Memoir"
	}
	return l.From
}

// withValue returns the links that have a value or a problem, in the same order. It does not change
// links.
func withValue(links []DecisionLink) []DecisionLink {
	return slices.DeleteFunc(slices.Clone(links), func(l DecisionLink) bool { return l.Says == "" && l.Problem == "" })
}

// unsetText returns a sentence that lists the settings without a value or a problem. The default
// does not count. It is empty if there are no such settings.
func unsetText(links []DecisionLink) string {
	var names []string
	for _, l := range links {
		if l.Says == "" && l.Problem == "" && l.Name != "" {
			names = append(names, l.Name+" in "+l.source())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Asked as well, and silent: " + strings.Join(names, ", ") + "."
}

// verdict returns why a setting does not decide: its problem, "not needed" for the default, else
// that it has no effect. It is for settings whose Holds is false.
func (l DecisionLink) verdict() string {
	switch {
	case l.Problem != "":
		return l.Problem
	case l.Name == "":
		return "not needed"
	}
	return "leaves it open, or comes after what holds"
}

// scopeText returns a sentence about the owner of the memory. It is a custom agent with its scope,
// Claude Code with its project if any, or an agent outside of Claude Code.
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

// isElsewhere reports whether Claude Code keeps the memory in a directory other than dir. It is
// false if Claude Code does not manage the memory, or its directory is unknown.
func (p MemoryPlace) isElsewhere(dir string) bool {
	return p.ByClaude && p.Dir != "" && filepath.Clean(p.Dir) != filepath.Clean(dir)
}

func (a Agent) switchAction() Action {
	if a.MemoryOff {
		return Action{Label: "Switch memory on", Path: AgentPath(a.Slug, "about", "memory", "on"), Style: Primary, Back: SettingsPath(a.Slug)}
	}
	return Action{Label: "Switch memory off", Path: AgentPath(a.Slug, "about", "memory", "off"), Back: SettingsPath(a.Slug)}
}

// switchText returns a sentence that says whether the agent's memory is on, and the effect of that.
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
