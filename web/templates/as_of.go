package templates

import (
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// AsOf is the past moment that a read-only page shows.
type AsOf struct {
	At time.Time // in the time zone of the page
	// Here is the page's address without the moment.
	Here string
}

// day returns the day, with the time unless that is the end of the day.
func (a AsOf) day() string {
	if a.At.Hour() == 23 && a.At.Minute() == 59 {
		return a.At.Format("2 Jan 2006")
	}
	return a.At.Format("2 Jan 2006, 15:04")
}

func (a AsOf) when() string { return "on " + a.day() }

func (a AsOf) at(path string) string { return address.AsOfHref(path, a.At) }

// MemoriesAsOf is the view of an agent's memories at a past moment.
type MemoriesAsOf struct {
	ui.Frame
	Agent Agent
	AsOf  AsOf
	Type  memories.Type // the only type shown; empty for all
	Rows  []MemoryAsOf
	Total int
	// Learned and Deleted are the numbers of memories that exist now only, and existed then only.
	Learned, Deleted int
	// MoreHref is the address of the next rows, or empty at the end. FirstHref is the address of
	// the first rows, or empty on their own page.
	MoreHref, FirstHref string
}

// MemoryAsOf is the view of a memory in the list of a past moment.
type MemoryAsOf struct {
	MemoryRow
	Since Difference
}

// Difference is the change to a memory since a past day.
type Difference string

// The changes. The zero Difference means that the memory is the same.
const (
	SinceDeleted Difference = "Deleted since"
	SinceChanged Difference = "Changed since"
)

func (c Difference) sign() string {
	switch c {
	case SinceDeleted:
		return "−"
	case SinceChanged:
		return "±"
	default:
		return ""
	}
}

func (c Difference) tone() ui.Tone {
	if c == SinceDeleted {
		return ui.Danger
	}
	return ui.Quiet
}

// row returns the row, with what has become of the memory as its chip.
func (m MemoryAsOf) row() MemoryRow {
	if m.Since != "" {
		m.Chip = Chip{Tone: m.Since.tone(), Text: m.Since.sign() + " " + string(m.Since)}
	}
	return m.MemoryRow
}

func (v MemoriesAsOf) href(m MemoryAsOf) string { return v.AsOf.at(m.Path()) }

type asOfGroup struct {
	Type  memories.Type
	Title string
	Rows  []MemoryAsOf
}

// groups returns the rows by type, in the order of the types, each group in the order of the rows.
// Memories without a type are last. Types without rows are omitted.
func (v MemoriesAsOf) groups() []asOfGroup {
	var all []asOfGroup
	for _, t := range drawnTypes() {
		g := asOfGroup{Type: t, Title: wording.TypeName(t)}
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

// MemoryThen is the view of one memory at a past moment, with its changes since.
type MemoryThen struct {
	ui.Frame
	Agent Agent
	AsOf  AsOf
	MemoryRow
	// Known reports whether the memory existed then. If not, the other fields have the current
	// values.
	Known bool
	Body  markdown.HTML
	// Now is the comparison with the current memory.
	Now MemoryNow
}

// MemoryNow is the view of a memory's changes since a past moment.
type MemoryNow struct {
	Deleted     bool
	Purged      bool
	Type        memories.Type
	TypeThen    memories.Type
	Description diff.Diff
	Body        diff.Diff
}

func (n MemoryNow) same() bool {
	return n.Type == n.TypeThen && len(n.Description.Hunks)+len(n.Body.Hunks) == 0
}
