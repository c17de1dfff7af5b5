package templates

import (
	"path/filepath"
	"slices"
	"strings"

	"memoir/web/templates/address"
	"memoir/web/templates/ui"
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

// source returns the origin of a setting: its file, "environment of Memoir", or "–" for the
// default.
func (l DecisionLink) source() string {
	switch {
	case l.Name == "":
		return "–"
	case l.From == "":
		return "environment of Memoir"
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
	return "Not set: " + strings.Join(names, ", ") + "."
}

// verdict returns why a setting does not decide: its problem, that the default is not used,
// or that it has no effect. It is for settings whose Holds is false.
func (l DecisionLink) verdict() string {
	switch {
	case l.Problem != "":
		return l.Problem
	case l.Name == "":
		return "Not used"
	}
	return "No effect"
}

// kind returns in words what the memory of the agent is.
func (p MemoryPlace) kind(a Agent) string {
	switch {
	case p.Scope == "user":
		return "Custom agent of Claude Code, all projects"
	case p.Scope == "project":
		return "Custom agent of Claude Code, shared with the project"
	case p.Scope == "local":
		return "Custom agent of Claude Code, this machine only"
	case a.shares():
		return "Memory shared with all agents"
	case p.ByClaude && p.Project != "":
		return "Claude Code project; its worktrees share it"
	case p.ByClaude:
		return "Claude Code project"
	}
	return "Agent"
}

// isElsewhere reports whether Claude Code keeps the memory in a directory other than dir. It is
// false if Claude Code does not manage the memory, or its directory is unknown.
func (p MemoryPlace) isElsewhere(dir string) bool {
	return p.ByClaude && p.Dir != "" && filepath.Clean(p.Dir) != filepath.Clean(dir)
}

func (a Agent) switchAction() ui.Action {
	if a.MemoryOff {
		return ui.Action{Label: "Turn on", Path: address.AgentPath(a.Slug, settingsTab, "memory", "on"), Style: ui.Primary, Back: address.SettingsPath(a.Slug)}
	}
	return ui.Action{Label: "Turn off", Path: address.AgentPath(a.Slug, settingsTab, "memory", "off"), Back: address.SettingsPath(a.Slug)}
}

// switchText returns whether the agent's memory is on in Memoir, and the effect of that.
func (a Agent) switchText() string {
	switch {
	case a.MemoryOff && a.published():
		return "Off. CLAUDE.md stays, without the request to save. Automation is paused."
	case a.MemoryOff:
		return "Off. Memories stay. Automation is paused. Claude Code’s switch: /memory."
	case a.published():
		return "On. CLAUDE.md asks the agent to save what it learns."
	}
	return "On."
}
