package templates

import (
	"path"
	"time"

	"memoir/internal/agents"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Agent is the view of the header that every page of an agent has: its name and tabs.
type Agent struct {
	Slug    string
	Name    string // display name: the slug, or a project's path
	Layout  string // an agents.Layout
	Dir     string
	Present bool // false if its directory is missing
	// MemoryOff reports whether its memory is off: it is not asked to save, and nothing is
	// extracted or consolidated.
	MemoryOff bool
	// JoinedTo is the slug of the agent whose directory this agent's link points to. It is empty if
	// the agent has a real directory.
	JoinedTo string
	Counts   Counts
	Sessions int
	// AsOf is the past day that the page shows, on which nothing can be changed. It is zero for now.
	AsOf time.Time
}

// On returns the agent as it was at a time in the past, with the number of its memories then.
func (a Agent) On(at time.Time, memories int) Agent {
	a.AsOf, a.Counts.Total = at, memories
	return a
}

// at returns the address of the page at path on the day that this page shows.
func (a Agent) at(path string) string {
	if a.AsOf.IsZero() {
		return path
	}
	return address.AsOfHref(path, a.AsOf)
}

// published reports whether Memoir writes a CLAUDE.md for the agent, which it does for hive agents
// only.
func (a Agent) published() bool { return agents.Layout(a.Layout).Published() }

// shares reports whether the agent's memories are shared with all other agents.
func (a Agent) shares() bool { return agents.Layout(a.Layout).Rules().IsShared }

// canBeWritten reports whether new memories can be saved: its directory exists, and is not another
// agent's, Memoir may write there, and the page does not show the past.
func (a Agent) canBeWritten() bool {
	return a.Present && a.JoinedTo == "" && a.AsOf.IsZero() && a.keeper() == ""
}

// keeper returns why Memoir only reads the agent's memories, or "" if it changes them too.
func (a Agent) keeper() string {
	if rules := agents.Layout(a.Layout).Rules(); rules.IsReadOnly() {
		return rules.Keeper
	}
	return ""
}

// notesBanner returns the banner that says how changes reach the agent's client.
func (a Agent) notesBanner() ui.Banner {
	return ui.Banner{Tone: ui.Quiet, Title: "Changes are notes for " + agents.Layout(a.Layout).Title(), Text: "They are pending until it has read them."}
}

// takesNotes reports whether Memoir changes the agent's memories by notes for its client.
func (a Agent) takesNotes() bool { return agents.Layout(a.Layout).Rules().TakesNotes() }

// memoryDir returns the directory of the agent's own memory files, not those of sessions.
func (a Agent) memoryDir() string {
	if agents.Layout(a.Layout).Rules().HasSessions {
		return path.Join(a.Dir, "memory")
	}
	return a.Dir
}

// Gone returns the banner for an agent whose directory is missing, with an action to forget it. The
// action asks for confirmation.
func (a Agent) Gone() ui.Banner {
	return ui.Banner{
		Tone:    ui.Warning,
		Title:   "Directory not found",
		Text:    "Memories are kept. Sync resumes when " + a.Dir + " is back.",
		Actions: []ui.Action{a.forgetAction()},
	}
}

func (a Agent) forgetAction() ui.Action {
	return ui.Action{
		Label: "Forget this agent", Path: address.AgentPath(a.Slug, "forget"), Style: ui.Destructive,
		Confirm: "Memories and history are deleted. This cannot be undone.",
	}
}

// Joined returns the banner for an agent whose directory is a link to another agent's. It has a
// link to the other agent, a.JoinedTo.
func (a Agent) Joined() ui.Banner {
	return ui.Banner{
		Tone:  ui.Warning,
		Title: "Shared with " + a.JoinedTo,
		Text:  "This directory is a link to that agent’s. Change memories there.",
		Link:  ui.Link{Label: "Show " + a.JoinedTo, Href: address.MemoriesPath(a.JoinedTo)},
	}
}

// ClaudeMDProblem returns the banner for a CLAUDE.md that could not be written. problem is a
// sentence with the cause.
func ClaudeMDProblem(slug, problem string) ui.Banner {
	return ui.Banner{
		Tone:  ui.Danger,
		Title: "CLAUDE.md not written",
		Text:  problem,
		Link:  ui.Link{Label: "Show context", Href: address.FilePath(slug, address.ClaudeMDFile)},
	}
}

// MissingMemories returns the banner for memories whose files all disappeared in one scan, with
// their names. Its actions write all of them back, or delete all. etag stands for the memories
// shown, so that an action on others is refused.
func MissingMemories(slug string, names []string, etag string) ui.Banner {
	return ui.Banner{
		Tone:  ui.Warning,
		Title: wording.Count(len(names), "missing memory", "missing memories"),
		Text:  "Memories stay active until you decide.",
		Items: names,
		Actions: []ui.Action{
			{Label: "Write all back", Path: address.AgentPath(slug, "missing", "restore"), ETag: etag, Style: ui.Primary},
			{Label: "Delete all", Path: address.AgentPath(slug, "missing", "delete"), ETag: etag, Style: ui.Destructive},
		},
		Link: ui.Link{Label: "Review", Href: address.ReviewKindPath(slug, "missing")},
	}
}

// BlockedReturns returns the banner for n blocked files, whose content was deleted before, with a
// link to their review items.
func BlockedReturns(slug string, n int) ui.Banner {
	return ui.Banner{
		Title: wording.Count(n, "blocked file", "blocked files"),
		Text:  "Deleted content that returns is blocked.",
		Link:  ui.Link{Label: "Review", Href: address.ReviewKindPath(slug, "blocked")},
	}
}
