package templates_test

import (
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/words"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

func homePage() templates.Home {
	return templates.Home{
		Frame: ui.Frame{Live: address.EventsPath}, Now: noon, Sort: templates.ByChange, Total: 43, First: 101, Found: 204, Empty: 14,
		Waiting: templates.Waiting{Items: 37, Minutes: 7, Groups: []templates.WaitingGroup{
			{Label: "safety", Count: 3, Href: "/review?kind=secret%2Cinjection", Tone: ui.Danger}, {Label: "to tidy up", Count: 34, Href: "/review?kind=junk"},
		}},
		Week:     templates.Week{Learned: 1204, Changed: 8, Deleted: 4, Totals: []int{2, 2, 3, 5, 5, 9}},
		Context:  templates.ContextFigures{Median: 2715, Over: 1},
		Problems: []templates.ScanProblem{{Agent: "reviewer", Reason: "the disk does not answer"}}, RunsAs: "mira",
		Rows: []templates.HomeRow{
			{Slug: slug, Name: "support-bot", Parent: "agent", Memories: 10, ByType: map[memories.Type]int{memories.Feedback: 3, memories.User: 2, memories.Project: 2, memories.Reference: 1}, Learned: 3, Tokens: 3120, Limited: 3100, Limit: 10_000, Review: 5, Changed: noon.Add(-4 * 60e9)},
			{Slug: "-srv-code-ledger", Name: "ledger", Parent: "/srv/code", Memories: 1219, ByType: map[memories.Type]int{memories.Reference: 1219}, Tokens: 1240, Limited: 1240, Limit: 6250, Changed: noon.AddDate(0, 0, -100)},
			{Slug: "reviewer", Name: "reviewer", Parent: "/srv/code/ledger", Memories: 23, Tokens: 240_300, Limited: 240_000, Limit: 10_000, Problem: "Not scanned"},
		},
		News: []templates.News{
			{Text: "Asks for a rollback plan in each release note", Type: memories.Feedback, Href: address.MemoryPath(slug, "1"), Agents: []string{"support-bot"}, Count: 1, At: noon.Add(-4 * 60e9)},
			{Text: "Prices are quoted without tax", Type: memories.Project, Href: address.MemoryPath(slug, "2"), Agents: []string{"support-bot", "ledger"}, Count: 3, At: noon.AddDate(0, 0, -2)},
		},
	}
}

func noAgentsPage() templates.Home {
	return templates.Home{
		Frame: ui.Frame{Live: address.EventsPath}, Sort: templates.ByChange, Samples: true,
		Watched: []templates.WatchedDir{{Path: "/tmp/agents", Exists: true}, {Path: "/srv/mira/.claude/projects"}},
	}
}

func searchPage() templates.Search {
	return templates.Search{
		Query: "type:project plan", Terms: terms.Parse("type:project plan"), Total: 204, Next: "next",
		Agents:  []templates.FoundAgent{{Slug: slug, Name: []words.Part{{Text: "plan", Hit: true}, {Text: "ner"}}, Place: "~/code", Memories: 3}},
		Results: []templates.SearchResult{{Agent: slug, AgentName: "support-bot", ID: "1", Type: memories.Project, Name: []words.Part{{Text: "Rollback "}, {Text: "plan", Hit: true}}, Description: []words.Part{{Text: "In each note"}}, Age: fresh("today")}},
	}
}

func TestHomePage_Rows(t *testing.T) {
	t.Parallel()
	expect(t, templates.HomePage(homePage()),
		in(".home-waiting", says("37 items, about 7 min"), in("a.primary", attr("href", "/review")), in(".home-chips a", each("3 safety", "34 to tidy up"))),
		in(".home-tile:nth-child(2)", says("+1,204"), says("8 changed · 4 deleted")),
		in(".home-tile:nth-child(3)", says("2,715 tokens, median"), in("a", text("1 agent is over its limit"), attr("href", "/?sort=context"))),
		in(".failures li:first-child", says("Agent reviewer: the disk does not answer")),
		in("#agents-title", text("Agents 43")),
		in("#agent-support-bot td", each("support-bot agent", "10", "+3", "3,120 tokens", "5", "4 min")),
		in("#agent-support-bot .bar:first-of-type rect", count(6)), // 4 types, the rest, and the context
		in("#agent--srv-code-ledger td", each("ledger /srv/code", "1,219", "–", "1,240 tokens", "–", "100 days")),
		in("#agent--srv-code-ledger a", attr("href", "/agents/-srv-code-ledger/memory")),
		in("#agent-reviewer", says("240,300 tokens · 24 × the limit"), in(".badge", text("Not scanned")), in("[data-over]", count(1))),
		in(".home-rest:first-of-type span", text("101 to 103 of 204 · 14 without memories")),
		in("#list .home-rest [rel=prev]", text("Previous 100"), attr("href", "/#agents")),
		in("#list .home-rest [rel=next]", text("Next 100"), attr("href", "/?from=104#agents")),
		in("#list .home-rest a:last-child", text("Show all"), attr("href", "/?show=all#agents")),
		in(".news li p", each("support-bot · 4 min", "2 agents · 3 memories · 2 days")),
		in(".news .home-rest", text("All 1,216 changes this week")),
		in("form[action='/scan'] button", text("Scan now")),
	)
}

func TestHomePage_AllClear(t *testing.T) {
	t.Parallel()
	v := homePage()
	v.Waiting, v.Context.Over, v.News, v.Week, v.First, v.Found, v.Empty, v.Problems = templates.Waiting{}, 0, nil, templates.Week{}, 1, 3, 0, nil
	expect(t, templates.HomePage(v),
		in(".home-waiting", says("All clear."), without("a")),
		in(".home-tile:nth-child(3)", says("No agent is over its limit")),
		in(".news", says("Nothing new this week.")),
		in("main", without("#list .home-rest"), without(".failures"), without(".home-line")),
	)
}

func TestHomePage_NoAgents(t *testing.T) {
	t.Parallel()
	expect(t, templates.HomePage(noAgentsPage()),
		in(".empty h2", text("No agents yet")), in(".watched li", each("/tmp/agents ✓", "/srv/mira/.claude/projects not there yet")),
		in(`form[action="/samples"] button`, text("Add sample agents")),
	)
}

func TestSearchPage_Chips(t *testing.T) {
	t.Parallel()
	expect(t, templates.SearchPage(searchPage()),
		in(".term[aria-current]", text("Remove type:project"), attr("href", "/search?q=plan")),
		in(".terms .term:last-child", text("is:trash"), attr("href", "/search?q=type%3Aproject+is%3Atrash+plan")),
		in("#found-agents", text("Agents 1")),
		in(".hit-name a", count(2)),
		in(".hit[id] a", attr("href", "/agents/support-bot/memory/1?from=search&q=type%3Aproject+plan")),
		in("a[rel=next]", attr("href", "/search?cursor=next&q=type%3Aproject+plan")),
	)
}

func TestPalette_Results(t *testing.T) {
	t.Parallel()
	expect(t, ui.PaletteResults(ui.Palette{Query: "inf", Groups: []ui.PaletteGroup{
		{Label: "Agents", Items: []ui.PaletteItem{{Icon: "agents", Name: []words.Part{{Text: "inf", Hit: true}, {Text: "ra"}}, Note: "~/work", Href: "/agents/infra/memory"}}},
		{Label: "Actions", Items: []ui.PaletteItem{{Icon: "scan", Name: ui.PlainParts("Scan now"), Form: ui.PaletteScan}}},
	}}),
		in("[data-status]", attr("data-status", "2 results")),
		in("[role=group]", count(2)), in("a[role=option]", attr("href", "/agents/infra/memory"), in("mark", text("inf"))),
		in("button[role=option]", attr("form", "palette-scan")),
	)
	expect(t, ui.PaletteResults(ui.Palette{Query: "zz", IsEmpty: true}), in(".palette-none", text("No results for “ zz ”")))
}

func TestHomePage_LongReview(t *testing.T) {
	t.Parallel()
	for minutes, want := range map[int]string{119: "about 119 min", 120: "about 2 h", 663: "about 11 h"} {
		expect(t, templates.HomePage(templates.Home{Total: 1, Waiting: templates.Waiting{Items: 1000, Minutes: minutes}}), in(".home-waiting", says(want)))
	}
}
