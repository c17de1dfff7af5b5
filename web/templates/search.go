package templates

import (
	"context"
	"io"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// Search is the page that finds memories over all agents.
type Search struct {
	Frame
	Query   string        // what was searched for; empty: nothing yet
	Type    memories.Type // the only type shown; empty: all
	Deleted bool          // the trash is searched, and nothing else
	Partial bool          // the search index is still being filled, so that there may be more
	// Near: no memory holds all the words, and these come close.
	Near    bool
	Results []SearchResult
	Total   int // of all hits; more than the results where not all are shown
	// Cursor is where the shown part of a long list begins; empty: at its start.
	Cursor string
	// Next is the cursor of the results after these; empty: there are none.
	Next string
}

// SearchResult is one memory that was found. Its texts are in parts, the hits told from the rest.
type SearchResult struct {
	Agent     string // slug
	AgentName string
	ID        string
	Line      int // of a fact in the index; 0: it is a memory
	Name      []words.Part
	Description,
	Excerpt []words.Part
	Type  memories.Type // empty: it has none
	Age   Age
	State memories.State
}

// kind is what the color of the row stands for.
func (r SearchResult) kind() string {
	if r.Line > 0 {
		return "index"
	}
	return string(r.Type)
}

// path is the page of the memory or of the fact.
func (r SearchResult) path() string {
	if r.Line > 0 {
		return FactPath(r.Agent, r.ID)
	}
	return MemoryPath(r.Agent, r.ID)
}

func (v Search) at(t memories.Type, deleted bool, cursor string) string {
	query := url.Values{}
	if v.Query != "" {
		query.Set(FieldQuery, v.Query)
	}
	if t != "" {
		query.Set(FieldType, string(t))
	}
	if deleted {
		query.Set(FieldState, string(memories.Deleted))
	}
	if cursor != "" {
		query.Set(FieldCursor, cursor)
	}
	if len(query) == 0 {
		return SearchPath
	}
	return SearchPath + "?" + query.Encode()
}

// found says how much was found.
func (v Search) found() string {
	switch {
	case v.Query == "":
		return ""
	case v.Near:
		return "No memory has all of “" + v.Query + "”. " + counted(v.Total, "comes", "come") + " close."
	case v.Deleted:
		return counted(v.Total, "memory", "memories") + " in the trash found for “" + v.Query + "”"
	case slices.ContainsFunc(v.Results, func(r SearchResult) bool { return r.Line > 0 }):
		return counted(v.Total, "result", "results") + " for “" + v.Query + "”, facts in MEMORY.md among them"
	default:
		return counted(v.Total, "memory", "memories") + " found for “" + v.Query + "”"
	}
}

// address is that of the page as it is shown.
func (v Search) address() string { return v.at(v.Type, v.Deleted, v.Cursor) }

// hits shows a text with the hits of a search marked. It is not a component of the template language because that sets
// spaces between the parts of a word.
func hits(parts []words.Part) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range parts {
			text := templ.EscapeString(p.Text)
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
