package templates

import (
	"strings"

	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// MemoryForm is the view of the form for a memory. Its values are the user's input, so that an
// error response loses nothing.
type MemoryForm struct {
	Frame
	Agent Agent
	ID    string // empty for a new memory
	ETag  string // the state that the user saw; empty for a new memory

	Name        string
	Type        memories.Type // empty if not chosen yet
	Team        bool          // whether it belongs to team memory; only a new memory can choose
	Description string
	Body        string

	// Proposal is the id of the edited proposal and Quote its source. Both are empty for other
	// forms.
	Proposal, Quote string

	// Fact is the id of the fact that becomes a memory. It is empty for other forms.
	Fact string

	// Problems are sentences about invalid fields, by field name.
	Problems map[string]string
	// Taken is a link to the memory that already has the name. Its label is empty if the name is
	// free.
	Taken Link
	// Preview is the rendered body.
	Preview markdown.HTML
	// Theirs is the other version to compare with. It is nil if the memory has not changed since.
	Theirs *Theirs
	// With is the id of the version in another file that the form merges, which Theirs then shows.
	// It is empty for other forms.
	With string
}

// Theirs is the view of the other version of an edited memory.
type Theirs struct {
	ID          string
	Name        string
	Type        memories.Type
	Description string
	Body        string
	Deleted     bool   // it has been deleted since
	From        string // the file of the version; empty for the memory's current content
}

// ChangedMeanwhile returns the banner for an edit that was not saved because the memory has changed
// since.
func ChangedMeanwhile() Banner {
	return Banner{
		Tone:  Warning,
		Title: "It changed while you were editing",
		Text: "Nothing was overwritten. What you wrote is kept here, beside what the memory says now. " +
			"Keep what is there, save yours over it, or bring the two together and save.",
		Link: Link{Label: "Go on editing", Href: "#body"},
	}
}

// DeletedMeanwhile returns the banner for an edit of a memory that was deleted since.
func DeletedMeanwhile() Banner {
	return Banner{
		Tone:  Warning,
		Title: "It was deleted while you were editing",
		Text:  "What you wrote is kept here. Save it to bring the memory back with it, or leave the memory deleted.",
		Link:  Link{Label: "Go on editing", Href: "#body"},
	}
}

// NotSaved returns the banner for a memory or log entry that was not saved, with the reason.
func NotSaved(reason string) Banner {
	return Banner{Tone: Danger, Title: "It is not saved", Text: reason + " What you wrote is kept here."}
}

func (v MemoryForm) isNew() bool { return v.ID == "" }

func (v MemoryForm) merges() bool { return v.Theirs != nil && v.Theirs.From != "" }

func (v MemoryForm) title() string {
	if v.Proposal != "" {
		return "Edit the proposal"
	}
	if v.Fact != "" {
		return "Make a memory of it"
	}
	if v.isNew() {
		return "New memory"
	}
	if v.merges() {
		return "Merge two versions"
	}
	return "Edit memory"
}

func (v MemoryForm) path() string {
	if v.Proposal != "" {
		return ProposalPath(v.Agent.Slug, v.Proposal, "edit")
	}
	if v.Fact != "" {
		return FactPath(v.Agent.Slug, v.Fact)
	}
	if v.isNew() {
		return NewMemoryPath(v.Agent.Slug)
	}
	return MemoryPath(v.Agent.Slug, v.ID, "edit")
}

func (v MemoryForm) previewPath() string { return v.path() + "/preview" }

// leave returns the link that leaves the form without saving. It leads to the page or the list from
// which the form is opened.
func (v MemoryForm) leave() Link {
	switch {
	case v.Proposal != "":
		return Link{Label: "Back to suggestions", Href: ReviewKindPath(v.Agent.Slug, "suggestion")}
	case v.Theirs != nil && v.Theirs.Deleted:
		return Link{Label: "Leave it deleted", Href: MemoryPath(v.Agent.Slug, v.Theirs.ID)}
	case v.merges():
		return Link{Label: "Cancel", Href: ReviewKindPath(v.Agent.Slug, "conflict")}
	case v.Theirs != nil:
		return Link{Label: "Keep what is there", Href: MemoryPath(v.Agent.Slug, v.Theirs.ID)}
	case v.Fact != "":
		return Link{Label: "Back to Context", Href: IndexPath(v.Agent.Slug)}
	case v.isNew():
		return Link{Label: "Cancel", Href: MemoriesPath(v.Agent.Slug)}
	default:
		return Link{Label: "Cancel", Href: MemoryPath(v.Agent.Slug, v.ID)}
	}
}

// mine returns the heading over the form's fields if the form also shows another version. The
// method theirs returns the heading over that one.
func (v MemoryForm) mine() string {
	if v.merges() {
		return "What the agent goes by"
	}
	return "What you wrote"
}

func (v MemoryForm) theirs() string {
	switch {
	case v.merges():
		return "What " + v.Theirs.From + " says"
	case v.Theirs.Deleted:
		return "What was deleted"
	default:
		return "What is there now"
	}
}

func (v MemoryForm) save() string {
	switch {
	case v.Proposal != "":
		return "Accept as it is here"
	case v.Theirs != nil && v.Theirs.Deleted:
		return "Save mine and bring it back"
	case v.merges():
		return "Save what I made of them"
	case v.Theirs != nil:
		return "Save mine over it"
	default:
		return "Save"
	}
}

// describedBy returns the HTML ids of the elements that explain a field, separated by spaces: its
// hint and, if there is one, its problem.
func (v MemoryForm) describedBy(field string) string {
	if v.Problems[field] == "" {
		return field + "-hint"
	}
	return field + "-hint " + field + "-problem"
}

func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
