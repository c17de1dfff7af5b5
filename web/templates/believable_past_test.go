package templates_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/chart"
	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// chosenDay returns a plausible chart of a number of days, of which the one a month ago is chosen.
func chosenDay(days int) templates.ChosenDay {
	d := templates.ChosenDay{Counts: templates.CountsByType{}, Today: noon, Day: noon.AddDate(0, -1, 0), Now: 43, Then: 31}
	for i := range days {
		d.Days = append(d.Days, noon.AddDate(0, 0, i-days+1))
		for n, t := range append(memories.Types(), "") {
			d.Counts[t] = append(d.Counts[t], i/(3+5*n)-i/30*(n%2))
		}
	}
	d.First = d.Days[0]
	d.Deletions = []chart.Event{{At: noon.AddDate(0, 0, -9), N: 4}, {At: noon.AddDate(0, 0, -2), N: 1}}
	return d
}

const conversation = "U07AB12CD-C02SUPPORT-1741512345.123456"

func believableEvents() []templates.TimelineDay {
	rows := believableRows()
	kinds := append(slices.Clone(memories.ActivityKinds), "recalled")
	today := templates.NewTimelineDay(noon.Truncate(24*time.Hour), noon)
	for i, kind := range kinds {
		row := rows[i%len(rows)]
		e := templates.TimelineEvent{
			Place: fmt.Sprintf("1773057600000000.%d", 100-i), At: noon.Add(-time.Duration(i) * time.Minute), Kind: kind, Name: row.Name, Href: row.Path(), Who: "you", Count: 1,
		}
		switch kind {
		case memories.ActivityLearned:
			e.Who, e.WhoHref, e.SessionID = "the agent, session of 9 Mar", address.SessionEventsPath(slug, conversation), conversation
		case memories.ActivityChanged:
			e.Link = ui.Link{Label: "Diff", Href: address.ChangePath(slug, row.ID, "77b0")}
		case memories.ActivityRenamed:
			e.Word, e.Note = "Shared", "with the team"
		case memories.ActivityDeleted:
			undo := ui.Undo("event", row.Name, "")
			undo.Style, e.Undo = ui.Subtle, &undo
		case memories.ActivityPurged:
			e.Href = ""
		case "recalled":
			e.Prompt, e.Note = strings.Repeat("Can I promise a refund date? ", 10), "and 2 more"
		}
		today.Events = append(today.Events, e)
	}
	before := templates.NewTimelineDay(noon.AddDate(0, 0, -6).Truncate(24*time.Hour), noon)
	scan := templates.TimelineEvent{
		Place: "1772539200000000.-1", At: noon.AddDate(0, 0, -6), Kind: memories.ActivityLearned, Name: "474 memories", Note: "in the first scan", Who: "Memoir", Count: 474,
		MoreHref: "?rest=100",
	}
	scan.Rows = today.Events[:3]
	several := scan
	several.Place, several.Note, several.Name, several.Who, several.Count, several.Rows, several.MoreHref = "1772539200000000.7", "", "14 memories", "a script", 14, nil, ""
	before.Events = []templates.TimelineEvent{scan, several}
	return []templates.TimelineDay{today, before}
}

func timelinePage() templates.Timeline {
	agent := supportBot()
	return templates.Timeline{
		Frame: ui.Frame{Live: address.AgentPath(slug, "events")}, Agent: &agent,
		At:     address.TimelineAddress{Agent: slug, Show: address.ShowEvents, AsOf: noon.AddDate(0, -1, 0), Open: "1772539200000000.-1"},
		Day:    chosenDay(60),
		Since:  templates.Since{Title: "Since 9 February", Learned: 43, Deleted: 12, Changed: 9, Tokens: -2180, HasTokens: true, CompareHref: address.ContextPath(slug)},
		Events: &templates.TimelineEvents{Days: believableEvents(), Next: "?cursor=next"},
	}
}

func timelineOfAll() templates.Timeline {
	v := timelinePage()
	v.Agent = nil
	v.At = address.TimelineAddress{Show: address.ShowEvents, Kind: memories.ActivityLearned, Words: "refund", Actor: memories.ByScript, Cursor: "1772539200000000.7"}
	v.Day.Day = v.Day.Today
	for i := range v.Events.Days {
		for j := range v.Events.Days[i].Events {
			e := &v.Events.Days[i].Events[j]
			e.AgentName, e.AgentHref = "support-bot", address.AgentTimelinePath(slug)
		}
	}
	return v
}

// timelineWith returns the page with another list.
func timelineWith(show string, list func(*templates.Timeline)) templates.Timeline {
	v := timelinePage()
	v.Events, v.At = nil, address.TimelineAddress{Agent: slug, Show: show}
	list(&v)
	return v
}

func sessionRow() templates.SessionRow {
	return templates.SessionRow{
		ID: conversation, Name: "Session of 9 Mar", Href: address.SessionPath(slug, conversation), NameHref: address.SessionPath(slug, conversation) + "#names",
		At: noon, Learned: 3, Recalled: 2, Files: 1, Notes: &templates.SessionMemory{SessionMemory: agents.SessionMemory{Session: conversation, Path: "session-memory/x/memory.md", Tokens: 400, ModifiedAt: noon}},
	}
}

func sessionList(v *templates.Timeline) {
	named := sessionRow()
	named.ID, named.Name, named.NameHref, named.Notes = "scratch", "Mira in #support, 3 Mar", "", nil
	v.Sessions = &templates.TimelineSessions{Rows: []templates.SessionRow{sessionRow(), named}, Next: "?cursor=next", First: "?"}
}

func oneSession(v *templates.Timeline) {
	row := sessionRow()
	row.Notes.Body = "<p>Where we are</p>"
	v.At.Session = conversation
	v.Session = &templates.TimelineSession{
		SessionRow: row, EventsHref: address.SessionEventsPath(slug, conversation),
		MemoriesLearned: []templates.SessionMemoryLink{{Name: "Refund dates", Href: address.MemoryPath(slug, "1"), At: noon}, {Name: "Purged", At: noon}},
		Names:           []templates.SessionNameForm{{Label: "Person", ID: "U07AB12CD", Name: "Mira"}, {Label: "Channel", ID: "C02SUPPORT"}},
	}
}

func logList(v *templates.Timeline) {
	v.Logs = &templates.Logs{
		Agent: supportBot(), Month: "2026-03", Days: []templates.LogDayRow{{Day: "2026-03-09", Files: 2, Entries: 7, Size: 4096, Odd: 1}, {Day: "2026-03-02", Files: 1, Entries: 1, Size: 20}},
		Months: []templates.LogMonth{{Month: "2026-03", Days: 2}, {Month: "2026-01", Days: 20}, {Month: "2025-12", Days: 1}},
		Entry:  templates.LogEntryForm{Text: "Half a thought", Problems: map[string]string{address.FieldTitle: "The title is longer than 256 characters. Nothing was added."}},
	}
}

func logsOfOneDay(v *templates.Timeline) {
	v.LogsOfDay = &templates.LogsOfDay{
		Agent: supportBot(), Day: "2026-03-09", Before: "2026-03-02",
		Logs: []templates.LogText{
			{Path: "memory/logs/2026/03/2026-03-09.md", Body: "<ul><li>09:00 Planted a quince</li></ul>", Entries: 1, Size: 20, ModifiedAt: noon, Problems: []memories.Problem{{Message: "The file has no bullet."}}},
			{Path: "memory/logs/2026/03/2026-03-09-release.md", Title: "Release", Entries: 3, Size: 1 << 21, ModifiedAt: noon, LeftOut: true},
		},
	}
}

func past(path string) templates.AsOf {
	return templates.AsOf{At: noon.AddDate(0, -2, 0), Here: path}
}

// supportBotThen is the agent on the day of past.
func supportBotThen() templates.Agent { return supportBot().On(noon.AddDate(0, -2, 0), 10) }

func memoriesAsOf() templates.MemoriesAsOf {
	v := templates.MemoriesAsOf{Agent: supportBotThen(), AsOf: past(address.MemoriesPath(slug)), Total: 10, MoreHref: "?cursor=next"}
	for i, row := range believableRows() {
		v.Rows = append(v.Rows, templates.MemoryAsOf{MemoryRow: row, Since: []templates.Difference{"", templates.SinceChanged, templates.SinceDeleted}[i%3]})
	}
	return v
}

func memoryThen() templates.MemoryThen {
	row := believableRows()[0]
	row.Readable, row.Memory.Path = true, "memory/feedback_language.md"
	return templates.MemoryThen{
		Agent: supportBotThen(), AsOf: past(row.Path()), MemoryRow: row, Known: true, Body: "<p>Reply in English.</p>",
		Now: templates.MemoryNow{
			Type: memories.Feedback, TypeThen: memories.User,
			Body: diff.Texts("Reply in English.\n", "Reply in the language of the ticket.\n", 100),
		},
	}
}
