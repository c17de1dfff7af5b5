package templates

import (
	"slices"
	"time"

	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Target is the view of a file besides CLAUDE.md into which an agent can be published.
type Target struct {
	Name, File, Readers string
	On                  bool
	InProject           bool // the file is in the repository of a project
	Bytes               int
	SameAs              string // the published file that this one is too, or empty
	Problem             string
	WrittenAt           time.Time
}

func (t Target) rowID() string { return "target-" + t.Name }

// isWritten reports whether the file has the memories.
func (t Target) isWritten() bool {
	return t.On && t.SameAs == "" && t.Problem == "" && !t.WrittenAt.IsZero()
}

// state returns the badge of the target.
func (t Target) state() (tone ui.Tone, text string) {
	switch {
	case t.Problem != "" && t.On:
		return ui.Danger, "Not written"
	case t.Problem != "":
		return ui.Danger, "Not removed"
	case t.SameAs != "":
		return ui.Good, "Same file as " + t.SameAs
	case t.On:
		return ui.Good, "On"
	}
	return ui.Quiet, "Off"
}

func (t Target) switchAction(slug string) ui.Action {
	a := ui.Action{Label: "Publish", About: "to " + t.File, Path: address.TargetPath(slug, t.Name, true), Back: address.SettingsPath(slug), Focus: t.rowID()}
	if t.On {
		a.Label, a.About, a.Path = "Stop", "publishing to "+t.File, address.TargetPath(slug, t.Name, false)
	}
	return a
}

// inProject reports whether the files of the targets are in a repository.
func inProject(all []Target) bool {
	return slices.ContainsFunc(all, func(t Target) bool { return t.InProject })
}
