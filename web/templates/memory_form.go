package templates

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// MemoryForm is the view of the form for a memory. Its values are the user's input, so that an
// error response loses nothing.
type MemoryForm struct {
	ui.Frame
	Agent Agent
	View  address.View // of the list that the form was opened from
	ID    string       // empty for a new memory
	ETag  string       // the state that the user saw; empty for a new memory

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
	// Secret is what looks like a secret in the submitted text, which was not saved yet. It is empty if
	// nothing does.
	Secret string
	// Revealed reports whether the form has the text of a masked memory.
	Revealed bool
	// Taken is a link to the memory that already has the name. Its label is empty if the name is
	// free.
	Taken ui.Link
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
func ChangedMeanwhile() ui.Banner {
	return ui.Banner{
		Tone:  ui.Warning,
		Title: "Memory has changed",
		Text:  "Nothing was saved. Use theirs, overwrite, or save a merged text.",
		Link:  ui.Link{Label: "Back to editing", Href: "#body"},
	}
}

// DeletedMeanwhile returns the banner for an edit of a memory that was deleted since.
func DeletedMeanwhile() ui.Banner {
	return ui.Banner{
		Tone:  ui.Warning,
		Title: "Memory was deleted",
		Text:  "Nothing was saved. Save your text to restore the memory.",
		Link:  ui.Link{Label: "Back to editing", Href: "#body"},
	}
}

// NotSaved returns the banner for a memory or log entry that was not saved, with the reason.
func NotSaved(reason string) ui.Banner {
	return ui.Banner{Tone: ui.Danger, Title: "Not saved", Text: reason + " Your text is below."}
}

func (v MemoryForm) isNew() bool { return v.ID == "" }

func (v MemoryForm) merges() bool { return v.Theirs != nil && v.Theirs.From != "" }

func (v MemoryForm) title() string {
	if v.Proposal != "" {
		return "Edit suggestion"
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
		return address.ProposalPath(v.Agent.Slug, v.Proposal, "edit")
	}
	if v.Fact != "" {
		return address.FactPath(v.Agent.Slug, v.Fact)
	}
	if v.isNew() {
		return address.NewMemoryPath(v.Agent.Slug)
	}
	return address.MemoryPath(v.Agent.Slug, v.ID, "edit")
}

// isInPane reports whether the form is shown next to the list.
func (v MemoryForm) isInPane() bool { return v.Proposal == "" && v.Fact == "" && v.With == "" }

// back returns the address of the page that the form was opened from.
func (v MemoryForm) back() string {
	view := v.View
	view.Agent = v.Agent.Slug
	if v.isNew() {
		return view.List()
	}
	return view.Memory(v.ID)
}

// draft returns the key under which a browser keeps the unsaved text. It is empty for a text that must
// not be kept: one with a secret, and one that is compared with another.
func (v MemoryForm) draft() string {
	if !v.isInPane() || v.Revealed || v.Secret != "" || v.Theirs != nil {
		return ""
	}
	return v.Agent.Slug + "/" + cmp.Or(v.ID, "new")
}

// summaryLength is the length of a description that agents see whole in an index, in Unicode
// characters (arbitrary, below memories.MaxEntryLength).
const summaryLength = 150

func (v MemoryForm) descriptionCount() string {
	return wording.Number(utf8.RuneCountInString(v.Description)) + " of " + wording.Number(summaryLength)
}

func (v MemoryForm) previewPath() string { return v.path() + "/preview" }

// leave returns the link that leaves the form without saving. It leads to the page or the list from
// which the form is opened.
func (v MemoryForm) leave() ui.Link {
	switch {
	case v.Proposal != "":
		return ui.Link{Label: "Back to suggestions", Href: address.ReviewKindPath(v.Agent.Slug, "suggestion")}
	case v.Theirs != nil && v.Theirs.Deleted:
		return ui.Link{Label: "Leave it deleted", Href: address.MemoryPath(v.Agent.Slug, v.Theirs.ID)}
	case v.merges():
		return ui.Link{Label: "Cancel", Href: address.ReviewKindPath(v.Agent.Slug, "conflict")}
	case v.Theirs != nil:
		return ui.Link{Label: "Use theirs", Href: v.back()}
	case v.Fact != "":
		return ui.Link{Label: "Back to Context", Href: address.IndexPath(v.Agent.Slug)}
	case v.isNew():
		return ui.Link{Label: "Cancel", Href: v.back()}
	default:
		return ui.Link{Label: "Cancel", Href: v.back()}
	}
}

// mine returns the heading over the form's fields if the form also shows another version. The
// method theirs returns the heading over that one.
func (v MemoryForm) mine() string {
	if v.merges() {
		return "Current text"
	}
	return "Yours"
}

func (v MemoryForm) theirs() string {
	switch {
	case v.merges():
		return "Text in " + v.Theirs.From
	case v.Theirs.Deleted:
		return "Deleted text"
	default:
		return "Theirs"
	}
}

func (v MemoryForm) save() string {
	switch {
	case v.Proposal != "":
		return "Accept"
	case v.Theirs != nil && v.Theirs.Deleted:
		return "Save and restore"
	case v.merges():
		return "Save merged version"
	case v.Theirs != nil:
		return "Overwrite"
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
