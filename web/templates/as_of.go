package templates

import (
	"net/url"
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// AsOfHref returns the address of a page as it was at a past moment.
func AsOfHref(path string, at time.Time) string {
	return path + "?" + url.Values{FieldAsOf: {at.UTC().Format(time.RFC3339Nano)}}.Encode()
}

// localInput is how a browser's field for a date and a time writes one.
const localInput = "2006-01-02T15:04"

// AsOf says at which past moment a page shows things. It is read only.
type AsOf struct {
	At time.Time // in the zone that people see
	// Here is the page's address without the moment: the same, as it is now.
	Here string
}

// when names the moment in the middle of a line, title at its start.
func (a AsOf) when() string  { return "as of " + a.At.Format("2 January 2006, 15:04") }
func (a AsOf) title() string { return "A" + a.when()[1:] }

func (a AsOf) at(path string) string { return AsOfHref(path, a.At) }

// MemoriesAsOf is what an agent remembered at a past moment.
type MemoriesAsOf struct {
	Frame
	Agent Agent
	AsOf  AsOf
	Type  memories.Type // the only type shown; empty: all
	Rows  []MemoryAsOf
	Total int
	// MoreHref and FirstHref are the addresses of the rows after these and of the first ones; empty: there are none, or
	// they are here.
	MoreHref, FirstHref string
}

// MemoryAsOf is a memory in the list of a past moment.
type MemoryAsOf struct {
	MemoryRow
	// Since says what happened to it afterwards, in a word; empty: it is as it was.
	Since string
}

// href is the memory's page at the moment of the list.
func (v MemoriesAsOf) href(m MemoryAsOf) string { return v.AsOf.at(m.Path()) }

// asOfGroup is the rows of one type.
type asOfGroup struct {
	Type  memories.Type
	Title string
	Rows  []MemoryAsOf
}

// groups puts the rows into the order of the types; those that need attention come last.
func (v MemoriesAsOf) groups() []asOfGroup {
	var all []asOfGroup
	for _, t := range drawnTypes() {
		g := asOfGroup{Type: t, Title: typeName(t)}
		for _, row := range v.Rows {
			if row.Type == t {
				g.Rows = append(g.Rows, row)
			}
		}
		if len(g.Rows) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// MemoryThen is one memory at a past moment, with what has changed in it since.
type MemoryThen struct {
	Frame
	Agent Agent
	AsOf  AsOf
	MemoryRow
	// Known says that there was such a memory; otherwise the rest is as it is now.
	Known    bool
	Body     markdown.HTML
	Readable bool
	File     string // that it came from, relative to the agent's directory
	// Now compares with today: what the memory says, and whether it is still alive.
	Now MemoryNow
}

// MemoryNow is what has become of a memory since a past moment.
type MemoryNow struct {
	Deleted     bool
	Purged      bool
	Type        memories.Type
	TypeThen    memories.Type
	Description diff.Diff
	Body        diff.Diff
}

// same says that it says today what it said then.
func (n MemoryNow) same() bool {
	return n.Type == n.TypeThen && len(n.Description.Hunks)+len(n.Body.Hunks) == 0
}

// ClaudeMDAsOf is what an agent's CLAUDE.md had said, had it been compiled at a past moment.
type ClaudeMDAsOf struct {
	Frame
	Agent     Agent
	AsOf      AsOf
	Published bool
	Text      string
	Chars     int
	Memories  int // that it was compiled from
	Now       diff.Diff
}
