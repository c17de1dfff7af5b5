package templates

import (
	"context"
	"io"
	"slices"

	"github.com/a-h/templ"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/words"
)

// MemoryRow is the view of one memory in a list.
type MemoryRow struct {
	Agent       string // the slug
	ID          string
	ETag        string
	Name        string
	Type        memories.Type // empty if it has no type
	Team        bool          // whether it is in team memory
	Description string
	State       memories.State
	Problems    []memories.Problem
	Age         Age
	Session     string // the session that wrote it; empty for the agent itself
	Chars       int    // size in CLAUDE.md, in Unicode characters; 0 if it is not there
	Listed      bool   // only one line in CLAUDE.md, because of the limit
	Hits        *Hits  // hits of the search; nil without a search
}

// Hits are a memory's texts with the hits of a search marked.
type Hits struct {
	Name        []words.Part
	Description []words.Part
	Excerpt     []words.Part // passage with most hits; empty if Description has a hit
}

// excerptLength is the approximate length of an excerpt in bytes, about two lines of a list.
const excerptLength = 140

// HitsOf returns the hits of a search in a memory.
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
		return []words.Part{{Text: r.Name}}
	}
	return r.Hits.Name
}

// summary returns the text below the name: the excerpt if it has hits, else the description.
func (r MemoryRow) summary() []words.Part {
	switch {
	case r.Hits == nil:
		return []words.Part{{Text: r.Description}}
	case len(r.Hits.Excerpt) > 0:
		return r.Hits.Excerpt
	default:
		return r.Hits.Description
	}
}

// NewMemoryRow returns the row of a memory.
func NewMemoryRow(m memories.Memory, etag string, age Age) MemoryRow {
	return MemoryRow{
		Agent:       m.Agent,
		ID:          m.ID,
		ETag:        etag,
		Name:        m.Name,
		Type:        m.Type,
		Team:        m.Team,
		Description: m.Description,
		State:       m.State,
		Problems:    m.Problems,
		Age:         age,
		Session:     m.Session,
		Chars:       m.ClaudeMDChars,
		Listed:      m.ClaudeMDListed,
	}
}

// Path returns the page of the memory.
func (r MemoryRow) Path() string { return MemoryPath(r.Agent, r.ID) }

// Delete returns the action that deletes the memory and returns to the page back.
func (r MemoryRow) Delete(back string) Action {
	return Action{
		Label: "Delete", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "delete"), ETag: r.ETag, Back: back,
		Does: "delete", Icon: "delete", Style: Subtle,
	}
}

// Deleted returns the notice about a deletion, with an undo.
func Deleted(agent, id, name, back string) Notice {
	return Notice{
		Text: "Deleted “" + name + "”.",
		Actions: []Action{{
			Label: "Undo", About: "the deletion of " + name, Path: MemoryPath(agent, id, "restore"), Back: back,
			Does: "undo", Focus: RowID(id), Style: Primary,
		}},
	}
}

// cost returns the memory's size in CLAUDE.md in words. It is empty if the memory is not there.
func (r MemoryRow) cost(a Agent) string {
	switch {
	case !a.published() || r.Type == "" || r.Chars == 0:
		return ""
	case r.Listed:
		return "index line"
	default:
		return counted(r.Chars, "character", "characters")
	}
}

// parts writes a text with its hits marked. It is not a template because a template would add
// spaces.
func parts(all []words.Part) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range all {
			text := templ.EscapeString(visible(p.Text))
			if p.Hit {
				text = "<mark>" + text + "</mark>"
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// sessionBriefly returns a session's user, channel and day, or name if name does not contain them.
func sessionBriefly(name string) string {
	s := agents.ParseSession(name)
	if s.User == "" {
		return name
	}
	return s.User + " in " + s.Channel + ", " + s.Thread.Local().Format("2 Jan 2006")
}
