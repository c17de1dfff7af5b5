package templates_test

import (
	"fmt"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates"
)

// growthOf returns a plausible growth over the given number of days.
func growthOf(days int) templates.Growth {
	g := templates.Growth{Counts: templates.CountsByType{}}
	for i := range days {
		g.Times = append(g.Times, noon.AddDate(0, 0, i-days+1))
		for n, t := range append(memories.Types(), "") {
			g.Counts[t] = append(g.Counts[t], i/(3+5*n)-i/30*(n%2))
		}
	}
	return g
}

func agesOf() templates.Ages {
	return templates.Ages{
		Labels: []string{"today", "1–2 days", "3–7 days", "8–30 days", "31–90 days", "older"},
		Counts: templates.CountsByType{
			memories.Feedback: {3, 1, 4, 9, 2, 0}, memories.User: {0, 1, 2, 3, 0, 0}, memories.Project: {1, 0, 0, 2, 1, 0},
			memories.Reference: {0, 0, 1, 1, 5, 0}, "": {1, 0, 0, 0, 0, 0},
		},
	}
}

func believableEntries() []memories.Activity {
	rows := believableRows()
	const conversation = "U07AB12CD-C02SUPPORT-1741512345.123456"
	entry := func(n int, row templates.MemoryRow, kind memories.ActivityKind, actor memories.Actor, session string, ago time.Duration) memories.Activity {
		return memories.Activity{
			ID: int64(n), At: noon.Add(-ago), Agent: slug, MemoryID: row.ID, Exists: kind != memories.ActivityPurged, Name: row.Name, Kind: kind,
			Actor: actor, Path: "memory/feedback_language.md", Session: session, Type: row.Type, Hash: fmt.Sprintf("%064x", n),
		}
	}
	const day = 24 * time.Hour
	entries := []memories.Activity{
		entry(12, rows[0], memories.ActivityChanged, memories.BySession, conversation, 5*time.Minute),
		entry(11, rows[1], memories.ActivityVerified, memories.ByBrowser, "", time.Hour),
		entry(10, rows[3], memories.ActivityLearned, memories.BySession, conversation, 2*time.Hour),
		entry(9, rows[5], memories.ActivityDeleted, memories.ByScript, "", day),
		entry(8, rows[5], memories.ActivityBlocked, memories.BySession, "scratch", day+time.Hour),
		entry(7, rows[5], memories.ActivityAllowed, memories.ByBrowser, "", day+2*time.Hour),
		entry(6, rows[6], memories.ActivityMissing, memories.ByDisk, "", 6*day),
		entry(5, rows[6], memories.ActivityReturned, memories.ByDisk, "", 6*day+time.Hour),
		entry(4, rows[7], memories.ActivityRestored, memories.ByMemoir, "", 6*day+time.Hour),
		entry(3, rows[4], memories.ActivityPurged, memories.ByBrowser, "", 6*day+2*time.Hour),
		entry(2, rows[9], memories.ActivityCleared, memories.ByDisk, "", 6*day+3*time.Hour),
	}
	entries[2].Renamed = "Mira likes lists"
	return entries
}

func activityPage() templates.Activity {
	agent := supportBot()
	v := templates.Activity{
		Frame: templates.Frame{Live: templates.AgentPath(slug, "events")}, Agent: &agent,
		Days: templates.ByDay(believableEntries(), nil, noon), Growth: growthOf(60), Ages: agesOf(), AsOf: noon,
	}
	v.Older = templates.Older{Href: v.At(v.Filter, templates.FieldShown, "150"), Grows: true}
	return v
}

func activityOfAll() templates.Activity {
	v := templates.Activity{
		Days: templates.ByDay(believableEntries(), map[string]string{slug: "support-bot"}, noon), FirstHref: "/activity",
		Filter: templates.ActivityFilter{Kind: memories.ActivityLearned, Session: "U07AB12CD-C02SUPPORT-1741512345.123456"},
	}
	v.Older = templates.Older{Href: v.At(v.Filter, templates.FieldCursor, "next")}
	return v
}

func past(path string) templates.AsOf {
	return templates.AsOf{At: noon.AddDate(0, -2, 0), Here: path}
}

func memoriesAsOf() templates.MemoriesAsOf {
	v := templates.MemoriesAsOf{Agent: supportBot(), AsOf: past(templates.MemoriesPath(slug)), Total: 10, MoreHref: "?cursor=next"}
	for i, row := range believableRows() {
		v.Rows = append(v.Rows, templates.MemoryAsOf{MemoryRow: row, Since: []string{"", "changed since", "deleted since"}[i%3]})
	}
	return v
}

func memoryThen() templates.MemoryThen {
	row := believableRows()[0]
	row.Readable, row.Memory.Path = true, "memory/feedback_language.md"
	return templates.MemoryThen{
		Agent: supportBot(), AsOf: past(row.Path()), MemoryRow: row, Known: true, Body: "<p>Reply in English.</p>",
		Now: templates.MemoryNow{
			Type: memories.Feedback, TypeThen: memories.User,
			Body: diff.Texts("Reply in English.\n", "Reply in the language of the ticket.\n", 100),
		},
	}
}
