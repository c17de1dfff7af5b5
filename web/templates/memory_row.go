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

// MemoryRow is one memory in a list.
type MemoryRow struct {
	Agent       string // slug
	ID          string
	ETag        string
	Name        string
	Type        memories.Type // empty: it has none
	Team        bool          // it is in team memory
	Description string
	State       memories.State
	Problems    []memories.Problem
	Age         Age
	Session     string // which session wrote it; empty: the agent itself
	Chars       int    // what it costs in CLAUDE.md, in Unicode characters; 0: nothing
	Listed      bool   // it stands there with one line only, because the limit is reached
	Hits        *Hits  // what a search has found in it; nil: nothing is searched for
}

// Hits is what a search has found in a memory: its texts in parts, the hits told from the rest.
type Hits struct {
	Name        []words.Part
	Description []words.Part
	Excerpt     []words.Part // the passage of the body that has the most; none: the description has a hit, or the body none
}

// excerptLength is about how long the passage is that a row shows of a body, in bytes: two lines of a list.
const excerptLength = 140

// HitsOf returns what a search has found in a memory.
func HitsOf(search words.Search, m memories.Memory) *Hits {
	hits := &Hits{Name: search.Mark(m.Name), Description: search.Mark(m.Description)}
	if hit(hits.Description) {
		return hits // and what the body has is not looked for
	}
	if excerpt := search.Excerpt(m.Body, excerptLength); hit(excerpt) {
		hits.Excerpt = excerpt
	}
	return hits
}

func hit(parts []words.Part) bool {
	return slices.ContainsFunc(parts, func(p words.Part) bool { return p.Hit })
}

// names returns the parts of the row's name.
func (r MemoryRow) names() []words.Part {
	if r.Hits == nil {
		return []words.Part{{Text: r.Name}}
	}
	return r.Hits.Name
}

// says returns what stands below the name: the description, or where the hit is in the body alone, that passage.
func (r MemoryRow) says() []words.Part {
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

// Delete returns the action that deletes the memory and comes back to the page at back.
func (r MemoryRow) Delete(back string) Action {
	return Action{
		Label: "Delete", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "delete"), ETag: r.ETag, Back: back,
		Does: "delete", Icon: "delete", Style: Subtle,
	}
}

// Deleted returns the notice after a deletion, with the way back.
func Deleted(agent, id, name, back string) Notice {
	return Notice{
		Text: "Deleted “" + name + "”.",
		Actions: []Action{{
			Label: "Undo", About: "the deletion of " + name, Path: MemoryPath(agent, id, "restore"), Back: back,
			Does: "undo", Focus: RowID(id), Style: Primary,
		}},
	}
}

// cost says what the memory takes in CLAUDE.md; empty: it is in none.
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

// parts writes a text with its hits marked, and no space between two parts that is not in the text.
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

// sessionBriefly names a session in a row: who, where, and the day.
func sessionBriefly(name string) string {
	s := agents.ParseSession(name)
	if s.User == "" {
		return name
	}
	return s.User + " in " + s.Channel + ", " + s.Thread.Local().Format("2 Jan 2006")
}
