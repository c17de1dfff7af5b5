package templates

import (
	"strings"

	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// MemoryForm is the page on which a memory is written or edited. What it holds is what the person typed, so that
// nothing typed is ever lost to an answer.
type MemoryForm struct {
	Frame
	Agent Agent
	ID    string // of the memory that is edited; empty: a new one
	ETag  string // the state that the person saw; empty for a new one

	Name        string
	Type        memories.Type // empty: none is chosen yet
	Team        bool          // it is to be in team memory; of a new one, that can be chosen
	Description string
	Body        string

	// Proposal is the id of the proposal that is edited before it is accepted, and Quote what it comes from; empty: it is none.
	Proposal, Quote string

	// Fact is the id of the fact of the index that becomes a memory; empty: there is none.
	Fact string

	// Problems says of each field that could not be taken why, in whole sentences, by the field's name.
	Problems map[string]string
	// Taken is the living memory that has the name already; without a label there is none.
	Taken Link
	// Preview is the body as it will be read.
	Preview markdown.HTML
	// Theirs is what the memory says by now, where that is not what the person began with; nil: it is.
	Theirs *Theirs
	// With names the version of another file that the form is merged with, and that Theirs is then; empty: none.
	With string
}

// Theirs is the other version of a memory that changed while somebody edited it.
type Theirs struct {
	ID          string
	Name        string
	Type        memories.Type
	Description string
	Body        string
	Deleted     bool   // it went to the trash meanwhile
	From        string // which file says it; empty: it is what the memory says by now
}

// ChangedMeanwhile returns the banner for an edit that was not saved because the memory is not what it was.
func ChangedMeanwhile() Banner {
	return Banner{
		Tone:  Warning,
		Title: "It changed while you were editing",
		Text: "Nothing was overwritten. What you wrote is kept here, beside what the memory says now. " +
			"Keep what is there, save yours over it, or bring the two together and save.",
		Link: Link{Label: "Go on editing", Href: "#body"},
	}
}

// DeletedMeanwhile returns the banner for an edit of a memory that was deleted in the meantime.
func DeletedMeanwhile() Banner {
	return Banner{
		Tone:  Warning,
		Title: "It was deleted while you were editing",
		Text:  "What you wrote is kept here. Save it to bring the memory back with it, or leave the memory deleted.",
		Link:  Link{Label: "Go on editing", Href: "#body"},
	}
}

// NotSaved returns the banner for a memory that could not be saved, for a reason that is no single field's.
func NotSaved(reason string) Banner {
	return Banner{Tone: Danger, Title: "It is not saved", Text: reason + " What you wrote is kept here."}
}

func (v MemoryForm) isNew() bool { return v.ID == "" }

// merges reports whether the form brings the memory together with what another file says.
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

// leave is where to go without saving.
func (v MemoryForm) leave() Link {
	switch {
	case v.Proposal != "":
		return Link{Label: "Back to the proposals", Href: ProposalsPath(v.Agent.Slug)}
	case v.Theirs != nil && v.Theirs.Deleted:
		return Link{Label: "Leave it deleted", Href: MemoryPath(v.Agent.Slug, v.Theirs.ID)}
	case v.merges():
		return Link{Label: "Cancel", Href: MemoryPath(v.Agent.Slug, v.ID, "versions")}
	case v.Theirs != nil:
		return Link{Label: "Keep what is there", Href: MemoryPath(v.Agent.Slug, v.Theirs.ID)}
	case v.Fact != "":
		return Link{Label: "Back to the index", Href: IndexPath(v.Agent.Slug)}
	case v.isNew():
		return Link{Label: "Cancel", Href: MemoriesPath(v.Agent.Slug)}
	default:
		return Link{Label: "Cancel", Href: MemoryPath(v.Agent.Slug, v.ID)}
	}
}

// mine is the heading over the fields, and theirs that of the other version.
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

// describedBy names the elements that explain a field: its hint, and its problem where it has one.
func (v MemoryForm) describedBy(field string) string {
	if v.Problems[field] == "" {
		return field + "-hint"
	}
	return field + "-hint " + field + "-problem"
}

// sameText reports whether two texts read the same, whatever blank space stands around them.
func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
