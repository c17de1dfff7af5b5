package listview

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/internal/words"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Groups returns the groups of a page, in the order of the page. near means that the memories only
// have words similar to the query.
func Groups(v address.View, list records.MemoryList, page records.MemoryListPage, now time.Time) []templates.Group {
	var groups []templates.Group
	mark := func(*templates.MemoryRow) {}
	if list.Query != "" {
		search := words.For(list.Query)
		if page.Near {
			search = search.Near()
		}
		mark = func(row *templates.MemoryRow) {
			row.Hits = templates.HitsOf(search, row.Memory)
		}
	}
	part := records.MemoryPart(0)
	for _, m := range page.Rows {
		if m.Part != part {
			part = m.Part
			groups = append(groups, templates.Group{Type: part.Type(), Flat: part == records.FlatPart, First: m.Place, Total: page.Totals[part]})
		}
		g := &groups[len(groups)-1]
		row := Row(m, now)
		mark(&row)
		g.Rows = append(g.Rows, row)
	}
	return groups
}

// partOfKey returns the group with a key of the header templates.RowsHeader.
func partOfKey(key string) (part records.MemoryPart, ok bool) {
	switch key {
	case "all":
		return records.FlatPart, true
	case "attention":
		return records.AttentionPart, true
	}
	part = records.PartOf(memories.Type(key))
	return part, part != records.AttentionPart
}

// newFor is how long a memory is marked as new.
const newFor = 24 * time.Hour

// Row returns the row of a memory at a time.
func Row(m records.ListedMemory, now time.Time) templates.MemoryRow {
	age := m.Age(now)
	row := templates.MemoryRow{
		Memory: m.Memory, ETag: records.ETag(m.Memory), Chip: chipOf(m, now),
		Age: templates.Age{Text: age.String(), Stale: age.Stale, Warning: age.Warning()},
	}
	row.At = m.ModifiedAt
	switch {
	case m.State == memories.Deleted:
		row.At = m.DeletedAt
	case age.Unknown:
		row.At = time.Time{}
	}
	row.At, row.Ago = shown.Local(row.At), Ago(row.At, now)
	if m.IsQuarantined() || m.State == memories.Deleted || m.State == memories.NeedsAttention {
		return row
	}
	row.Tokens = claudemd.ApproximateTokens(cmp.Or(m.ClaudeMDChars, int(m.Size)))
	return row
}

// chipOf returns the worst that is to say of a memory, or the zero Chip.
func chipOf(m records.ListedMemory, now time.Time) templates.Chip {
	has := func(code string) bool {
		return slices.ContainsFunc(m.Problems, func(p memories.Problem) bool { return p.Code == code })
	}
	switch {
	case m.NotRemoved:
		return templates.Chip{Tone: ui.Danger, Text: "File left"}
	case has(memories.CodeSecret):
		return templates.Chip{Tone: ui.Danger, Text: "Secret"}
	case has(memories.CodeInjection):
		return templates.Chip{Tone: ui.Danger, Text: "Injection"}
	case m.State == memories.Deleted:
		return templates.Chip{}
	case m.Pending() == memories.PendingDeletion:
		return templates.Chip{Tone: ui.Warning, Text: "Deletion pending"}
	case m.Pending() != "":
		return templates.Chip{Tone: ui.Warning, Text: "Pending"}
	case m.Conflict != memories.NoConflict:
		return templates.Chip{Tone: ui.Warning, Text: "Conflict"}
	case m.Found(findings.Contradiction):
		return templates.Chip{Tone: ui.Warning, Text: "Contradiction"}
	case m.State == memories.Missing:
		return templates.Chip{Tone: ui.Warning, Text: "Missing"}
	case m.State == memories.NeedsAttention && !m.Readable:
		return templates.Chip{Tone: ui.Warning, Text: "Broken"}
	case m.State == memories.NeedsAttention:
		return templates.Chip{Tone: ui.Warning, Text: "No type"}
	case m.Found(findings.Expired):
		return templates.Chip{Tone: ui.Warning, Text: "Expired"}
	case m.Age(now).IsUnchecked(m.Type):
		return templates.Chip{Text: "Unchecked"}
	case m.Team:
		return templates.Chip{Text: "Team"}
	case m.Readable && now.Sub(m.ModifiedAt) < newFor:
		return templates.Chip{Tone: ui.Good, Text: "New"}
	}
	return templates.Chip{}
}

// Ago returns the time since t in the fewest characters: "now", "5 min", "3 h", "12 d". The zero time
// is "–".
func Ago(t, now time.Time) string {
	since := now.Sub(t)
	switch {
	case t.IsZero():
		return "–"
	case since < time.Minute:
		return "now"
	case since < time.Hour:
		return fmt.Sprintf("%d min", since/time.Minute)
	case since < 24*time.Hour:
		return fmt.Sprintf("%d h", since/time.Hour)
	default:
		return fmt.Sprintf("%d d", since/(24*time.Hour))
	}
}
