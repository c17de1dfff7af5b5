package templates

import (
	"slices"

	"memoir/internal/agents"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// AllMemories is the view of the memories of all agents.
type AllMemories struct {
	ui.Frame
	Query, Layout, Agent, Type string // the filters, as the address states them
	layouts, agents            []choice
	Near                       bool // no memory has all the words, so that these are close matches
	Rows                       []SearchResult
	Total                      int    // on all pages
	Cursor                     string // the start of this page; empty on the first one
	Next                       string // the start of the next page; empty on the last one
}

// choice is an option of a filter.
type choice struct{ value, text string }

// AddAgent adds an agent, and its layout, to the options of the filters.
func (v *AllMemories) AddAgent(slug, name, layout string) {
	v.agents = append(v.agents, choice{slug, name})
	added := choice{layout, agents.Layout(layout).Title()}
	if !slices.Contains(v.layouts, added) {
		v.layouts = append(v.layouts, added)
	}
}

// at returns the address of the list with the same filters, from cursor on.
func (v AllMemories) at(cursor string) string {
	return address.WithQuery(address.AllMemoriesPath, map[string]string{
		address.FieldQuery: v.Query, address.FieldLayout: v.Layout, address.FieldAgent: v.Agent, address.FieldType: v.Type, address.FieldCursor: cursor,
	})
}

// found returns in words how many memories the list has.
func (v AllMemories) found() string {
	if v.Near {
		return "No exact results. " + wording.Count(v.Total, "similar memory", "similar memories")
	}
	return wording.Count(v.Total, "memory", "memories")
}
