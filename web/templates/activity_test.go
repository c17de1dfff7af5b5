package templates_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/web/templates"
)

func TestByDay_GroupsAndLinks(t *testing.T) {
	t.Parallel()
	expect(t, templates.ActivityPage(activityPage()),
		in(".day h3", each("Today", "Yesterday", "Tuesday, 3 March 2026")),
		in(".day:first-of-type .event", count(3)),
		in(".day > header a", count(2)),
		in("#day-2026-03-08 > header a",
			text("Everything as it was then , at the end of Yesterday"), attr("href", "/agents/support-bot/memory?as_of=2026-03-08T23%3A59%3A59.999999Z")),
		in("#event-10",
			in(".badge", text("Learned")),
			in(".event-time", attr("href", "/agents/support-bot/memory?as_of=2026-03-09T10%3A00%3A00Z")),
			in(".event-name a", text("Mira prefers tables")),
			in(".facts", says("by U07AB12CD in C02SUPPORT, 9 Mar 2025"), says("renamed from “Mira likes lists”"), says("What it said")),
		),
		in(`.facts a[href^="/agents/support-bot/activity?session="]`, count(3)),
		in("#event-3", without(".event-name a")),
		in(".event .badge", each("Changed", "Still true", "Learned", "Deleted", "Kept out", "Let in", "Missing", "Found again", "Restored", "Gone for good", "Cleared up")),
	)
}

func TestActivityPage_NamesAgents(t *testing.T) {
	t.Parallel()
	expect(t, templates.ActivityPage(activityOfAll()),
		in(".event:first-child .facts a:first-child", attr("href", "/agents/support-bot/activity")),
		in(".narrowed", says("Only U07AB12CD in C02SUPPORT"), in("a", attr("href", "/activity?kind=learned"))),
		in("#activity-filters", in("option[selected]", text("Learned")), in("input[name=session]", count(1))),
		in(".more a", each("Back to the newest", "Older")),
		in("main", without("#as-of"), without(".pictures")),
	)
}

func TestByDay_ClockChange(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, berlin)
	at := func(day, hour int) memories.Activity {
		return memories.Activity{At: time.Date(2026, 3, day, hour, 30, 0, 0, berlin).UTC(), Name: "Tabs"}
	}
	days := templates.ByDay([]memories.Activity{at(30, 0), at(29, 23), at(29, 4), at(29, 0), at(28, 23)}, nil, now)
	var titles []string
	for _, d := range days {
		titles = append(titles, d.Title)
	}
	if want := []string{"Today", "Yesterday", "Saturday, 28 March 2026"}; len(titles) != 3 || titles[0] != want[0] || titles[1] != want[1] || titles[2] != want[2] {
		t.Errorf("the days are %q, want %q", titles, want)
	}
	if got := len(days[1].Entries); got != 3 {
		t.Errorf("the day of 23 hours has %d entries, want 3", got)
	}
}

func TestActivityPage_ChartsInWords(t *testing.T) {
	t.Parallel()
	v := activityPage()
	v.Growth = templates.Growth{
		Times:  []time.Time{noon.AddDate(0, 0, -2), noon.AddDate(0, 0, -1), noon},
		Counts: templates.CountsByType{memories.User: {1, 1, 3}, "": {0, 0, 1}, memories.Project: {0, 0, 0}},
	}
	expect(t, templates.ActivityPage(v),
		in("#growth-desc", text("From 1 memory on 7 March 2026 to 4 on 9 March 2026: 3 user, 1 no type.")),
		in(".legend li", each("User 3", "No type 1")),
		in("#growth-numbers thead th", each("Date", "User", "No type", "All")),
		in("#growth-numbers tbody tr", each("9 Mar 2026 3 1 4", "7 Mar 2026 1 0 1")),
		in("#ages-desc", says("Memories by age: today: 5, 1–2 days: 2,")),
		in("#ages-numbers tbody tr", count(6)),
		in("svg pattern", count(5)),
	)
}

func TestAsOfPages_NoActions(t *testing.T) {
	t.Parallel()
	pages := everyPage(t)
	for _, name := range []string{"memories-then", "memories-before", "memory-then", "memory-before", "context-then"} {
		expect(t, pages[name], in("#as-of-title", text("As of 9 January 2026, 12:00")),
			in("main", without("form[method=post]"), without("button[formaction]"), without("a[href$='/edit']")))
	}
	expect(t, templates.MemoriesAsOfPage(memoriesAsOf()),
		in(".row .badge", each("changed since", "deleted since", "changed since", "deleted since", "changed since", "deleted since")),
		in(".row:first-child h3 a", attr("href", "/agents/support-bot/memory/0198c0de-0000-7000-8000-000000000001?as_of=2026-01-09T12%3A00%3A00Z")),
	)
}
