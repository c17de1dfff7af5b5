package templates_test

import (
	"strings"
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/marked"
	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/ui"
)

func reviewCards() []templates.ReviewCard {
	text := "No production deploys until 3 March 2025, as Mira asked."
	passage := marked.PassageOf(text, []marked.Span{{Start: 28, End: 40}}, 1000)
	rendered, err := markdown.RenderMarked(passage, nil)
	if err != nil {
		panic(err)
	}
	other := marked.PassageOf(text+" "+strings.Repeat("endless", 60), nil, 300).Parts()
	snoozes := []templates.ReviewChoice{{Value: "snooze", Label: "Snooze", Key: "z"}, {Value: "never", Label: "Until it changes"}}
	facts := []templates.ReviewFact{{Label: "Written", Text: "9 Sep 2026, 77 days ago"}, {Label: "Recalled", Text: "3 times, last 2 Oct"}, {Label: "From", Text: "memory/" + strings.Repeat("endless", 20) + ".md"}}
	found := time.Date(2026, 3, 9, 14, 2, 0, 0, time.UTC)
	return []templates.ReviewCard{{
		ID: "secret-1", Kind: "Secret", KindID: "secret", Tone: ui.Danger, Agent: slug, Name: "support-bot", Reason: "Password in plain text", Lead: "Agents do not receive this memory until you decide.",
		FoundAt: found, Place: 1, Total: 37, NextHref: "/review/contradiction-1",
		Sides: []templates.ReviewSide{{
			Name: "warehouse_login", Href: "/agents/support-bot/memory/1", Type: memories.Reference, HasType: true, Facts: facts,
			Source: other, IsCut: true, Masked: true, RevealHref: "/review/secret-1?reveal=true",
		}},
		Choices: append([]templates.ReviewChoice{{Value: "remove_value", Label: "Remove the value…", Key: "1", Destroys: true, Confirm: "This cannot be undone."}, {Value: "allow", Label: "Not a secret", Key: "a"}}, snoozes...),
		ETags:   []string{`"e"`},
	}, {
		ID: "contradiction-1", Kind: "Contradiction", KindID: "contradiction", Tone: ui.Warning, Agent: slug, Name: "support-bot", Reason: "Different dates for one freeze", FoundAt: found,
		Place: 4, Total: 37, PrevHref: "/review/secret-1", Effect: "The other goes to the trash, and 41 tokens leave each conversation.", Undoes: true,
		Sides: []templates.ReviewSide{
			{Name: "freeze_december", Href: "/agents/support-bot/memory/2", Type: memories.Project, HasType: true, Description: passage.Parts(), Body: rendered, Facts: facts},
			{Name: strings.Repeat("endless", 20), Href: "/agents/support-bot/memory/3", Type: memories.Project, HasType: true, Source: other, Recommended: true, Why: "Newer"},
		},
		Choices: append([]templates.ReviewChoice{
			{Value: "keep_1", Label: "Keep 1", Key: "1"}, {Value: "keep_2", Label: "Keep 2", Key: "2", Recommended: true}, {Value: "keep_both", Label: "Keep both", Key: "b"},
			{Value: "merge", Label: "Merge…", Key: "m", Href: "/review/contradiction-1?merge=true"},
		}, snoozes...),
		Links: []ui.Link{{Label: "History", Href: "/agents/support-bot/memory/2/history"}}, Batch: ui.Link{Label: "Decide all 12…", Href: "/review/batch?kind=expired"},
		Related: []templates.ReviewRelated{{Name: "mobile_train", Href: "/agents/support-bot/memory/4", Type: memories.Project, Description: strings.Repeat("endless", 30), Why: "links to 2"}},
		Changes: []templates.ReviewChange{{Title: "memory/MEMORY.md", Path: true, Note: "Fix: Project", Diff: diff.Texts("a\n", "b\n", 10)}},
		Fixes:   []templates.ReviewFix{{Action: ui.Action{Label: "Project", Path: "/fix"}, Type: memories.Project, HasType: true}},
		Facts:   []templates.ReviewFact{{Label: "Problem", Text: "Unknown type."}},
		Members: []templates.ReviewMember{{Name: "lost", Href: "/agents/support-bot/memory/5", Path: "memory/lost.md"}}, More: 3,
	}}
}

func reviewOf(card templates.ReviewCard) templates.Review {
	row := func(id, title string, tone ui.Tone) templates.ReviewRow {
		return templates.ReviewRow{ID: id, Href: "/review/" + id, Kind: "Contradiction", KindID: "contradiction", Title: title, Reason: "Different dates for one freeze", Agent: "support-bot", Tone: tone, Current: id == card.ID, CanPick: true}
	}
	return templates.Review{
		CanDecide: true, Left: 37, Minutes: 6, Done: 23, Last: "Deleted old_staging_url", Undo: &ui.Action{Label: "Undo", Path: "/review/expired-1/undo"},
		Groups: []templates.ReviewFilter{{Label: "All", Href: "/review", Count: 37, Current: true}, {Label: "Safety", Href: "/review?group=safety", Count: 1}},
		Kinds:  []templates.ReviewFilter{{Label: "Secret", Href: "/review?kind=secret", Count: 1}, {Label: "Contradiction", Href: "/review?kind=contradiction", Count: 36}},
		Agents: []templates.ReviewFilter{{Label: "All agents", Href: "/review", Count: 37, Current: true}, {Label: "support-bot", Href: "/agents/support-bot/review", Count: 1234}},
		Sections: []templates.ReviewSection{
			{ID: "safety", Label: "Safety", Count: 1, Rows: []templates.ReviewRow{row("secret-1", "warehouse_login", ui.Danger)}},
			{ID: "wrong", Label: "Wrong or unclear", Count: 36, Rows: []templates.ReviewRow{row("contradiction-1", "freeze_december ↔ "+strings.Repeat("endless", 20), ui.Warning)}},
			{ID: "tidy_up", Label: "Tidy up", Count: 17, Href: "/review?group=tidy_up"},
		},
		Snoozed: templates.ReviewFilter{Label: "Snoozed", Href: "/review?view=snoozed", Count: 2}, NextHref: "/review?page=2", Card: &card,
	}
}

func reviewPage() templates.Review { return reviewOf(reviewCards()[1]) }

func reviewOfAgent() templates.Review {
	agent, v := supportBot(), reviewPage()
	v.Agent = &agent
	v.Plan = &templates.ReviewPlan{Text: "Plan of 9 Mar, 14:02: 128 memories examined.", Actions: []ui.Action{{Label: "Make a plan", Path: "/plan"}}, Findings: []templates.ReviewFinding{{Name: "freeze", Href: "/x", Text: "Says “tomorrow”."}}}
	return v
}

func reviewMerging() templates.Review {
	card := reviewCards()[1]
	card.Merging = &templates.ReviewMerge{Name: "freeze_december", Description: "When the freeze ends", Body: "Both texts.", Diff: diff.Texts("a\n", "b\n", 10), CancelHref: "/review/contradiction-1"}
	return reviewOf(card)
}

func reviewBatch() templates.Review {
	v := reviewPage()
	v.Card, v.Batch = nil, &templates.ReviewBatch{
		Title: "Decide 2 items", Rows: v.Sections[1].Rows, Left: 4, Back: "/review",
		Choices: []templates.ReviewBatchChoice{{Value: "delete", Label: "Delete 2", Effect: "345 tokens leave each conversation.", Recommended: true}, {Value: "still_true", Label: "Confirm 2"}},
	}
	return v
}

func reviewSnoozed() templates.Review {
	return templates.Review{IsSnoozed: true, Groups: reviewPage().Groups, Snoozed: templates.ReviewFilter{Label: "Snoozed", Current: true}, Held: []templates.ReviewHeld{
		{ID: "a", Title: "freeze_december", Kind: "Contradiction", Tone: ui.Warning, Reason: "Different dates", Agent: "support-bot", Until: noon, Show: ui.Action{Label: "Show now", Path: "/undo"}},
		{ID: "b", Title: strings.Repeat("endless", 20), Kind: "Junk", Reason: "Says nothing lasting", Agent: "support-bot"},
	}}
}

func reviewDone() templates.Review {
	bar := func(feedback int) templates.ReviewBar {
		return templates.ReviewBar{Total: 600 + feedback, Parts: []templates.ReviewBarPart{{Kind: "hand", Label: "Other text", Tokens: 600}, {Kind: "feedback", Label: "Feedback", Tokens: feedback}}}
	}
	return templates.Review{Done: 212, End: &templates.ReviewEnd{
		Decisions: 212, Minutes: 31, Agents: 3, MemoriesBefore: 1210, MemoriesAfter: 998, Before: bar(15337), After: bar(11237),
		Counts: []templates.ReviewFact{{Label: "secrets removed", Text: "9"}, {Label: "duplicates merged", Text: "41"}},
	}}
}
