package templates

import (
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/words"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// MemoryRow is the view of one memory in a list.
type MemoryRow struct {
	memories.Memory
	ETag string
	Age  Age   // hides the method of memories.Memory
	Hits *Hits // hits of the search; nil without a search
	Chip Chip  // the worst that is to say of it
	// At is the time that Ago counts from: of the last change, or of the deletion. It is zero if
	// unknown.
	At     time.Time
	Ago    string // "12 d"
	Tokens int    // in CLAUDE.md, or of the file; 0 if agents do not receive it
}

// Chip is a word about a memory. The zero Chip is none.
type Chip struct {
	Tone ui.Tone
	Text string
}

// Hits are a memory's texts with the hits of a search marked.
type Hits struct {
	Name        []words.Part
	Description []words.Part
	Excerpt     []words.Part // passage with most hits; empty if Description has a hit
}

// excerptLength is the approximate length of an excerpt in bytes, about two lines of a list.
const excerptLength = 140

// HitsOf returns the name and description of m with the hits of a search marked. Only if the
// description has no hit, it adds the passage of the body with the most hits, if the body has any.
func HitsOf(search words.Search, m memories.Memory) *Hits {
	hits := &Hits{Name: search.Mark(m.Name), Description: search.Mark(m.Description)}
	if hit(hits.Description) {
		return hits
	}
	if excerpt := search.Excerpt(m.Body, excerptLength); hit(excerpt) {
		hits.Excerpt = excerpt
	}
	return hits
}

func hit(parts []words.Part) bool {
	return slices.ContainsFunc(parts, func(p words.Part) bool { return p.Hit })
}

func (r MemoryRow) names() []words.Part {
	if r.Hits == nil {
		return shortened([]words.Part{{Text: r.Name}}, maxName)
	}
	return shortened(r.Hits.Name, maxName)
}

// summary returns the text below the name: the passage with hits if there is one, else the
// description, with hits marked in a search.
func (r MemoryRow) summary() []words.Part {
	switch {
	case r.Hits == nil:
		return shortened([]words.Part{{Text: r.Description}}, maxSummary)
	case len(r.Hits.Excerpt) > 0:
		return r.Hits.Excerpt
	default:
		return shortened(r.Hits.Description, maxSummary)
	}
}

func (r MemoryRow) pickLabel() string {
	return "Select " + wording.Visible(shortened([]words.Part{{Text: r.Name}}, maxName)[0].Text)
}

// Path returns the path of the memory's page. The path of its file is r.Memory.Path.
func (r MemoryRow) Path() string { return address.MemoryPath(r.Agent, r.ID) }

// atWords returns the time that Ago counts from, with its meaning.
func (r MemoryRow) atWords() string {
	if r.State == memories.Deleted {
		return "Deleted " + wording.Moment(r.At)
	}
	return "Changed " + wording.Moment(r.At)
}

// Delete returns the action that moves the memory to the trash and then returns to the page back.
// It has an ETag and no confirmation.
func (r MemoryRow) Delete(back string) ui.Action {
	return ui.Action{
		Label: "Delete", About: r.Name, Path: address.MemoryPath(r.Agent, r.ID, "delete"), ETag: r.ETag, Back: back,
		Does: "delete", Icon: "delete", Style: ui.Subtle,
	}
}

// maxName and maxSummary are the maximum lengths of a name and a description in a list, in Unicode
// characters. Both have one line, which shows fewer. They bound the size of the document.
const maxName, maxSummary = 64, 100

// shortened returns a text with at most limit characters, and an ellipsis for the others.
func shortened(all []words.Part, limit int) []words.Part {
	for i, p := range all {
		text := []rune(p.Text)
		if len(text) > limit {
			return append(slices.Clone(all[:i]), words.Part{Text: string(text[:limit]) + "…", Hit: p.Hit})
		}
		limit -= len(text)
	}
	return all
}
