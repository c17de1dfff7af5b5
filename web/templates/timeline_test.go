package templates_test

import (
	"testing"
	"time"

	"memoir/web/templates"
	"memoir/web/templates/address"
)

func TestTimelinePage_Events(t *testing.T) {
	t.Parallel()
	expect(t, templates.TimelinePage(timelinePage()),
		in(".day h3", each("Today", "Tuesday 3 March")),
		in(".day .verb", each("Learned", "Changed", "Shared", "Still true", "Deleted", "Restored", "Missing", "Found again", "Fixed", "Purged", "Blocked", "Allowed", "Removed", "Revealed", "Kept", "Recalled", "Learned", "Learned")),
		in(`.event[data-kind="learned"]:first-child .who`, attr("title", conversation), attr("href", "/agents/support-bot/timeline?session="+conversation)),
		in(`.event[data-kind="changed"] .do a`, text("Diff")),
		in(`.event[data-kind="purged"]`, without("a[data-open]")),
		in("#event-1772539200000000-1 > .do", text("Hide")), in("#event-1772539200000000-1", in(".folded li", count(4)), in("[aria-expanded=true]", count(1))),
		in("#event-1772539200000000-7", in(".do", text("Show")), in(".what a", attr("href", "/agents/support-bot/timeline?as_of=2026-02-09&open=1772539200000000.7#event-1772539200000000-7"))),
		in(".more a", each("Older")),
	)
}

func TestTimelinePage_ChosenDay(t *testing.T) {
	t.Parallel()
	expect(t, templates.TimelinePage(timelinePage()),
		in("#day-title", text("31 memories on 9 February")),
		in(".day-chart", says("12 fewer than today"), says("9 February 2026 · Back to now"), in("a.button", text("Open this day"))),
		in("#day", attr("min", "20462"), attr("max", "20521"), attr("value", "20493"), attr("aria-valuetext", "9 February 2026")),
		in(".labels li", each("No type 2", "Reference 2", "Project 4", "User 6", "Feedback 19", "Deleted 5")),
		in(".area", count(5)), in(".bar", count(2)),
		in(".since", says("Since 9 February"), in("dt", each("learned", "deleted", "changed", "tokens per conversation")), in("dd", each("+43", "−12", "9", "−2,180"))),
	)
}

func TestTimelinePage_AllAgents(t *testing.T) {
	t.Parallel()
	expect(t, templates.TimelinePage(timelineOfAll()),
		in(".narrowed", says("By a script"), in("a", attr("href", "/timeline?kind=learned&q=refund"))),
		in("#event-filter", in("option[selected]", text("Learned")), in("input[name=q]", attr("value", "refund")), in("input[name=actor]", count(1))),
		in("#day-2026-03-09 .event:first-child .what > a.who:first-of-type, #day-2026-03-09 .event:nth-child(2) .what > a.who", text("support-bot")),
		in(".more a", each("Newest", "Older")),
		in("main", without("#new-events"), without(".day-chart a.button")),
	)
}

func TestTimelinePage_Sessions(t *testing.T) {
	t.Parallel()
	expect(t, templates.TimelinePage(timelineWith(address.ShowSessions, sessionList)),
		in(".lists [aria-current]", text("Sessions")),
		in(".event", each("Session of 9 Mar 3 learned, 2 recalled Notes Name this… 12:00", "Mira in #support, 3 Mar 3 learned, 2 recalled 12:00")))
	expect(t, templates.TimelinePage(timelineWith(address.ShowSessions, oneSession)),
		in(".session-parts section", each("Learned 2 Refund dates Purged", "Recalled 0 Nothing recalled.")),
		in("#names form", count(2)), in("#notes", says("about 400 tokens")))
}

func TestNewTimelineDay_Titles(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, berlin) // the day after a clock change
	for title, day := range map[string]time.Time{
		"Today": time.Date(2026, 3, 30, 0, 0, 0, 0, berlin), "Yesterday": time.Date(2026, 3, 29, 0, 0, 0, 0, berlin),
		"Saturday 28 March": time.Date(2026, 3, 28, 0, 0, 0, 0, berlin), "Tuesday 30 December 2025": time.Date(2025, 12, 30, 0, 0, 0, 0, berlin),
	} {
		if got := templates.NewTimelineDay(day, now).Title; got != title {
			t.Errorf("title = %q, want %q", got, title)
		}
	}
}

func TestAsOfPages_NoActions(t *testing.T) {
	t.Parallel()
	pages := everyPage(t)
	for _, name := range []string{"memories-then", "memories-before", "memory-then", "memory-before", "context-then"} {
		expect(t, pages[name], in("#as-of-title", text("Showing 9 Jan 2026, 12:00")), in(".as-of", says("Back to now")),
			in("main", without("form[method=post]"), without("button[formaction]"), without("a[href$='/edit']"), without("[data-action=new]")))
	}
	expect(t, templates.MemoriesAsOfPage(memoriesAsOf()),
		in(".row .chip", each("± Changed since", "− Deleted since", "± Changed since", "− Deleted since", "± Changed since", "− Deleted since")),
		in(".row:first-child h3 a", attr("href", "/agents/support-bot/memory/0198c0de-0000-7000-8000-000000000001?as_of=2026-01-09T12%3A00%3A00Z")),
	)
}
